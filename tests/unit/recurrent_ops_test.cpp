// Mixers that keep a state: FLOPs by hand, and what must be true of every job with them.
#include <traincost/cost/blocks.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/cost/flops.hpp>
#include <traincost/cost/ops.hpp>
#include <traincost/import/hf/hf_config.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// Small configurations, one or more of each kind of mixer.
const std::vector<std::string>& configurations() {
    static const std::vector<std::string> all = {
        R"({"model_type": "mamba", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024})",
        R"({"model_type": "mamba2", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_heads": 8, "head_dim": 16, "n_groups": 2, "state_size": 32, "chunk_size": 16})",
        R"({"model_type": "jamba", "hidden_size": 64, "num_hidden_layers": 8, "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "num_experts": 4, "intermediate_size": 128})",
        R"({"model_type": "nemotron_h", "hidden_size": 64, "hybrid_override_pattern": "M-*EM*E-", "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 16, "intermediate_size": 128,
            "mamba_num_heads": 8, "mamba_head_dim": 16, "n_groups": 4, "ssm_state_size": 32,
            "n_routed_experts": 4, "moe_intermediate_size": 64, "moe_shared_expert_intermediate_size": 64,
            "moe_latent_size": 32})",
        R"({"model_type": "falcon_h1", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "intermediate_size": 128, "mamba_d_ssm": 128,
            "mamba_n_heads": 8, "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 32})",
        R"({"model_type": "granitemoehybrid", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "layer_types": ["mamba", "attention", "mamba", "mamba"], "num_attention_heads": 8,
            "num_key_value_heads": 4, "intermediate_size": 64, "num_local_experts": 4, "mamba_n_heads": 8,
            "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 32})",
        R"({"model_type": "qwen3_next", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 16, "num_experts": 8,
            "num_experts_per_tok": 2, "moe_intermediate_size": 64, "shared_expert_intermediate_size": 64,
            "linear_num_key_heads": 4, "linear_num_value_heads": 8, "linear_key_head_dim": 8,
            "linear_value_head_dim": 16})",
        R"({"model_type": "kimi_linear", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_attention_heads": 8, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16,
            "kv_lora_rank": 32, "intermediate_size": 128, "num_experts": 8, "num_experts_per_token": 2,
            "moe_intermediate_size": 64,
            "linear_attn_config": {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 8,
                                   "head_dim": 16, "short_conv_kernel_size": 4}})",
        R"({"model_type": "minimax", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 16, "intermediate_size": 64,
            "num_local_experts": 4})",
        R"({"model_type": "lfm2", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "intermediate_size": 128, "full_attn_idxs": [2]})",
        R"({"model_type": "recurrent_gemma", "hidden_size": 64, "num_hidden_layers": 6, "vocab_size": 1024,
            "num_attention_heads": 8, "intermediate_size": 128})",
        R"({"model_type": "rwkv", "hidden_size": 64, "num_hidden_layers": 4, "vocab_size": 1024})",
        R"({"model_type": "gemma3n_text", "hidden_size": 64, "num_hidden_layers": 10, "vocab_size": 1024,
            "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 16, "intermediate_size": 128,
            "num_kv_shared_layers": 4, "vocab_size_per_layer_input": 1024, "hidden_size_per_layer_input": 16})"};
    return all;
}

Job job_of(const std::string& config, std::int64_t accelerators = 8) {
    Job job{read_hf_config(parse_json(config, "config.json")).model, search_jobs::cluster(accelerators),
            search_jobs::stack(), search_jobs::run(256, 16)};
    job.run.parallel = Parallelism{};
    job.run.parallel.dp = accelerators;
    return job;
}

/// Forward FLOPs of a token in one layer that has a mixer and no MLP or attention.
double mixer_flops(const Job& job) {
    double flops = 0.0;
    for (const Operator& op :
         layer_ops(job, shape_of(job), Side::decoder, false, 0.0, Mixer::recurrent, false))
        flops += op.forward_flops.value();
    return flops / shape_of(job).tokens;
}

bool finite(const Estimate& e) {
    bool all =
        std::isfinite(e.step.total.value()) && e.step.total.value() > 0.0 && std::isfinite(e.throughput.mfu);
    for (const StageMemory& stage : e.stages)
        all = all && std::isfinite(stage.device.value()) && stage.device.value() > 0.0;
    return all;
}

bool problem_says(const Job& job, const std::string& part) {
    for (const Problem& problem : validate(job)) {
        if ((problem.path + " " + problem.message).find(part) != std::string::npos)
            return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a Mamba-2 mixer's FLOPs are those of its projections and of chunks", "[recurrent]") {
    // h = 64; H = 8 heads of P = 16, G = 2 groups of N = 32, chunks of Q = 16 tokens.
    // In: 2 · 128 + 2 · 64 + 8 columns; out: 128 rows; scan: Q N G + Q P H + 4 N P H.
    const double scan = 16 * 32 * 2 + 16 * 16 * 8 + 4 * 32 * 16 * 8;
    CHECK(mixer_flops(job_of(configurations()[1])) == Approx(2 * 64 * 392 + 2 * 128 * 64 + scan));
}

TEST_CASE("a gated delta net's FLOPs are those of the WY form", "[recurrent]") {
    // h = 64; 8 heads of dv = 16, 4 of keys of dk = 8, chunks of C = 64.
    const double in = 2 * 64 * (2 * 128 + 2 * 32 + 2 * 8);
    const double scan = 8 * (64 * (3 * 8 + 2 * 16) + 64.0 * 64.0 / 3.0 + 6 * 8 * 16);
    CHECK(mixer_flops(job_of(configurations()[6])) == Approx(in + 2 * 128 * 64 + scan));
}

TEST_CASE("lightning attention's FLOPs are those of blocks and states", "[recurrent]") {
    // h = 64; 8 heads of 16, blocks of 256 tokens.
    const double scan = 8 * (256 * (16 + 16) + 4 * 16 * 16);
    CHECK(mixer_flops(job_of(configurations()[8])) == Approx(2 * 64 * 4 * 128 + 2 * 128 * 64 + scan));
}

TEST_CASE("time mixing's FLOPs are those of its products and three multiply-adds a channel", "[recurrent]") {
    // h = w = 64: receptance, keys, values and output, and the receptance of the channel mixing after it.
    CHECK(mixer_flops(job_of(configurations()[11])) == Approx(2 * 64 * 64 * 5 + 6 * 64));
}

TEST_CASE("the FLOPs of a mixer that keeps a state grow with the sequence in proportion", "[recurrent]") {
    Job job = job_of(configurations()[1]);
    const double before = step_flops(job).model.value();
    job.run.sequence *= 4;
    CHECK(step_flops(job).model.value() == Approx(4 * before));
}

TEST_CASE("the operators multiply every matrix that the layers hold", "[recurrent]") {
    for (const std::string& config : configurations()) {
        CAPTURE(config);
        const Job job = job_of(config);
        const auto ops = std::make_unique<BlockOps>();
        fill_ops(job, shape_of(job), *ops);
        double multiplied = 0.0;
        double held = 0.0;
        for (std::int64_t i = 0; i < block_count(job.model); ++i) {
            for (const Operator& op : ops->blocks[kind_of(job, *ops, i)])
                multiplied += op.weights;
            for (const WeightTensor& tensor : layer_weights(job.model, layer_kind(job.model, i)))
                held += tensor.matrix ? static_cast<double>(elements(tensor)) : 0.0;
        }
        // The gate of a shared expert, one column, has no operator.
        const bool gated = job.model.moe && job.model.moe->shared_gate;
        const double gates = gated ? static_cast<double>(job.model.hidden * moe_layers(job.model)) : 0.0;
        CHECK(multiplied + gates == Approx(held));
    }
}

TEST_CASE("jobs of several mixers have finite answers, and sharding takes memory away", "[recurrent]") {
    for (const std::string& config : configurations()) {
        CAPTURE(config);
        Job job = job_of(config);
        REQUIRE(validate(job).empty());
        double before = 0.0;
        for (const std::int64_t zero : {0, 1, 2, 3}) {
            job.run.parallel.zero = zero;
            const Estimate e = estimate(job);
            CHECK(finite(e));
            const double states = e.stages.front().device.value();
            CHECK((zero == 0 || states <= before * 1.0001));
            before = states;
        }
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
            job.run.recompute = recompute;
            CHECK(finite(estimate(job)));
        }
        job.run.recompute = Recompute::none;
        job.run.parallel.zero = 0;
        const Bytes alone = estimate(job).stages.front()[MemoryTerm::optimizer_states];
        job.run.parallel.dp = 4;
        job.run.parallel.tp = 2;
        REQUIRE(validate(job).empty());
        const Estimate halved = estimate(job);
        CHECK(finite(halved));
        CHECK(halved.stages.front()[MemoryTerm::optimizer_states] < alone);
    }
}

TEST_CASE("tensor and context parallelism must divide the heads of a mixer that keeps a state",
          "[recurrent]") {
    Job job = job_of(configurations()[1], 16);
    job.run.parallel.dp = 1;
    job.run.parallel.tp = 16;
    CHECK(problem_says(job, "does not divide model.recurrent.heads = 8"));
    job.run.parallel.tp = 4;
    job.run.parallel.cp = 4;
    CHECK(problem_says(job, "model.recurrent.heads (tp*cp) = 8"));
    job.run.parallel.cp = 2;
    job.run.parallel.dp = 2;
    CHECK(validate(job).empty());
    CHECK(finite(estimate(job)));
    job.model.recurrent->groups = 1;
    CHECK(validate(job).empty());  // every rank repeats the one group
}

TEST_CASE("lists of layers must fit the model", "[recurrent]") {
    Job job = job_of(configurations()[3]);
    const ModelSpec whole = job.model;
    job.model.mixers.pop_back();
    CHECK(problem_says(job, "has 7 entries; must have one for each of the 8 layers"));
    job.model = whole;
    job.model.recurrent.reset();
    CHECK(problem_says(job, "model.mixers has recurrent layers"));
    job.model = whole;
    job.model.moe.reset();
    CHECK(problem_says(job, "model.feeds has expert layers"));
    job.model = whole;
    job.model.ffn = 0;
    CHECK(problem_says(job, "need the width of their MLP"));
}
