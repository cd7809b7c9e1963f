#include "traincost/ask/run_assumptions.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/cost/offload.hpp"
#include "traincost/plan/search_space.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

std::string habit_of(const StackSpec& stack) {
    return "default of " + stack.id;
}

/// What the layout takes from the stack, and where it is out of the ordinary.
void state_layout_defaults(const Job& job, Assumptions& out) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const StackSpec& stack = job.stack;
    if (p.tp > 1 && !p.sequence_parallel) {
        out.push_back({"sequence parallelism", stack.layer.sequence_parallel ? "on" : "off", habit_of(stack),
                       "--sequence-parallel"});
    }
    if (p.pp > 1 && !run.schedule) {
        const bool interleaved = p.vp > 1;
        out.push_back({"schedule",
                       std::string(name_of(interleaved ? Schedule::interleaved : stack.pipeline.schedule)),
                       interleaved ? "with virtual stages" : habit_of(stack), "--schedule"});
    }
    const std::vector<std::int64_t> stages = stack_space(job).zero;
    if (!stages.empty() && std::find(stages.begin(), stages.end(), p.zero) == stages.end()) {
        out.push_back({"zero", "stage " + std::to_string(p.zero) + " assumed",
                       "although " + stack.id + " is not known to support it", ""});
    }
}

/// What of the sequence is not as it seems.
void state_sequence(const JobDraft& draft, const Job& job, Assumptions& out) {
    const std::int64_t sequence = job.run.sequence;
    if (draft.sequence_as_given && counts_in_thousands(*draft.sequence_as_given)) {
        out.push_back({"sequence", *draft.sequence_as_given + " is " + std::to_string(sequence) + " tokens",
                       "K = 1024", "--seq"});
    }
    if (job.model.max_position && sequence > *job.model.max_position) {
        out.push_back({"sequence",
                       std::to_string(sequence) + " is longer than the " +
                           std::to_string(*job.model.max_position) + " positions " + job.model.name +
                           " was trained for",
                       "", "--seq"});
    }
}

/// What is the same under every stack where nobody says it.
void state_plain_defaults(const JobDraft& draft, const JobNeeds& needs, const Job& job, Assumptions& out) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    if (!draft.optimizer)
        out.push_back({"optimizer", std::string(name_of(run.optimizer)), "", "--optimizer"});
    if (!needs.layout)
        return;
    const std::string by_launcher = "launch default of " + job.stack.id;
    if (!draft.recompute) {
        out.push_back({"recompute", std::string(name_of(run.recompute)),
                       run.recompute == Recompute::none ? "" : by_launcher, "--recompute"});
    }
    if (!draft.offload_activations && run.offload_activations > 0.0) {
        out.push_back({"offload-activations", to_significant(run.offload_activations), by_launcher,
                       "--offload-activations"});
    }
    if (p.dp * p.cp > 1 && !draft.zero) {
        const bool by_stack = stated_zero(draft).has_value();
        out.push_back({"zero", std::to_string(p.zero),
                       by_stack      ? "implied by " + *draft.stack
                       : p.zero == 0 ? ""
                                     : by_launcher,
                       "--zero"});
    }
    if (p.cp > 1 && !draft.context)
        out.push_back({"context", std::string(name_of(run.context)), "", "--context"});
}

}  // namespace

void state_run_defaults(const JobDraft& draft, const JobNeeds& needs, const Job& job, Assumptions& out) {
    const RunSpec& run = job.run;
    const StackSpec& stack = job.stack;
    state_sequence(draft, job, out);
    state_plain_defaults(draft, needs, job, out);
    if (!run.attention)
        out.push_back(
            {"attention", std::string(name_of(stack.attention.kernel)), habit_of(stack), "--attention"});
    if (!run.compile && !run.compiled_parts)
        out.push_back({"compile", stack.layer.compile ? "on" : "off", habit_of(stack), "--compile"});
    if (!run.dropout)
        out.push_back({"dropout", to_significant(stack.layer.dropout), habit_of(stack), "--dropout"});
    if (needs.layout)
        state_layout_defaults(job, out);
    if (run.optimizer == Optimizer::paged_adamw || run.optimizer == Optimizer::paged_adam8bit) {
        out.push_back(
            {"paged optimizer", "states counted in host memory", "where they move when the GPU is full", ""});
    }
    for (const std::string& line : host_assumptions(job))
        out.push_back(assumption_from(line));
    if (run.headroom > 0.0) {
        out.push_back({"headroom", percent_text(run.headroom) + " of memory is kept free", "", "--headroom"});
    }
    if (job.model.moe && !draft.expert_imbalance) {
        out.push_back({"experts",
                       "the busiest rank gets " + to_significant(run.expert_imbalance) +
                           " times the mean of the routed tokens",
                       "", "--expert-imbalance"});
    }
}

}  // namespace traincost
