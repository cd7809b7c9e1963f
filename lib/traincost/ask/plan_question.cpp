#include "traincost/ask/plan_question.hpp"

#include "traincost/ask/sureness.hpp"
#include "traincost/plan/search_emptiness.hpp"

namespace traincost {

PlanAnswer ask(const PlanQuestion& question, const Sources& sources) {
    ResolvedJob resolved = resolve(question.job, sources, {.micro_batch = false, .layout = false});
    allow_uneven_stages(resolved);
    if (!question.pins.micro_batch) {
        resolved.assumptions.push_back({"micro-batch",
                                        "1 in the table of ZeRO stages; each strategy chooses its own", "",
                                        "--micro-batch"});
    }
    const SearchSpace space = pinned_space(question.pins, resolved.job);
    Freedoms freedoms = freedoms_of(question.pins, resolved.job, sources);
    if (question.job.stack || question.job.stack_spec)
        freedoms.other_stacks = {};
    PretrainSheet sheet =
        pretrain_sheet(resolved.job, space, static_cast<std::size_t>(question.top), freedoms,
                       question.allow_risky ? std::function<MemoryMargin(const Job&)>{} : margins(sources));
    if (sheet.counts.enumerated == 0)
        throw Error(ErrorKind::input, why_empty(resolved.job, space));
    const Bytes capacity = allowed_memory(resolved.job);
    std::optional<std::string> never_ends = why_training_never_ends(resolved.job, resolved.operation);
    if (!question.allow_risky && !sheet.risky) {
        const Sureness sure = plan_sureness(question.job, sources.residuals());
        sheet.risky = leave_out_risky(sheet.plans,
                                      [&](const SheetPlan& plan) { return sure(plan.job, plan.estimate); });
    }
    return {.job = std::move(resolved.job),
            .asked = question.job,
            .operation = std::move(resolved.operation),
            .assumptions = std::move(resolved.assumptions),
            .sheet = std::move(sheet),
            .capacity = capacity,
            .never_ends = std::move(never_ends)};
}

}  // namespace traincost
