#include "traincost/spec/run.hpp"

#include <algorithm>

#include "traincost/spec/check.hpp"

namespace traincost {

std::int64_t micro_batches(const RunSpec& run) {
    const std::int64_t per_pass = run.micro_batch * run.parallel.dp;
    return std::max<std::int64_t>(1, (run.global_batch + per_pass - 1) / per_pass);
}

bool goes_by_chunks(LossKernel loss) {
    return loss == LossKernel::chunked || loss == LossKernel::chunked_linear ||
           loss == LossKernel::fused_linear;
}

bool RecomputeModules::*recompute_module(std::string_view name) {
    struct Name {
        std::string_view name;
        bool RecomputeModules::*module;
    };
    // Megatron-Core's --recompute-modules and torchtitan's selective_ac_option beside the fields' names.
    static constexpr Name names[] = {{"core_attention", &RecomputeModules::core_attention},
                                     {"core_attn", &RecomputeModules::core_attention},
                                     {"norm", &RecomputeModules::norm},
                                     {"layernorm", &RecomputeModules::norm},
                                     {"activation", &RecomputeModules::activation},
                                     {"moe_act", &RecomputeModules::activation},
                                     {"mlp", &RecomputeModules::mlp},
                                     {"moe", &RecomputeModules::moe},
                                     {"mla_up", &RecomputeModules::mla_up},
                                     {"mla_up_proj", &RecomputeModules::mla_up},
                                     {"per_op", &RecomputeModules::per_op},
                                     {"op", &RecomputeModules::per_op},
                                     {"all_but_attention", &RecomputeModules::all_but_attention}};
    for (const Name& n : names) {
        if (n.name == name)
            return n.module;
    }
    return nullptr;
}

bool CompiledParts::*compiled_part(std::string_view name) {
    struct Name {
        std::string_view name;
        bool CompiledParts::*part;
    };
    // torchtitan's --compile.components beside the fields' names.
    static constexpr Name names[] = {{"attention", &CompiledParts::attention},
                                     {"mlp", &CompiledParts::mlp},
                                     {"feed_forward", &CompiledParts::mlp},
                                     {"norms", &CompiledParts::norms},
                                     {"loss", &CompiledParts::loss}};
    for (const Name& n : names) {
        if (n.name == name)
            return n.part;
    }
    return nullptr;
}

namespace {

constexpr std::int64_t largest_data_degree = std::int64_t{1} << 24;
constexpr std::int64_t largest_batch = std::int64_t{1} << 32;
constexpr std::int64_t largest_sequence = std::int64_t{1} << 32;
constexpr double most_tokens = 0x1p40;  // of a micro-batch
constexpr std::int64_t largest_rank = std::int64_t{1} << 16;

}  // namespace

void validate(const RunSpec& r, std::vector<Problem>& problems) {
    Checker check(problems, "run.");
    check.count("sequence", r.sequence, largest_sequence);
    check.count("micro_batch", r.micro_batch, largest_batch);
    check.count("global_batch", r.global_batch, largest_batch);
    if (static_cast<double>(r.micro_batch) * static_cast<double>(r.sequence) > most_tokens)
        check.add("micro_batch", "times sequence is more than 2^40 tokens");
    const Parallelism& p = r.parallel;
    check.count("parallel.tp", p.tp, largest_degree);
    check.count("parallel.pp", p.pp, largest_degree);
    check.count("parallel.vp", p.vp, largest_degree);
    check.count("parallel.dp", p.dp, largest_data_degree);
    check.count("parallel.cp", p.cp, largest_degree);
    check.count("parallel.ep", p.ep, largest_degree);
    if (p.etp)
        check.count("parallel.etp", *p.etp, largest_degree);
    if (p.hybrid_shard)
        check.count("parallel.hybrid_shard", *p.hybrid_shard, largest_data_degree);
    if (p.zero < 0 || p.zero > 3)
        check.add("parallel.zero", std::to_string(p.zero) + "; must be 0, 1, 2 or 3");
    if (p.vp > 1 && p.pp == 1)
        check.add("parallel.vp", std::to_string(p.vp) + "; virtual stages need pp > 1");
    check.count("recompute_every", r.recompute_every, largest_degree * largest_degree);
    if (r.recompute_layers)
        check.between("recompute_layers", *r.recompute_layers, 0, largest_degree * largest_degree);
    check.count("packed_length", r.packed_length, largest_sequence);
    check.count("padded_length", r.padded_length, largest_sequence);
    if (r.padded_length && *r.padded_length > r.sequence)
        check.add("padded_length", "is more than the longest sequence");
    check.count("loss_chunks", r.loss_chunks, largest_sequence);
    check.count("kept_blocks", r.kept_blocks, largest_degree * largest_degree);
    check.count("mlp_tiles", r.mlp_tiles, largest_sequence);
    check.between("frozen_layers", r.frozen_layers, 0, largest_degree * largest_degree);
    check.in_range("offload_activations", r.offload_activations, 0.0, 1.0);
    if (!(r.headroom >= 0.0 && r.headroom < 1.0))
        check.add("headroom", "leaves no memory; allowed: 0 to less than 1");
    if (r.attention_generation == AttentionGeneration::math)
        check.add("attention_generation", "math is not a flash kernel; set attention to math instead");
    if (r.dropout)
        check.in_range("dropout", *r.dropout, 0.0, 1.0);
    check.in_range("expert_imbalance", r.expert_imbalance, 1.0, 1e6);
    constexpr double far = 1e3;
    if (r.host_speed)
        check.in_range("host_speed", *r.host_speed, 1.0 / far, far);
    check.positive("tokens", r.tokens, 1e18);
    check.count("adapter.rank", r.adapter.rank, largest_rank);
    check.in_range("adapter.dropout", r.adapter.dropout, 0.0, 1.0);
    if (r.tuning == Tuning::qlora && !r.precision.base) {
        check.add("tuning", "is qlora, but precision '" + elided(r.precision_name, 60) +
                                "' has no quantised base; allowed: nf4-base, nf4-base-fp16, nf4-base-amp, "
                                "nf4-base-fp32, or tuning lora");
    }
}

}  // namespace traincost
