#include "traincost/ask/questions/bench_question.hpp"

namespace traincost {

BenchAnswer ask(const BenchQuestion& question, const Sources& sources) {
    JobDraft draft = question.job;
    const bool assumed = !draft.stack && !draft.stack_spec;
    if (assumed)
        draft.stack = {question.own_stack, "--stack"};
    ResolvedJob resolved = resolve(draft, sources);
    BenchOptions options = question.bench;
    options.loss = resolved.job.run.loss;
    options.loss_chunks = resolved.job.run.loss_chunks.value_or(options.loss_chunks);
    options.optimizer = resolved.job.run.optimizer_kernel;
    std::string script = bench_script(resolved.job, options);
    Estimate predicted = estimate(benched_job(resolved.job, options));
    return {std::move(resolved.job), std::move(resolved.assumptions),
            assumed ? question.own_stack : std::string(), std::move(script), std::move(predicted)};
}

}  // namespace traincost
