#include "support/search_jobs.hpp"

namespace search_jobs {

using namespace traincost;
using namespace traincost::literals;

ModelSpec gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab) {
    return {.name = "gpt",
            .family = "test",
            .architecture = Architecture::decoder,
            .layers = layers,
            .hidden = hidden,
            .heads = heads,
            .kv_heads = heads,
            .head_dim = hidden / heads,
            .ffn = 4 * hidden,
            .gated_mlp = false,
            .activation = Activation::gelu,
            .vocab = vocab,
            .tied_embeddings = true,
            .position = {.kind = PositionKind::rope},
            .norm = {.kind = NormKind::layernorm,
                     .bias = true,
                     .per_layer = 2,
                     .final_norm = true,
                     .embedding_norm = false,
                     .qk = QkNorm::none,
                     .placement = NormPlacement::pre},
            .bias = {.qkv = true, .attention_out = true, .mlp = true, .lm_head = false}};
}

ModelSpec mixture(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t experts) {
    ModelSpec m = gpt(layers, hidden, heads);
    m.moe = MoeSpec{.experts = experts, .top_k = 2, .ffn = hidden, .first_k_dense = 1};
    return m;
}

ModelSpec deepseek_v3() {
    ModelSpec m = gpt(61, 7168, 128, 129280);
    m.name = "deepseek-v3";
    m.head_dim = 192;
    m.ffn = 18432;
    m.gated_mlp = true;
    m.activation = Activation::silu;
    m.tied_embeddings = false;
    m.norm.kind = NormKind::rmsnorm;
    m.norm.bias = false;
    m.bias = {.qkv = false, .attention_out = false, .mlp = false, .lm_head = false};
    m.mla = MlaSpec{
        .q_lora_rank = 1536, .kv_lora_rank = 512, .qk_nope_dim = 128, .qk_rope_dim = 64, .v_head_dim = 128};
    m.moe = MoeSpec{
        .experts = 256, .top_k = 8, .ffn = 2048, .first_k_dense = 3, .shared_experts = 1, .shared_ffn = 2048};
    return m;
}

ClusterSpec cluster(std::int64_t count, double memory_GB) {
    AcceleratorSpec a{.id = "round",
                      .aliases = {},
                      .vendor = "test",
                      .architecture = "Ampere GA100",
                      .memory = Bytes{memory_GB * 1e9},
                      .memory_usable = std::nullopt,
                      .memory_bandwidth = 2_TBps,
                      .peak = {},
                      .vector_fp32 = 20_TFLOPs,
                      .compute_units = 108,
                      .clock_hz = 1.41e9,
                      .l2 = 40_MB,
                      .scale_up = AcceleratorLink{.type = "NVLink 3", .per_direction = 300_GBps},
                      .pcie = std::nullopt,
                      .tdp_w = 400.0,
                      .price = std::nullopt,
                      .provenance = {}};
    a.peak[static_cast<std::size_t>(DataType::bf16)] = 300_TFLOPs;
    return {.id = "round",
            .aliases = {},
            .provider = "test",
            .accelerator = a,
            .kernels = {},
            .accelerators = count,
            .per_node = 8,
            .network = {},
            .host = {},
            .prices = {{"test", "on-demand", 16_USD, true, "", "", ""}},
            .node_power_w = 5000.0,
            .provenance = {}};
}

StackSpec stack() {
    return {.id = "round",
            .aliases = {},
            .title = "",
            .norm = NormKernel::fused,
            .rotary = RotaryKernel::fused,
            .activation = ActivationKernel::fused,
            .attention = AttentionKernel::flash,
            .fused_qkv = true,
            .fused_gate_up = true,
            .bias_dropout_fused = true,
            .dropout = 0.0,
            .sequence_parallel = true,
            .save_sharded_input = true,
            .compile = false,
            .amp = CastMode::none,
            .loss = LossKernel::vocab_parallel,
            .vocab_parallel = true,
            .vocab_multiple = 128,
            .logits_copies_fp32 = 1.0,
            .gradients = GradientStore::main_buffer,
            .shard = ShardEngine::megatron,
            .optimizer = OptimizerKernel::fused,
            .optimizer_temporary_copies = 0.0,
            .gradient_bucket = 160_MB,
            .bucket_copies = 1.0,
            .prefetched_blocks = 1,
            .pipeline = Schedule::one_f_one_b,
            .overlap_grad_reduce = true,
            .overlap_param_gather = true,
            .tp_overlap = 0.0,
            .ep_overlap = 0.0,
            .overlap_p2p = false,
            .reduce_every_micro_batch = false,
            .tensor_parallel = TensorParallelKind::megatron,
            .host_per_kernel = 5_us,
            .host_per_step = 10_ms,
            .cuda_graphs = false,
            .gemm_factor = 1.0,
            .fragmentation = 0.05,
            .context = 1_GB,
            .per_communicator = 100_MB,
            .workspace = 32_MiB,
            .provenance = {}};
}

RunSpec run(std::int64_t sequence, std::int64_t global_batch) {
    return {.sequence = sequence,
            .micro_batch = 1,
            .global_batch = global_batch,
            .precision_name = "bf16-mixed",
            .precision = *precision_from("bf16-mixed"),
            .parallel = {},
            .recompute_modules = {},
            .recompute_layers = {},
            .attention = {},
            .schedule = {},
            .adapter = {},
            .compile = {},
            .dropout = {},
            .tokens = {}};
}

SearchRequest request(const ModelSpec& model, const ClusterSpec& cluster, const RunSpec& run) {
    SearchRequest r{.model = model, .run = run, .sites = {}};
    const Job job{model, cluster, stack(), run};
    r.sites.push_back({cluster, stack(), full_space(job)});
    return r;
}

}  // namespace search_jobs
