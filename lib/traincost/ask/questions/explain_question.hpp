// `explain`: where one number of an estimate, or each of them, comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/ask/resolve.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/cost/operator_list.hpp"

namespace traincost {

struct ExplainQuestion {
    std::string item{};             ///< "memory.weights"; empty: every one
    std::optional<JobDraft> job{};  ///< nothing: equations alone
    bool operators = false;         ///< also the operators that the number is a sum of; needs a job
};

/// A job and its estimate.
struct EstimatedJob {
    ResolvedJob resolved;
    Estimate estimate;
};

struct ExplainAnswer {
    std::string item{};
    std::optional<EstimatedJob> of{};
    std::vector<OperatorPart> operators{};  ///< of the slowest stage, where they are asked for
};

/// `Error` where the draft is no job, or operators are asked for without one.
ExplainAnswer ask(const ExplainQuestion& question, const Sources& sources);

/// What the stack's record says of `choices`: "stack megatron-core, pipeline: ...".
std::vector<std::string> reasons_of_stack(std::span<const std::string_view> choices, const std::string& stack,
                                          const Catalogue& catalogue);

}  // namespace traincost
