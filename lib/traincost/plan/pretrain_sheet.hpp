// The pre-train sheet: what a model takes before anything is decided. Fast_LLM's four tables in this engine's
// numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/plan/relaxation.hpp"
#include "traincost/plan/search.hpp"

namespace traincost {

/// A part of the model on one accelerator that nothing divides. `count` parts of it make the model's share.
struct SheetRow {
    std::string name;
    std::int64_t count;                        ///< 1, or the layers of the kind
    std::optional<std::int64_t> parameters{};  ///< of all of them; nothing for activations
    Bytes evaluation;                          ///< of all of them
    Bytes training;
};

/// An accelerator's memory when the states are sharded over all data-parallel ranks, without tensor or
/// pipeline parallelism.
struct ZeroRow {
    std::int64_t stage;
    Bytes evaluation;  ///< used on the device
    Bytes training;
    bool fits;      ///< in training
    bool of_stack;  ///< the stack has this stage
};

/// A configuration that fits, in full.
struct SheetPlan {
    std::string flags;  ///< of `estimate`
    Job job;
    Estimate estimate;
};

struct PretrainSheet {
    ParameterCount parameters;
    std::vector<SheetRow> memory;
    std::vector<ZeroRow> zero;
    std::vector<SheetPlan> plans;  ///< fastest first
    SearchCounts counts;
    bool risky = false;                 ///< none has the margin asked for
    std::optional<SheetPlan> smallest;  ///< where none fits, the one that comes nearest
    std::vector<std::string> relaxed;   ///< what the plans take beyond `space`, in which nothing fits
};

/// The sheet of the job's model, cluster, stack and batch; its degrees of parallelism don't matter, `space`
/// says which are tried, and `freedoms` what more where none of it fits. Among plans with the same ZeRO stage
/// and degrees the fastest stands for all; at most `top` of them. Plans without the margin that `margin_of`
/// gives are left out, as in searches, and those that `is_sure` does not take, unless it takes none.
PretrainSheet pretrain_sheet(const Job& job, const SearchSpace& space, std::size_t top,
                             const Freedoms& freedoms = {false, false, false, {}},
                             const std::function<MemoryMargin(const Job&)>& margin_of = {},
                             const std::function<bool(const Job&, const Estimate&)>& is_sure = {});

}  // namespace traincost
