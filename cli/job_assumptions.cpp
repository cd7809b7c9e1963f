#include <cli/job_assumptions.hpp>

#include <cli/everyday_names.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/offload.hpp>
#include <traincost/plan/search_space.hpp>
#include <traincost/spec/names.hpp>

#include <algorithm>

namespace traincost::cli {

namespace {

/// What the layout takes from the stack, and where it is out of the ordinary.
void state_layout_defaults(const Job& job, std::vector<std::string>& out) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const StackSpec& stack = job.stack;
    const std::string of_stack = ", the habit of " + stack.id;
    if (p.tp > 1 && !p.sequence_parallel) {
        out.push_back(std::string("sequence parallelism: ") + (stack.sequence_parallel ? "on" : "off") +
                      of_stack + " (--sequence-parallel)");
    }
    if (p.pp > 1 && !run.schedule) {
        out.push_back("schedule: " + std::string(name_of(p.vp > 1 ? Schedule::interleaved : stack.pipeline)) +
                      (p.vp > 1 ? ", with virtual stages" : of_stack) + " (--schedule)");
    }
    if (run.global_batch % (run.micro_batch * p.dp) != 0) {
        out.push_back("global batch: not a multiple of micro-batch*dp = " +
                      std::to_string(run.micro_batch * p.dp) + "; the last micro-batch is counted as full");
    }
    const std::vector<std::int64_t> stages = stack_space(job).zero;
    if (!stages.empty() && std::find(stages.begin(), stages.end(), p.zero) == stages.end()) {
        out.push_back("zero: stage " + std::to_string(p.zero) + " is counted, though " + stack.id +
                      " is not known to have it");
    }
}

}  // namespace

void state_run_defaults(const JobFlags& f, const JobFile& file, const JobNeeds& needs, const Job& job,
                        std::vector<std::string>& out) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const StackSpec& stack = job.stack;
    const auto say = [&](bool given, const std::string& what, std::string_view value, const std::string& why,
                         const char* flag) {
        if (!given) {
            out.push_back(what + ": " + std::string(value) + why + " (" + flag + ")");
        }
    };
    const std::string of_stack = ", the habit of " + stack.id;
    if (counts_in_thousands(f.sequence_as_given)) {
        out.push_back("sequence: " + f.sequence_as_given + " is " + std::to_string(run.sequence) +
                      " tokens, K being 1024 (--seq)");
    }
    if (job.model.max_position && run.sequence > *job.model.max_position) {
        out.push_back("sequence: " + std::to_string(run.sequence) + " is longer than the " +
                      std::to_string(*job.model.max_position) + " positions " + job.model.name +
                      " was trained for (--seq)");
    }
    if (!file.run) {
        say(f.optimizer.has_value(), "optimizer", name_of(run.optimizer), "", "--optimizer");
    }
    if (!file.run && needs.layout) {
        say(f.recompute.has_value(), "recompute", name_of(run.recompute), "", "--recompute");
        if (p.dp * p.cp > 1) {
            const bool by_stack = f.stack && zero_meant_by(*f.stack);
            say(f.zero.has_value(), "zero", std::to_string(p.zero),
                by_stack ? ", as " + *f.stack + " says" : "", "--zero");
        }
        if (p.cp > 1) {
            say(f.context.has_value(), "context", name_of(run.context), "", "--context");
        }
    }
    say(run.attention.has_value(), "attention", name_of(stack.attention), of_stack, "--attention");
    say(run.compile.has_value() || run.compiled_parts.has_value(), "compile", stack.compile ? "on" : "off",
        of_stack, "--compile");
    say(run.dropout.has_value(), "dropout", to_significant(stack.dropout), of_stack, "--dropout");
    if (needs.layout) {
        state_layout_defaults(job, out);
    }
    if (run.optimizer == Optimizer::paged_adamw || run.optimizer == Optimizer::paged_adam8bit) {
        out.push_back(
            "paged optimizer: its states are counted in host memory, where they move when the GPU is full");
    }
    for (std::string& line : host_assumptions(job)) {
        out.push_back(std::move(line));
    }
    if (run.headroom > 0.0) {
        out.push_back("headroom: " + percent_text(run.headroom) + " of the memory is kept free (--headroom)");
    }
    if (job.model.moe) {
        out.push_back("experts: the busiest rank gets " + to_significant(run.expert_imbalance) +
                      " times the mean of the routed tokens");
    }
}

}  // namespace traincost::cli
