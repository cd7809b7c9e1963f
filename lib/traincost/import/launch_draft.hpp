// What launch files say, as a draft of a job.
#pragma once

#include <string>
#include <vector>

#include "traincost/import/launch_fact.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// The draft, and what stands in its way.
struct LaunchDraft {
    JobDraft draft;                           ///< each field with the file, line and key that say it
    std::string model_hint;                   ///< what is said of a model that no one name fits; else empty
    std::vector<std::string> contradictions;  ///< one line each, with both places
    std::vector<std::string> unread;          ///< what may change memory or time and no field was made of
};

/// The facts of `reading` in the words of a job: names of models, stacks, kernels and optimizers are those of
/// the catalogue where they mean one of them. What follows from the number of accelerators (data-parallel
/// degree, a batch that nobody states) is left open, so that it follows from another number too.
LaunchDraft launch_draft(const LaunchReading& reading, const Catalogue& catalogue);

}  // namespace traincost
