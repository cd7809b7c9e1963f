#include "traincost/fit/records/flop_definition.hpp"

#include <catch2/catch.hpp>

using namespace traincost;

namespace {

void check(std::string_view words, FlopCount count, RecomputeCount recompute) {
    INFO(words);
    const auto definition = flop_definition_from(words);
    REQUIRE(definition);
    CHECK(definition->count == count);
    CHECK(definition->recompute == recompute);
}

}  // namespace

TEST_CASE("the words of every source's FLOP definition are understood", "[flops][records]") {
    using enum FlopCount;
    using enum RecomputeCount;
    check("6*params*tokens (hardware, params-only; no attention term)", six_nd, never);
    check("8*params*tokens (hardware, params-only)", six_nd, always);
    check("old estimate: 8*params*tokens (full-recompute hardware FLOPs, params-only)", six_nd, always);
    check("Megatron SC21 hardware FLOPs incl. full activation recompute (factor 4), full attention + logits",
          megatron, always);
    check("Megatron hardware FLOPs incl. full recompute", megatron, always);
    check("hardware FLOPs incl. recompute: 96*B*s*l*h^2*(1+s/6h+V/(16lh))", megatron, always);
    check("hardware FLOPs incl. full recompute (SC21 formula); days = for 300B tokens", megatron, always);
    check(
        "hardware FLOPs when Activation Ckpt is on (Megatron SC21 formula, factor 4 instead of 3), model "
        "FLOPs "
        "otherwise",
        megatron, as_run);
    check(
        "model FLOPs; MFU printed against dense peak; formula in README notes uses full (non-causal) "
        "attention",
        exact_full, never);
    check(
        "model FLOPs: 3*(2*N_params*T + L*4*d*T^2 per seq), N includes embedding, attention NOT halved for "
        "causality; peak 989.4 (H100) / 312 (A100)",
        six_nd_full, never);
    check("MaxText model TFLOPs (matmuls + attention), peak v5p 459", exact_full, never);
    check("MaxText TFLOP/s/device: model FLOPs 6N + 12*L*h*s attention not halved (older tags)", exact_full,
          never);
    check(
        "model FLOPs (Megatron-Bridge formula: causal attention halved, MoE active params, MTP layer "
        "included)",
        exact, never);
    check("NVIDIA model FLOPs", exact_full, never);
    check("nanotron model FLOPs, full attention", exact_full, never);
    check("nanotron model FLOPs: 6*(matmul params incl. LM head) + 12*L*h*s full attention per token", palm,
          never);
}

TEST_CASE("a source that defines no FLOPs gets no definition", "[flops][records]") {
    CHECK_FALSE(flop_definition_from("none printed; step time only"));
    CHECK_FALSE(flop_definition_from(""));
}
