#include <traincost/cost/flops.hpp>
#include <traincost/cost/params.hpp>
#include <traincost/io/catalogue.hpp>

#include <catch2/catch.hpp>

#include <cstdint>
#include <string_view>

using namespace traincost;

namespace {

Job job_of(std::string_view model, std::int64_t sequence) {
    const Catalogue catalogue;
    Job job{.model = catalogue.model(model),
            .cluster = catalogue.cluster("h100", 8).spec,
            .stack = catalogue.stack("megatron-core"),
            .run = {.sequence = sequence,
                    .micro_batch = 1,
                    .global_batch = 16,
                    .precision_name = "bf16-mixed",
                    .precision = *precision_from("bf16-mixed"),
                    .parallel = Parallelism{}}};
    job.run.parallel.dp = 8;
    return job;
}

double flops(const Job& job, FlopConvention convention) {
    return model_flops(job, convention).value();
}

}  // namespace

TEST_CASE("the inventory of GPT-3 with attention over all keys is Megatron's formula", "[flops]") {
    const Job job = job_of("gpt3-175b", 2048);
    CHECK(flops(job, FlopConvention::exact_full) ==
          Approx(flops(job, FlopConvention::megatron)).epsilon(1e-12));
}

TEST_CASE("without its vectors, a model's inventory is PaLM's 6N + 12LHQT a token", "[flops]") {
    for (const std::string_view name : {"gpt3-175b", "llama-3.1-70b", "palm-540b"}) {
        const Job job = job_of(name, 2048);
        const ModelSpec& m = job.model;
        const double tokens = 16.0 * 2048.0;
        const double attention = 12.0 * static_cast<double>(m.layers * m.heads * m.head_dim) * 2048.0;
        const double matrices = static_cast<double>(parameter_count(m).matrix_active);
        INFO(name);
        CHECK(flops(job, FlopConvention::exact_full) ==
              Approx((6.0 * matrices + attention) * tokens).epsilon(1e-12));
        // PaLM's N counts norms, biases and positions too: 2.3e-4 of GPT-3, less of the others.
        CHECK(flops(job, FlopConvention::palm) ==
              Approx(flops(job, FlopConvention::exact_full)).epsilon(3e-4));
    }
}

TEST_CASE("causal attention does half of full attention's work", "[flops]") {
    const Job job = job_of("llama-3.1-8b", 8192);
    const double full = flops(job, FlopConvention::exact_full);
    const double causal = flops(job, FlopConvention::exact);
    const double attention = 12.0 * 32.0 * 4096.0 * 8192.0 * 16.0 * 8192.0;
    CHECK(full - causal == Approx(attention / 2.0).epsilon(1e-9));
}

TEST_CASE("6ND takes every parameter, or one token's of a mixture", "[flops]") {
    CHECK(flops(job_of("llama-2-7b", 4096), FlopConvention::six_nd) ==
          Approx(6.0 * 6738415616.0 * 16.0 * 4096.0).epsilon(1e-15));
    CHECK(flops(job_of("mixtral-8x7b", 4096), FlopConvention::six_nd) ==
          Approx(6.0 * 12879925248.0 * 16.0 * 4096.0).epsilon(1e-15));
}

TEST_CASE("full recomputation runs the blocks' forward pass again", "[flops]") {
    Job job = job_of("llama-3.1-8b", 8192);
    CHECK(hardware_flops(job) == model_flops(job, FlopConvention::exact));
    job.run.recompute = Recompute::full;
    const double again = (hardware_flops(job) - model_flops(job, FlopConvention::exact)).value();
    const double head = 6.0 * 4096.0 * 128256.0 * 16.0 * 8192.0;
    CHECK(again == Approx((flops(job, FlopConvention::exact) - head) / 3.0).epsilon(1e-9));
}
