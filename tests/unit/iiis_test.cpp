// The figures that the IIIS-Turing calculator prints, from its screenshot, its tables and its HEAD.

#include "traincost/methods/iiis.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "traincost/base/error.hpp"
#include "traincost/methods/printed.hpp"

using namespace traincost;

namespace {

/// The screenshot's inputs: an RTX 3090, LLAMA-7B, a network of 100 Gbit/s.
IiisInput screenshot(double bus_GBps) {
    IiisGpu gpu = iiis_gpu("3090");
    gpu.bus_GBps = bus_GBps;
    return {.gpu = gpu,
            .model = iiis_model("LLAMA-7B"),
            .network_Gbps = 100,
            .minibatch = 32,
            .microbatch = 2,
            .tp = 4,
            .pp = 2,
            .dp = 2,
            .million_tokens = 100,
            .epochs = 2,
            .recompute = Recompute::full};
}

double gib(double bytes) {
    return bytes / (1024.0 * 1024.0 * 1024.0);
}

/// `x` printed to `decimals` is `printed`.
bool prints(double x, double printed, int decimals) {
    return std::abs(x - printed) <= 0.5 * std::pow(10.0, -decimals) * (1 + 1e-9);
}

}  // namespace

TEST_CASE("IIIS: parameters of every model of its table", "[iiis]") {
    CHECK(iiis_parameters(iiis_model("LLAMA-7B")).total == 6590955520);
    CHECK(iiis_parameters(iiis_model("LLAMA-13B")).total == 12768747520);
    CHECK(iiis_parameters(iiis_model("LLAMA-32B")).total == 32139933696);
    CHECK(iiis_parameters(iiis_model("LLAMA-65B")).total == 64723484672);
    CHECK(iiis_parameters(iiis_model("LLaMA2 70B")).total == 64723484672);
    CHECK(iiis_parameters(iiis_model("Gpt3")).total == 174594797568);
    CHECK(iiis_parameters(iiis_model("GPT-3 Small")).total == 125150976);
    CHECK(iiis_parameters(iiis_model("GPT-3 Medium")).total == 254968832);
    CHECK(iiis_parameters(iiis_model("GPT-3 Large")).total == 533448192);
    CHECK(iiis_parameters(iiis_model("GPT-3 XL")).total == 1315325952);
    CHECK(iiis_parameters(iiis_model("GPT-32.7B")).total == 2650892800);
    CHECK(iiis_parameters(iiis_model("GPT-3 2.7B")).total == 2650892800);
    CHECK(iiis_parameters(iiis_model("GPT-3 175B")).total == 174594797568);
    CHECK(iiis_parameters(iiis_model("GPT-3 6.7B")).total == 6657347584);
    CHECK(iiis_parameters(iiis_model("GPT-3 13B")).total == 12951283700);
}

TEST_CASE("IIIS: every number of its screenshot", "[iiis]") {
    const IiisResult r = iiis(screenshot(32));
    CHECK(prints(gib(r.memory.optimizer_states), 9.21, 2));
    CHECK(prints(gib(r.memory.weights), 1.53, 2));
    CHECK(prints(gib(r.memory.gradients), 1.53, 2));
    CHECK(gib(r.memory.activation) == 8);
    CHECK(prints(gib(r.memory.overall), 20.28, 2));
    CHECK_FALSE(r.memory.out_of_memory);
    CHECK(r.computation.per_device_layers == 16);
    CHECK(r.computation.micro_batches == 16);
    CHECK(prints(r.computation.forward, 6.00, 2));
    CHECK(prints(r.computation.backward, 12.00, 2));
    CHECK(prints(r.computation.loop_forward, 0.023435, 6));
    CHECK(prints(r.computation.loop_backward, 0.046869, 6));
    CHECK(prints(r.communication.forward_allgather, 8.59, 2));
    CHECK(prints(r.communication.backward_reduce_scatter, 8.59, 2));
    CHECK(prints(r.communication.loop_forward_allgather, 0.033554, 6));
    CHECK(prints(r.communication.p2p, 0.171799, 6));
    CHECK(prints(r.communication.loop_p2p, 0.010737, 6));
    CHECK(prints(r.communication.embedding_allreduce, 0.005243, 6));
    CHECK(prints(r.communication.gradient_allreduce, 1.05, 2));
    CHECK(prints(r.timeline.warmup, 0.911823, 6));
    CHECK(prints(r.timeline.forward, 0.911823, 6));
    CHECK(prints(r.timeline.backward, 1.07, 2));
    CHECK(prints(r.timeline.cooldown, 1.07, 2));
    CHECK(prints(r.timeline.iteration, 34.81, 2));
    CHECK(prints(r.timeline.allreduce, 1.06, 2));
    CHECK(prints(r.total.seconds, 26561.28, 2));
    CHECK(std::floor(r.total.iterations) ==
          762);  // the screenshot's 48828 is an older build's count of samples
    CHECK(prints(r.total.iterations, 762.939, 3));
    CHECK(r.total.gpus == 16);
    CHECK(r.recommended.tp == 5);
    CHECK(r.recommended.pp == 2);
    CHECK(r.recommended.microbatch == 4);
}

TEST_CASE("IIIS: the same with its HEAD's bus", "[iiis]") {
    const IiisResult r = iiis(screenshot(64));
    CHECK(prints(r.timeline.iteration, 24.745757, 6));
    CHECK(prints(r.total.seconds, 18879.514667, 6));
    CHECK(r.recommended.tp == 8);
    CHECK(r.recommended.pp == 2);
    CHECK(r.recommended.microbatch == 4);
}

TEST_CASE("IIIS: recommended tensor parallelism of every GPU and model", "[iiis]") {
    const auto row = [](std::string_view gpu) {
        std::vector<std::int64_t> out;
        for (const IiisModel& model : iiis_models()) {
            out.push_back(iiis_recommended_tensor(iiis_gpu(gpu), model));
        }
        return out;
    };
    //                7B 13B 32B 65B 70B 175B Small Medium Large XL 2.7B 6.7B 13B 175B
    CHECK(row("A100") == std::vector<std::int64_t>{8, 8, 8, 8, 8, 8, 6, 8, 8, 8, 8, 8, 8, 8});
    for (const std::string_view gpu : {"H100", "H200", "3090"}) {
        CHECK(row(gpu) == std::vector<std::int64_t>{8, 8, 8, 8, 8, 8, 2, 2, 4, 5, 6, 8, 8, 8});
    }
    CHECK(row("4090") == std::vector<std::int64_t>{4, 5, 7, 8, 8, 8, 1, 1, 1, 2, 2, 4, 5, 8});
}

TEST_CASE("IIIS: recommended pipeline stages, absurd ones too", "[iiis]") {
    const auto row = [](std::string_view gpu, std::string_view model) {
        std::vector<std::int64_t> out;
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            const std::int64_t tp = iiis_recommended_tensor(iiis_gpu(gpu), iiis_model(model));
            out.push_back(iiis_recommended_pipeline(iiis_gpu(gpu), iiis_model(model), 32, recompute, tp));
        }
        return out;
    };
    using Row = std::vector<std::int64_t>;
    CHECK(row("A100", "LLAMA-7B") == Row{0, 2, 1});
    CHECK(row("A100", "LLAMA-65B") == Row{0, 0, 3});
    CHECK(row("A100", "Gpt3") == Row{0, -1, 6});
    CHECK(row("A100", "GPT-3 6.7B") == Row{0, 1, 1});
    CHECK(row("4090", "LLAMA-7B") == Row{0, 0, 2});
    CHECK(row("4090", "LLAMA-65B") == Row{0, 0, 52});
    CHECK(row("4090", "Gpt3") == Row{0, -1, 75});
}

TEST_CASE("IIIS: numbers tied between two decimals print as JavaScript's toFixed does", "[iiis]") {
    CHECK(fixed_text(2.125, 2) == "2.13");
    CHECK(fixed_text(2.135, 2) == "2.13");  // below the tie in binary
    CHECK(fixed_text(12.0, 2) == "12.00");
}

TEST_CASE("IIIS: its own checks refuse what does not divide", "[iiis]") {
    IiisInput input = screenshot(64);
    input.microbatch = 3;
    input.pp = 5;
    CHECK_THROWS_WITH(iiis(input), Catch::Contains("does not divide the minibatch size(32)") &&
                                       Catch::Contains("does not divide the number of model layers(32)"));
    CHECK_THROWS_WITH(iiis_gpu("H10"), Catch::Contains("did you mean 'H100'?"));
}
