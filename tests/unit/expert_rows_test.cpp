// What expert layers written operator by operator run beside their products: kernel times on one H200.

#include <array>
#include <string_view>

#include <catch2/catch.hpp>

#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/kernels/bandwidth.hpp>
#include <traincost/cost/ops.hpp>
#include <traincost/io/catalogue.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// A layer's shape and the milliseconds measured around its grouped products, torch 2.11, 2026-11-27.
struct MeasuredLayer {
    std::int64_t tokens, hidden, top_k, experts, ffn;
    double forward_ms, backward_ms;
};

Job mixture(std::string_view stack, const MeasuredLayer& layer) {
    const Catalogue catalogue;
    Job job{catalogue.model("qwen3-30b-a3b"), catalogue.cluster("h200", 1).spec, catalogue.stack(stack),
            search_jobs::run(layer.tokens, 1)};
    job.model.hidden = layer.hidden;
    job.model.moe->top_k = layer.top_k;
    job.model.moe->experts = layer.experts;
    job.model.moe->ffn = layer.ffn;
    job.run.micro_batch = 1;
    job.run.precision_name = "bf16-pure";
    job.run.precision = *precision_from("bf16-pure");
    return job;
}

/// Milliseconds forward and backward of the kernels that move the rows of routed tokens.
std::array<double, 2> around_products(const Job& job) {
    const BandwidthModel model = *bandwidth_model(job.cluster.accelerator, job.cluster.kernels);
    std::array<double, 2> sum{};
    for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, true, 2048.0)) {
        if (op.name != "permute" && op.name != "expert_rows" && op.name != "combine_weighted")
            continue;
        sum[0] += memory_time(op.forward_bytes, op.forward_access, model).value() * 1e3;
        sum[1] += memory_time(op.backward_bytes, op.backward_access, model).value() * 1e3;
    }
    return sum;
}

/// Each layer within two fifths, all of them together within a tenth.
void compare(std::string_view stack, const std::array<MeasuredLayer, 4>& layers) {
    std::array<double, 2> ratio{};
    for (const MeasuredLayer& layer : layers) {
        const std::array<double, 2> predicted = around_products(mixture(stack, layer));
        CHECK(predicted[0] == Approx(layer.forward_ms).epsilon(0.4));
        CHECK(predicted[1] == Approx(layer.backward_ms).epsilon(0.4));
        ratio[0] += predicted[0] / layer.forward_ms / 4.0;
        ratio[1] += predicted[1] / layer.backward_ms / 4.0;
    }
    CHECK(ratio[0] == Approx(1.0).epsilon(0.1));
    CHECK(ratio[1] == Approx(1.0).epsilon(0.1));
}

}  // namespace

TEST_CASE("rows of routed tokens take what plain PyTorch's operators take", "[ops]") {
    compare("pytorch", {{{49152, 2048, 8, 16, 768, 9.91, 7.15},
                         {8192, 2048, 8, 128, 768, 1.88, 1.78},
                         {8192, 4096, 2, 8, 14336, 1.07, 1.14},
                         {16384, 2048, 6, 64, 1408, 2.56, 2.17}}});
}

TEST_CASE("rows that are padded and weighted in fp32 take twice as long", "[ops]") {
    compare("torchtitan@2025", {{{49152, 2048, 8, 16, 768, 15.1, 18.6},
                                 {8192, 2048, 8, 128, 768, 2.61, 4.77},
                                 {8192, 4096, 2, 8, 14336, 1.28, 2.38},
                                 {16384, 2048, 6, 64, 1408, 3.94, 5.83}}});
}

TEST_CASE("compilation fuses what moves routed rows only where it covers the dispatch", "[ops]") {
    const MeasuredLayer layer{8192, 2048, 8, 128, 768, 0.0, 0.0};
    for (const std::string_view stack : {"pytorch", "torchtitan@2025"}) {
        Job job = mixture(stack, layer);
        const double eager = around_products(job)[0];
        job.run.compile = true;
        CHECK((around_products(job)[0] < eager) == job.stack.experts.compiles_rows);
    }
}

TEST_CASE("what an exchange of tokens returns is kept or exchanged again", "[ops]") {
    const Catalogue catalogue;
    const auto kept = [&](std::string_view stack) {
        Job job{catalogue.model("qwen3-30b-a3b"), catalogue.cluster("h200", 8).spec, catalogue.stack(stack),
                search_jobs::run(8192, 8)};
        job.run.parallel.dp = 8;
        job.run.parallel.ep = 8;
        job.run.micro_batch = 1;
        job.run.recompute = Recompute::selective;
        double bytes = 0.0;
        bool again = false;
        for (const Operator& op : layer_ops(job, shape_of(job), Side::decoder, true, 2048.0)) {
            if (op.name != "dispatch" && op.name != "combine")
                continue;
            bytes += op.cached.value();
            again |= op.selective;
        }
        CHECK(again == (bytes == 0.0));
        return bytes;
    };
    CHECK(kept("torchtitan") == Approx(2.0 * 8192.0 * 8.0 * 2048.0 * 2.0));
    CHECK(kept("torchtitan@2025") == 0.0);
}
