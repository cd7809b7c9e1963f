#include "traincost/spec/names.hpp"

#include "traincost/spec/network.hpp"

namespace traincost {

#define TRAINCOST_ENUM_NAMES(Enum, ...)                            \
    template <>                                                    \
    std::span<const std::string_view> enum_names<Enum>() {         \
        static constexpr std::string_view names[] = {__VA_ARGS__}; \
        return names;                                              \
    }

TRAINCOST_ENUM_NAMES(DataType, "fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "fp4", "int8", "nf4")
TRAINCOST_ENUM_NAMES(CastMode, "none", "autocast", "sharded")
TRAINCOST_ENUM_NAMES(Architecture, "decoder", "encoder", "encoder_decoder")
TRAINCOST_ENUM_NAMES(Activation, "gelu", "gelu_tanh", "gelu_new", "relu", "silu", "squared_relu", "gegelu",
                     "swiglu_clamped", "gelu_fast", "quick_gelu", "xielu")
TRAINCOST_ENUM_NAMES(PositionKind, "none", "rope", "learned", "alibi", "relative_bias", "t5_relative_bias",
                     "transformer_xl")
TRAINCOST_ENUM_NAMES(NormKind, "layernorm", "rmsnorm", "nonparametric")
TRAINCOST_ENUM_NAMES(NormPlacement, "pre", "post", "sandwich")
TRAINCOST_ENUM_NAMES(QkNorm, "none", "per_head", "full")
TRAINCOST_ENUM_NAMES(WindowKind, "sliding", "chunked", "block_sparse")
TRAINCOST_ENUM_NAMES(Mixer, "attention", "shared_attention", "recurrent", "both", "none")
TRAINCOST_ENUM_NAMES(Feed, "dense", "experts", "none")
TRAINCOST_ENUM_NAMES(RecurrentKind, "mamba", "mamba2", "gated_delta", "kimi_delta", "lightning", "gated_lru",
                     "short_convolution", "time_mixing")
TRAINCOST_ENUM_NAMES(Optimizer, "adamw", "adam8bit", "paged_adamw", "paged_adam8bit", "sgd", "sgd_momentum",
                     "adafactor", "lion", "muon")
TRAINCOST_ENUM_NAMES(Recompute, "none", "selective", "full")
TRAINCOST_ENUM_NAMES(AttentionKernel, "flash", "math")
TRAINCOST_ENUM_NAMES(Schedule, "gpipe", "1f1b", "interleaved", "zero_bubble", "dualpipe")
TRAINCOST_ENUM_NAMES(Offload, "none", "cpu", "nvme")
TRAINCOST_ENUM_NAMES(ContextKind, "ring", "all_to_all")
TRAINCOST_ENUM_NAMES(Tuning, "full", "lora", "qlora", "adapter")
TRAINCOST_ENUM_NAMES(NormKernel, "fused", "composite", "written-out")
TRAINCOST_ENUM_NAMES(RotaryKernel, "fused", "composite")
TRAINCOST_ENUM_NAMES(ActivationKernel, "fused", "eager")
TRAINCOST_ENUM_NAMES(BiasKernel, "fused", "gradient_apart", "apart")
TRAINCOST_ENUM_NAMES(LossKernel, "fp32_logits", "vocab_parallel", "fused_softmax", "fused_linear",
                     "logits_format", "chunked", "chunked_linear")
TRAINCOST_ENUM_NAMES(GradientStore, "parameter", "main_buffer")
TRAINCOST_ENUM_NAMES(ShardEngine, "none", "zero_redundancy", "deepspeed", "fsdp1", "fsdp2", "megatron", "xla")
TRAINCOST_ENUM_NAMES(Lack, "tp", "pp", "vp", "cp", "ep", "zero_beside_pp", "narrow_compile_sharded",
                     "narrow_recompute_sharded")
TRAINCOST_ENUM_NAMES(OptimizerKernel, "fused", "foreach", "per_tensor")
TRAINCOST_ENUM_NAMES(Fp8Scaling, "tensorwise", "rowwise", "blockwise")
TRAINCOST_ENUM_NAMES(LogitsPlace, "apart", "inside", "returned")
TRAINCOST_ENUM_NAMES(NarrowInput, "narrow", "compute")
TRAINCOST_ENUM_NAMES(Reshard, "always", "last_kept", "never")
TRAINCOST_ENUM_NAMES(TensorParallelKind, "megatron", "dtensor", "xla")
TRAINCOST_ENUM_NAMES(Topology, "switched", "host_bus", "full_mesh", "hybrid_cube_mesh", "torus_2d",
                     "torus_3d")

TRAINCOST_ENUM_NAMES(AttentionGeneration, "flash2", "flash3", "flash4", "memory_efficient", "flash_triton",
                     "flash_pallas", "flash_aiter", "math")

#undef TRAINCOST_ENUM_NAMES

}  // namespace traincost
