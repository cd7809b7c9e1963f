// `plan`: what a model takes before anything is decided, and the best strategies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/plan/pretrain_sheet.hpp"

namespace traincost {

struct PlanQuestion {
    JobDraft job;
    JobDraft pins;  ///< what strategies may not choose: the job less what a file says of its layout
    std::int64_t top = 5;
    bool allow_risky = false;  ///< plans that are not sure to fit are ranked among the others
};

struct PlanAnswer {
    Job job;
    JobDraft asked{};  ///< what the question says of it
    Operation operation;
    Assumptions assumptions;
    PretrainSheet sheet;
    Bytes capacity;  ///< of an accelerator that the job may use
    std::optional<std::string> never_ends{};

    bool yes() const {
        return !sheet.plans.empty() && !never_ends;
    }
};

/// `Error` where the draft is no job, or there is nothing to search.
PlanAnswer ask(const PlanQuestion& question, const Sources& sources);

}  // namespace traincost
