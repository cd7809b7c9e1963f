// Answers to questions that a page asks besides those of the commands' names.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/import/importers.hpp"
#include "traincost/import/logs/training_log.hpp"

namespace traincost {

/// Every field of a job: key, flag, type, unit, help, group, kind, choices; and the formats of launch files.
std::string fields_answer();

/// What files say: of a launch file or a log its facts; of a job, a model or a
/// recorded step {"kind": "job"}, "model" or "recording".
/// `Error` where they are none of these.
std::string read_answer(std::span<const LaunchFile> files, const std::string& select, const Sources& sources);

/// The log that the file is. `Error` where it is none of a known framework.
TrainingLog log_of(const LaunchFile& file);

/// Sizes and tokens that published laws call optimal for so many FLOPs, and the loss of sizes around them.
std::string scale_answer(Flops compute);

/// The job's step as published conventions count its work, the days of simple rules beside ours, and
/// the pages that originals print of it.
std::string methods_answer(const EstimateAnswer& of);

/// The estimate as a page that people send: {"html": …}.
std::string report_answer(const EstimateAnswer& of);

}  // namespace traincost
