#include <traincost/cost/kernels/orthogonalisation.hpp>

#include <string>

#include <catch2/catch.hpp>

#include <traincost/cost/estimate.hpp>
#include <traincost/cost/params.hpp>
#include <traincost/io/catalogue.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

const Catalogue& catalogue() {
    static const Catalogue instance;
    return instance;
}

Job job_of(const std::string& model, std::int64_t gpus, const std::string& stack, Optimizer optimizer) {
    Job job{catalogue().model(model), catalogue().cluster("h100", gpus).spec, catalogue().stack(stack),
            search_jobs::run(2048, gpus)};
    job.run.parallel.dp = gpus;
    job.run.optimizer = optimizer;
    job.run.precision_name = "bf16-amp";
    job.run.precision = stack_precision(job.stack.states, *precision_from("bf16-amp"));
    return job;
}

Orthogonalisation of_block(const Job& job) {
    BlockOps ops;
    fill_ops(job, shape_of(job), ops);
    return orthogonalisation(ops.blocks[0], kernel_context(job));
}

double update(const Job& job) {
    return estimate(job).step[StepTerm::optimizer].value();
}

double states(const Job& job) {
    return estimate(job).stages.front()[MemoryTerm::optimizer_states].value();
}

}  // namespace

TEST_CASE("Muon multiplies 5 (4 m^2 n + 2 m^3) for each matrix, near the peak where they are large",
          "[orthogonalisation]") {
    const Job job = job_of("llama-2-70b", 1, "pytorch", Optimizer::muon);
    // Query and output 8192 x 8192, keys and values 1024 x 8192, gate, up and down 8192 x 28672.
    const auto flops = [](double m, double n) { return 5.0 * (4.0 * m * m * n + 2.0 * m * m * m); };
    const double all = 2.0 * flops(8192, 8192) + 2.0 * flops(1024, 8192) + 3.0 * flops(8192, 28672);
    const double rate = all / of_block(job).dense.value();
    CHECK(rate > 0.5 * 989e12);
    CHECK(rate < 0.8 * 989e12);
    CHECK(of_block(job).expert == Seconds{});
}

TEST_CASE("no other optimizer and no tuned pair is made orthogonal", "[orthogonalisation]") {
    for (const Optimizer other : {Optimizer::adamw, Optimizer::sgd_momentum, Optimizer::lion})
        CHECK(of_block(job_of("llama-3.2-1b", 1, "pytorch", other)).dense == Seconds{});
    Job lora = job_of("llama-3.2-1b", 1, "hf-transformers", Optimizer::muon);
    lora.run.tuning = Tuning::lora;
    CHECK(of_block(lora).dense == Seconds{});
}

TEST_CASE("ranks that share the states share Muon's products, and experts have matrices of their own",
          "[orthogonalisation]") {
    Job job = job_of("llama-3.2-1b", 8, "pytorch", Optimizer::muon);
    const double whole = estimate(job).step.parts.orthogonalisation.value();
    job.run.parallel.zero = 1;
    CHECK(estimate(job).step.parts.orthogonalisation.value() == Approx(whole / 8.0));

    Job experts = job_of("mixtral-8x7b", 8, "megatron-core", Optimizer::muon);
    const Orthogonalisation each = of_block(experts);
    CHECK(each.expert.value() > 5.0 * each.dense.value());
    experts.run.parallel.ep = 8;
    CHECK(of_block(experts).expert.value() == Approx(each.expert.value() / 8.0).epsilon(0.1));
}

TEST_CASE("Muon's update takes longer than AdamW's and its states less, embedding and head aside",
          "[orthogonalisation]") {
    const Job muon = job_of("llama-3.2-1b", 1, "pytorch", Optimizer::muon);
    const Job adamw = job_of("llama-3.2-1b", 1, "pytorch", Optimizer::adamw);
    CHECK(update(muon) > update(adamw));
    // One moment of 4 bytes less, but for the table that embedding and head share, and the last norm.
    const double vectors = 2048.0;
    const double parameters = static_cast<double>(parameter_count(muon.model).total);
    const double tables = 128256.0 * 2048.0 + vectors;
    CHECK(states(adamw) - states(muon) == Approx(4.0 * (parameters - tables)).epsilon(1e-6));
}
