// Answers to questions that a page asks besides those of the commands' names.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "traincost/ask/estimate_question.hpp"
#include "traincost/import/importers.hpp"

namespace traincost {

/// Every field of a job: key, flag, type, unit, help, group, kind, choices.
std::string fields_answer();

/// What files say: of a launch file or a log its facts; of a job, or of a model, {"kind": "job"} or "model".
/// `Error` where they are none of these.
std::string read_answer(std::span<const LaunchFile> files, const std::string& select, const Sources& sources);

/// Where one number comes from, or all of them where `item` is nothing: equation, symbols, values, sources.
std::string explain_answer(const std::optional<std::string>& item, const EstimateAnswer& of);

/// A run's log beside the prediction of its job.
std::string achieved_answer(const LaunchFile& log, const EstimateAnswer& of);

/// Sizes and tokens that published laws call optimal for so many FLOPs, and the loss of sizes around them.
std::string scale_answer(Flops compute);

/// The job's step as published conventions count its work, and the days of simple rules beside ours.
std::string methods_answer(const EstimateAnswer& of);

}  // namespace traincost
