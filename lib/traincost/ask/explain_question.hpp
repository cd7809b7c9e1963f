// `explain`: where one number of an estimate, or each of them, comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/cost/estimate.hpp"

namespace traincost {

struct ExplainQuestion {
    std::string item{};             ///< "memory.weights"; empty: every one
    std::optional<JobDraft> job{};  ///< nothing: equations alone
};

/// A job and its estimate.
struct EstimatedJob {
    ResolvedJob resolved;
    Estimate estimate;
};

struct ExplainAnswer {
    std::string item{};
    std::optional<EstimatedJob> of{};
};

/// `Error` where the draft is no job.
ExplainAnswer ask(const ExplainQuestion& question, const Sources& sources);

/// What the stack's record says of `choices`: "stack megatron-core, pipeline: ...".
std::vector<std::string> reasons_of_stack(std::span<const std::string_view> choices, const std::string& stack,
                                          const Catalogue& catalogue);

}  // namespace traincost
