#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/base/error.hpp"

namespace traincost {

enum class Architecture : std::uint8_t { decoder, encoder, encoder_decoder };
enum class Activation : std::uint8_t {
    gelu,
    gelu_tanh,
    gelu_new,
    relu,
    silu,
    squared_relu,
    gegelu,
    swiglu_clamped,
    gelu_fast,   ///< as gelu_new, its cube written as products
    quick_gelu,  ///< x · sigmoid(1.702 x)
    xielu        ///< a trained square above zero, a trained exponential below
};
enum class PositionKind : std::uint8_t {
    none,
    rope,
    learned,
    alibi,
    relative_bias,
    t5_relative_bias,
    transformer_xl
};
enum class NormKind : std::uint8_t { layernorm, rmsnorm, nonparametric };
enum class NormPlacement : std::uint8_t { pre, post, sandwich };
enum class QkNorm : std::uint8_t { none, per_head, full };
enum class WindowKind : std::uint8_t { sliding, chunked, block_sparse };
/// What mixes the tokens of a layer: attention, attention with the keys and values of an earlier layer, a
/// mixer that keeps a state, such a mixer beside attention on the same input, or nothing.
enum class Mixer : std::uint8_t { attention, shared_attention, recurrent, both, none };
/// What follows the mixer in a layer.
enum class Feed : std::uint8_t { dense, experts, none };
enum class RecurrentKind : std::uint8_t {
    mamba,
    mamba2,
    gated_delta,
    kimi_delta,
    lightning,
    gated_lru,
    short_convolution,
    time_mixing
};

/// Positions: only `table_rows` and `bias_tables` carry parameters (transformer_xl adds hidden ×
/// heads·head_dim a layer).
struct PositionSpec {
    PositionKind kind;
    std::int64_t table_rows = 0;  ///< rows of a learned table
    double rope_fraction = 1.0;   ///< share of the head dimension that is rotated
    std::optional<double> rope_theta{};
    std::int64_t nope_every = 0;              ///< every n-th layer has no position encoding (0: none)
    std::vector<std::int64_t> bias_tables{};  ///< parameters of each relative-bias table (T5)
    bool operator==(const PositionSpec&) const = default;
};

struct NormSpec {
    NormKind kind;
    bool bias;               ///< LayerNorm bias vectors
    std::int64_t per_layer;  ///< hidden-size norms in one layer
    bool final_norm;         ///< norm before the head
    bool embedding_norm;     ///< norm after the embedding (BLOOM, BERT)
    QkNorm qk;               ///< norms on queries and keys
    NormPlacement placement;
    std::optional<bool> qk_bias{};  ///< bias of the q/k norms; as `bias` when absent
    bool fp32_scale = false;        ///< the trained scale multiplies fp32 values (Gemma)
    bool operator==(const NormSpec&) const = default;
};

struct BiasSpec {
    bool qkv;
    bool attention_out;
    bool mlp;
    bool lm_head;
    bool operator==(const BiasSpec&) const = default;
};

/// Local attention: `full_every` = k means every k-th layer attends to everything, 0 means every layer is
/// local.
struct WindowSpec {
    WindowKind kind;
    std::optional<std::int64_t> size{};  ///< tokens a query sees; absent where the source does not say
    std::int64_t full_every;
    bool operator==(const WindowSpec&) const = default;
};

/// Multi-head latent attention [DeepSeekV2].
struct MlaSpec {
    std::optional<std::int64_t> q_lora_rank{};  ///< absent: queries are projected directly
    std::int64_t kv_lora_rank;
    std::int64_t qk_nope_dim;
    std::int64_t qk_rope_dim;
    std::int64_t v_head_dim;
    bool operator==(const MlaSpec&) const = default;
};

/// Queries made of a latent with a norm, and an output whose groups of heads each pass a latent of their own
/// (DeepSeek-V4); keys are normed whole.
struct GroupedLatentSpec {
    std::int64_t query_rank;
    std::int64_t output_groups;
    std::int64_t output_rank;  ///< of each group
    bool operator==(const GroupedLatentSpec&) const = default;
};

/// Token indexer of DeepSeek sparse attention: scores keys with small heads and keeps `top_k` of them.
struct IndexerSpec {
    std::int64_t heads;
    std::int64_t head_dim;
    std::int64_t top_k;
    bool operator==(const IndexerSpec&) const = default;
};

/// A mixer whose state does not grow with the sequence. Its output is heads · head_dim wide.
struct RecurrentSpec {
    RecurrentKind kind;
    std::int64_t heads;       ///< of values; channels of mamba, short_convolution and time_mixing, blocks of
                              ///< gated_lru
    std::int64_t head_dim;    ///< width of a head's values; 1 for channels
    std::int64_t groups;      ///< heads of keys; groups of B and C (mamba2)
    std::int64_t state;       ///< width of a key; state size of mamba and mamba2
    std::int64_t kernel;      ///< tokens of the causal convolution before it; 0: none
    std::int64_t rank = 0;    ///< of the time step (mamba), of the gates (kimi_delta)
    std::int64_t chunk = 64;  ///< tokens that the training kernel takes as one block of products
    bool projection_bias = false;
    bool convolution_bias = false;
    bool norm = true;  ///< on the gated output; of mamba on time step, B and C
    bool operator==(const RecurrentSpec&) const = default;
};

/// Mixture of experts, where `ModelSpec::feeds` does not name the expert layers: layer i is an expert layer
/// when i >= first_k_dense and (i + 1 - first_k_dense) % interleave_step == 0.
struct MoeSpec {
    std::int64_t experts;
    std::int64_t top_k;
    std::int64_t ffn;  ///< width of one expert
    std::int64_t first_k_dense = 0;
    std::int64_t interleave_step = 1;
    std::int64_t shared_experts = 0;
    std::int64_t shared_ffn = 0;  ///< total width of the shared experts
    bool shared_gate = false;     ///< a hidden-size gate on the shared output
    bool router_bias = false;
    bool score_correction_bias = false;  ///< one per expert, counted as parameters
    bool expert_bias = false;
    std::optional<std::int64_t> dense_residual_ffn{};  ///< dense MLP beside the experts (Arctic)
    std::optional<bool> gated{};                       ///< experts' MLP when it differs from the dense one
    std::optional<std::int64_t> latent{};  ///< experts read and write a projection of this width (Nemotron 3)
    bool operator==(const MoeSpec&) const = default;
};

/// Multi-token-prediction module as DeepSeek-V3 stores it.
struct MtpSpec {
    std::int64_t layers;
    bool embedding_copy;
    bool head_copy;
    bool operator==(const MtpSpec&) const = default;
};

/// How a layer differs from the model's others; what is absent is as in them.
struct LayerShape {
    std::optional<std::int64_t> heads{};
    std::optional<std::int64_t> kv_heads{};
    std::optional<std::int64_t> head_dim{};
    std::optional<std::int64_t> value_dim{};
    std::optional<std::int64_t> ffn{};
    std::optional<std::int64_t> attention_input{};
    std::optional<bool> keys_are_values{};
    bool repeated = false;  ///< an earlier layer's weights serve here again
    bool operator==(const LayerShape&) const = default;
};

/// Anything else that holds parameters, named with its count.
struct ExtraParameters {
    std::string what;
    std::int64_t count;
    bool operator==(const ExtraParameters&) const = default;
};

/// A transformer's shape: everything that decides parameter counts, FLOPs and activations. Counts are of
/// elements.
struct ModelSpec {
    std::string name;
    std::string family;
    Architecture architecture;
    std::int64_t layers;  ///< decoder layers; encoder layers of an encoder or encoder-decoder
    std::int64_t hidden;
    std::int64_t heads;
    std::int64_t kv_heads;
    std::int64_t head_dim;  ///< with MLA: qk_nope_dim + qk_rope_dim
    std::int64_t ffn;       ///< width of one matrix of the dense MLP
    bool gated_mlp;         ///< three matrices (SwiGLU, GeGLU) instead of two
    Activation activation;
    std::int64_t vocab;  ///< rows of the embedding table as stored
    bool tied_embeddings;
    PositionSpec position;
    NormSpec norm;
    BiasSpec bias;
    bool parallel_attention = false;  ///< attention and MLP read the same input
    bool fused_qkv = false;  ///< the model's own code has one projection for q, k and v, whatever the stack
    bool attention_gate = false;          ///< a gate as wide as the queries multiplies attention's output
    bool keys_are_values = false;         ///< one projection makes both
    bool attention_softcap = false;       ///< scores are bounded by a tanh before their softmax (Gemma 2)
    bool logits_softcap = false;          ///< and logits before the loss
    bool merged_cross_attention = false;  ///< a decoder's own attention reads the encoder's output too
    bool lm_head = true;
    bool masked_lm = false;  ///< an encoder is trained under a dense layer, a norm and its table: operators
                             ///< of a head that no count of parameters has
    std::int64_t decoder_layers = 0;  ///< encoder-decoder only
    std::optional<std::int64_t> max_position{};
    std::optional<std::int64_t>
        embedding_dim{};  ///< where the table is narrower than hidden (two projections without bias)
    std::optional<std::int64_t> value_dim{};        ///< of a head's values, where not as wide as its keys
    std::optional<std::int64_t> attention_input{};  ///< width that queries, keys and values are made of,
                                                    ///< where it is not hidden
    std::int64_t token_types = 0;                   ///< rows of a token-type table (BERT)
    std::int64_t attention_sinks = 0;               ///< learned softmax sinks a layer
    std::optional<WindowSpec> window{};
    std::optional<MoeSpec> moe{};
    std::optional<MlaSpec> mla{};
    std::optional<GroupedLatentSpec> grouped_latent{};
    std::optional<IndexerSpec> indexer{};
    std::optional<MtpSpec> mtp{};
    std::optional<RecurrentSpec> recurrent{};
    std::vector<Mixer> mixers{};       ///< one a layer of a decoder; empty: attention in all
    std::vector<Feed> feeds{};         ///< one a layer of a decoder; empty: experts as `moe` says, else dense
    std::vector<LayerShape> shapes{};  ///< layers that differ from the others
    std::vector<std::int64_t> layer_shapes{};  ///< one a layer: 0 as the model, n as the n-th of `shapes`;
                                               ///< empty: all as the model
    std::vector<ExtraParameters> extra{};
    std::vector<ExtraParameters> towers{};  ///< encoders of other inputs and their projectors; in no total
    bool operator==(const ModelSpec&) const = default;
};

/// Appends every problem of the model's own fields; paths start with "model.".
void validate(const ModelSpec& model, std::vector<Problem>& problems);

/// What mixes the tokens of layer `index` (0-based), and what follows it.
Mixer mixer_of(const ModelSpec& model, std::int64_t index);
Feed feed_of(const ModelSpec& model, std::int64_t index);

/// Kinds of layer that one model may have: mixers, what follows them, windows and shapes together.
inline constexpr std::size_t most_layer_kinds = 16;

/// Width of a head's values.
inline std::int64_t value_width(const ModelSpec& model) {
    return model.value_dim.value_or(model.head_dim);
}

/// Whether the last layer's output is made as narrow as the embedding again: all but bare encoders.
inline bool projects_out(const ModelSpec& model) {
    return model.lm_head || model.architecture != Architecture::encoder;
}

/// Whether it is trained on tokens it predicts: by a head of its own, or by that of a masked language model.
inline bool makes_logits(const ModelSpec& model) {
    return model.lm_head || model.masked_lm;
}

/// Which of `shapes` layer `index` (0-based, an encoder-decoder's encoder first) has, from 1 on; 0: the
/// model's own.
std::int64_t layer_shape_of(const ModelSpec& model, std::int64_t index);

/// The model with the sizes of the `shape`-th of its shapes.
ModelSpec shaped_model(const ModelSpec& model, std::int64_t shape);

/// Whether layers are listed one by one.
bool has_listed_layers(const ModelSpec& model);

/// Whether some layer has attention, a mixer that keeps a state, a dense MLP.
bool has_attention(const ModelSpec& model);
bool has_recurrence(const ModelSpec& model);
bool has_dense_mlp(const ModelSpec& model);

/// Layers with attention, of encoder and decoder together.
std::int64_t attention_layers(const ModelSpec& model);

/// Whether decoder layer `index` (0-based) holds experts.
bool is_moe_layer(const ModelSpec& model, std::int64_t index);

/// Number of expert layers.
std::int64_t moe_layers(const ModelSpec& model);

/// Tokens a query of layer `index` may see when the sequence has `sequence` tokens: the window, or the
/// sequence; 0 where the layer has no attention.
std::int64_t attention_span(const ModelSpec& model, std::int64_t index, std::int64_t sequence);

}  // namespace traincost
