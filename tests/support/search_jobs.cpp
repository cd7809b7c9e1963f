#include "support/search_jobs.hpp"

#include <traincost/io/catalogue.hpp>

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
    static const Catalogue catalogue;
    ClusterSpec c = catalogue.cluster("dgx-a100-80gb", count).spec;
    c.accelerator.memory = Bytes{memory_GB * 1e9};
    c.accelerator.memory_usable.reset();
    NodePrice price{};
    price.amount = 16_USD;
    price.per_hour = true;
    price.kind = "on-demand";
    c.prices = {price};
    c.node_power_w = 5000.0;
    c.host.launch_speed.reset();
    return c;
}

StackSpec stack() {
    StackSpec s{};
    s.id = "round";
    s.layer.norm = NormKernel::fused;
    s.layer.rotary = RotaryKernel::fused;
    s.layer.activation = ActivationKernel::fused;
    s.layer.written_out_gelu = false;
    s.layer.inplace_backward = false;
    s.attention.repeats_kv = false;
    s.attention.copies_layout = false;
    s.narrow.quantised_head = false;
    s.narrow.quantised_keeps_inputs = false;
    s.states.flat_optimizer = false;
    s.states.flat_gradient_copies = 0.0;
    s.states.root_sharded_apart = false;
    s.attention.kernel = AttentionKernel::flash;
    s.layer.fused_qkv = true;
    s.layer.fused_gate_up = true;
    s.layer.bias = BiasKernel::fused;
    s.layer.bias_dropout_fused = true;
    s.layer.dropout = 0.0;
    s.layer.sequence_parallel = true;
    s.layer.save_sharded_input = true;
    s.layer.compile = false;
    s.states.amp = CastMode::none;
    s.head.loss = LossKernel::vocab_parallel;
    s.head.loss_chunks = 8;
    s.head.vocab_parallel = true;
    s.head.vocab_multiple = 128;
    s.head.metric_losses = 0.0;
    s.head.logits_copies_fp32 = 1.0;
    s.states.gradients = GradientStore::main_buffer;
    s.states.shard = ShardEngine::megatron;
    s.states.optimizer = OptimizerKernel::fused;
    s.states.optimizer_temporary_copies = 0.0;
    s.traffic.gradient_bucket = 160_MB;
    s.traffic.bucket_copies = 1.0;
    s.traffic.buckets_kept = false;
    s.states.prefetched_blocks = 1;
    s.pipeline.schedule = Schedule::one_f_one_b;
    s.traffic.overlap_grad_reduce = true;
    s.traffic.overlap_param_gather = true;
    s.traffic.tp_overlap = 0.0;
    s.experts.overlap = 0.0;
    s.pipeline.overlap_p2p = false;
    s.traffic.reduce_every_micro_batch = false;
    s.traffic.replicas_reduce_every_micro_batch = false;
    s.states.sharded_autocast = false;
    s.narrow.head = false;
    s.traffic.broadcasts_updates = false;
    s.traffic.sharded_messages = 1.0;
    s.host.per_block_slice = Seconds{};
    s.layer.tensor_parallel = TensorParallelKind::megatron;
    s.host.per_kernel = 5_us;
    s.host.per_step = 10_ms;
    s.host.cuda_graphs = false;
    s.experts.token_dispatch = false;
    s.experts.dispatch_permutes = false;
    s.experts.launch = Seconds{};
    s.experts.clamped_glu_passes = 0.0;
    s.experts.walks = 0.0;
    s.attention.compiled_mask = false;
    s.attention.ring_merge_bytes = 0.0;
    s.attention.compiled_ring_merge_bytes = 0.0;
    s.attention.compiled_ring_waits = false;
    s.attention.ring_launches = 4.0;
    s.attention.ring_gathers = false;
    s.attention.ring_sends_gradients = false;
    s.traffic.overlap_slowdown = 0.0;
    s.layer.recompute_stops_early = false;
    s.narrow.quantise_bytes = 0.0;
    s.device.gemm_factor = 1.0;
    s.device.fragmentation = 0.05;
    s.device.context = 1_GB;
    s.device.per_communicator = 100_MB;
    s.device.workspace = 32_MiB;
    return s;
}

RunSpec run(std::int64_t sequence, std::int64_t global_batch) {
    RunSpec r{};
    r.sequence = sequence;
    r.micro_batch = 1;
    r.global_batch = global_batch;
    r.precision_name = "bf16-mixed";
    r.precision = *precision_from("bf16-mixed");
    return r;
}

SearchRequest request(const ModelSpec& model, const ClusterSpec& cluster, const RunSpec& run) {
    SearchRequest r{.model = model, .run = run, .sites = {}};
    const Job job{model, cluster, stack(), run};
    r.sites.push_back({cluster, stack(), full_space(job)});
    r.sites.back().space.offload = {{}};  // a dimension of its own test
    return r;
}

}  // namespace search_jobs
