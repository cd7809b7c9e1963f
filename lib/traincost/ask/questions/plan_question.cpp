#include "traincost/ask/questions/plan_question.hpp"

#include "traincost/ask/questions/search_question.hpp"
#include "traincost/ask/sureness.hpp"
#include "traincost/plan/search_emptiness.hpp"

namespace traincost {

PlanAnswer ask(const PlanQuestion& question, const Sources& sources) {
    refuse_accumulation(question.pins);
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
    std::function<MemoryMargin(const Job&)> margin_of;
    std::function<bool(const Job&, const Estimate&)> is_sure;
    if (!question.allow_risky) {
        margin_of = margins(sources);
        is_sure = plan_sure_to_fit(question.job, sources.residuals());
    }
    PretrainSheet sheet = pretrain_sheet(resolved.job, space, static_cast<std::size_t>(question.top),
                                         freedoms, margin_of, is_sure);
    if (!question.job.global_batch && !question.job.accumulation) {
        // What a search assumes is divisible; what a layout assumes need not be the same.
        const std::string batch = " --global-batch " + std::to_string(resolved.job.run.global_batch);
        for (SheetPlan& plan : sheet.plans)
            plan.flags += batch;
    }
    if (sheet.counts.enumerated == 0)
        throw Error(ErrorKind::input, why_empty(resolved.job, space));
    const Bytes capacity = allowed_memory(resolved.job);
    std::optional<std::string> never_ends = why_training_never_ends(resolved.job, resolved.operation);
    return {.job = std::move(resolved.job),
            .asked = question.job,
            .operation = std::move(resolved.operation),
            .assumptions = std::move(resolved.assumptions),
            .sheet = std::move(sheet),
            .capacity = capacity,
            .never_ends = std::move(never_ends)};
}

}  // namespace traincost
