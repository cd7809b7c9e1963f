#include "traincost/cost/params.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace traincost {

namespace {

/// Appends tensors to a list; one call a tensor, so that a layer reads as its inventory.
class Inventory {
public:
    /// A projection rows × columns whose `parts` pieces tp divides.
    void projection(std::string_view name, Module module, Split split, std::int64_t rows,
                    std::int64_t columns, std::int64_t parts) {
        push({name, module, split, true, rows, columns, parts, 1, 1});
    }

    /// A vector or table that does not multiply activations.
    void lookup(std::string_view name, Module module, Split split, std::int64_t rows, std::int64_t columns,
                std::int64_t parts) {
        push({name, module, split, false, rows, columns, parts, 1, 1});
    }

    /// The weight and bias of `rows` norms of `width`; every rank keeps them whole.
    void norm(std::string_view name, Module module, std::int64_t rows, std::int64_t width, bool bias) {
        lookup(name, module, Split::replicated, rows * (bias ? 2 : 1), width, 1);
    }

    void push(const WeightTensor& tensor) {
        if (tensor.rows > 0 && tensor.columns > 0) {
            list_.items[list_.size++] = tensor;
        }
    }

    const WeightList& list() const {
        return list_;
    }

private:
    WeightList list_;
};

/// q, k, v and output projections with their biases; the same for self and cross attention.
void push_attention_projections(Inventory& inventory, const ModelSpec& m, bool cross, bool own_keys) {
    constexpr auto attention = Module::attention;
    const std::int64_t query = m.heads * m.head_dim;
    const std::int64_t key = own_keys ? m.kv_heads * m.head_dim : 0;
    if (m.attention_gate && !cross) {
        inventory.projection("attention.output_gate", attention, Split::tensor, m.hidden, query, m.heads);
    }
    inventory.projection(cross ? "cross_attention.query" : "attention.query", attention, Split::tensor,
                         m.hidden, query, m.heads);
    inventory.projection(cross ? "cross_attention.key" : "attention.key", attention, Split::tensor, m.hidden,
                         key, m.kv_heads);
    inventory.projection(cross ? "cross_attention.value" : "attention.value", attention, Split::tensor,
                         m.hidden, key, m.kv_heads);
    inventory.projection(cross ? "cross_attention.out" : "attention.out", attention, Split::tensor, query,
                         m.hidden, m.heads);
    if (m.bias.qkv && m.attention_gate && !cross) {
        inventory.lookup("attention.output_gate_bias", attention, Split::tensor, 1, query, m.heads);
    }
    if (m.bias.qkv) {
        inventory.lookup(cross ? "cross_attention.query_bias" : "attention.query_bias", attention,
                         Split::tensor, 1, query, m.heads);
        inventory.lookup(cross ? "cross_attention.key_value_bias" : "attention.key_value_bias", attention,
                         Split::tensor, 2, key, m.kv_heads);
    }
    if (m.bias.attention_out) {
        inventory.lookup(cross ? "cross_attention.out_bias" : "attention.out_bias", attention,
                         Split::replicated, 1, m.hidden, 1);
    }
}

// Queries and keys-values pass through low-rank latents, each with a norm; keys get a shared rotary part
// beside the latent. [DeepSeekV2, Eq. 9-19, 37-47]
void push_latent_attention(Inventory& inventory, const ModelSpec& m) {
    constexpr auto attention = Module::attention;
    const MlaSpec& mla = *m.mla;
    const std::int64_t query = m.heads * (mla.qk_nope_dim + mla.qk_rope_dim);
    if (mla.q_lora_rank) {
        inventory.projection("attention.query_down", attention, Split::replicated, m.hidden, *mla.q_lora_rank,
                             1);
        inventory.norm("attention.query_latent_norm", attention, 1, *mla.q_lora_rank, false);
        inventory.projection("attention.query_up", attention, Split::tensor, *mla.q_lora_rank, query,
                             m.heads);
        if (m.bias.qkv) {
            inventory.lookup("attention.query_down_bias", attention, Split::replicated, 1, *mla.q_lora_rank,
                             1);
        }
    } else {
        inventory.projection("attention.query", attention, Split::tensor, m.hidden, query, m.heads);
    }
    inventory.projection("attention.key_value_down", attention, Split::replicated, m.hidden,
                         mla.kv_lora_rank + mla.qk_rope_dim, 1);
    inventory.norm("attention.key_value_latent_norm", attention, 1, mla.kv_lora_rank, false);
    inventory.projection("attention.key_value_up", attention, Split::tensor, mla.kv_lora_rank,
                         m.heads * (mla.qk_nope_dim + mla.v_head_dim), m.heads);
    inventory.projection("attention.out", attention, Split::tensor, m.heads * mla.v_head_dim, m.hidden,
                         m.heads);
    if (m.bias.qkv) {
        inventory.lookup("attention.key_value_down_bias", attention, Split::replicated, 1,
                         mla.kv_lora_rank + mla.qk_rope_dim, 1);
    }
    if (m.bias.attention_out) {
        inventory.lookup("attention.out_bias", attention, Split::replicated, 1, m.hidden, 1);
    }
}

// Small query heads from the query latent, one shared key with a LayerNorm, one weight a head.
//   [DeepSeekV32, Eq. 1]
void push_indexer(Inventory& inventory, const ModelSpec& m) {
    constexpr auto attention = Module::attention;
    const IndexerSpec& indexer = *m.indexer;
    const std::int64_t input = m.mla && m.mla->q_lora_rank ? *m.mla->q_lora_rank : m.hidden;
    inventory.projection("indexer.query", attention, Split::replicated, input,
                         indexer.heads * indexer.head_dim, 1);
    inventory.projection("indexer.key", attention, Split::replicated, m.hidden, indexer.head_dim, 1);
    inventory.norm("indexer.key_norm", attention, 1, indexer.head_dim, true);
    inventory.projection("indexer.head_weights", attention, Split::replicated, m.hidden, indexer.heads, 1);
}

void push_query_key_norms(Inventory& inventory, const ModelSpec& m, bool own_keys) {
    if (m.norm.kind == NormKind::nonparametric) {
        return;
    }
    const bool bias = m.norm.qk_bias.value_or(m.norm.bias);
    if (m.norm.qk == QkNorm::per_head) {
        inventory.norm("attention.query_key_norm", Module::attention, own_keys ? 2 : 1, m.head_dim, bias);
    } else if (m.norm.qk == QkNorm::full) {
        const std::int64_t rows = bias ? 2 : 1;
        inventory.lookup("attention.query_norm", Module::attention, Split::tensor, rows, m.heads * m.head_dim,
                         m.heads);
        inventory.lookup("attention.key_norm", Module::attention, Split::tensor, own_keys ? rows : 0,
                         m.kv_heads * m.head_dim, m.kv_heads);
    }
}

void push_attention(Inventory& inventory, const ModelSpec& m, bool own_keys) {
    if (m.mla) {
        push_latent_attention(inventory, m);
    } else {
        push_attention_projections(inventory, m, false, own_keys);
    }
    if (m.indexer) {
        push_indexer(inventory, m);
    }
    push_query_key_norms(inventory, m, own_keys);
    if (m.position.kind == PositionKind::transformer_xl) {
        // Projects the relative encodings, once a sequence and not a token.             [Dai19, §3.3]
        inventory.lookup("attention.relative", Module::attention, Split::tensor, m.hidden,
                         m.heads * m.head_dim, m.heads);
    }
    inventory.lookup("attention.sinks", Module::attention, Split::tensor, 1, m.attention_sinks,
                     m.attention_sinks);
}

/// The tensors of a mixer that keeps a state. Projections are divided by head, or by channel; what all heads
/// of a group read (mamba's step and B and C) is divided by its input or repeated.
class RecurrentInventory {
public:
    RecurrentInventory(Inventory& inventory, const ModelSpec& m)
        : inventory_(inventory),
          m_(m),
          r_(*m.recurrent),
          width_(r_.heads * r_.head_dim),
          keys_(r_.groups * r_.state) {
    }

    void push() {
        switch (r_.kind) {
            case RecurrentKind::mamba:
                return push_mamba();
            case RecurrentKind::mamba2:
                return push_mamba2();
            case RecurrentKind::gated_delta:
                return push_gated_delta();
            case RecurrentKind::kimi_delta:
                return push_kimi_delta();
            case RecurrentKind::lightning:
                return push_lightning();
            case RecurrentKind::gated_lru:
                return push_gated_lru();
            case RecurrentKind::short_convolution:
                return push_short_convolution();
        }
    }

private:
    static constexpr auto mixer = Module::recurrent;

    /// Projections of the input: `of_heads` columns divided by head, `of_groups` by head of keys.
    void in(std::int64_t of_heads, std::int64_t of_groups) {
        inventory_.projection("recurrent.in", mixer, Split::tensor, m_.hidden, of_heads, r_.heads);
        inventory_.projection("recurrent.keys", mixer, Split::tensor, m_.hidden, of_groups, r_.groups);
        if (r_.projection_bias) {
            inventory_.lookup("recurrent.in_bias", mixer, Split::tensor, 1, of_heads, r_.heads);
            inventory_.lookup("recurrent.keys_bias", mixer, Split::tensor, 1, of_groups, r_.groups);
        }
    }

    void out() {
        inventory_.projection("recurrent.out", mixer, Split::tensor, width_, m_.hidden, r_.heads);
        if (r_.projection_bias)
            inventory_.lookup("recurrent.out_bias", mixer, Split::replicated, 1, m_.hidden, 1);
    }

    void convolution(std::int64_t of_groups) {
        const std::int64_t rows = r_.kernel > 0 ? r_.kernel + (r_.convolution_bias ? 1 : 0) : 0;
        inventory_.lookup("recurrent.convolution", mixer, Split::tensor, rows, width_, r_.heads);
        inventory_.lookup("recurrent.keys_convolution", mixer, Split::tensor, rows, of_groups, r_.groups);
    }

    void of_heads(std::string_view name, std::int64_t rows, std::int64_t columns) {
        inventory_.lookup(name, mixer, Split::tensor, rows, columns, r_.heads);
    }

    // [Gu23, Alg. 2]
    void push_mamba() {
        in(2 * width_, 0);
        convolution(0);
        inventory_.projection("recurrent.step_and_keys", mixer, Split::tensor, width_, r_.rank + 2 * r_.state,
                              r_.heads);
        inventory_.projection("recurrent.step", mixer, Split::tensor, r_.rank, width_, r_.heads);
        of_heads("recurrent.step_bias", 1, width_);
        of_heads("recurrent.decay", r_.state, width_);
        of_heads("recurrent.skip", 1, width_);
        if (r_.norm)
            inventory_.norm("recurrent.norms", mixer, 1, r_.rank + 2 * r_.state, false);
        out();
    }

    // [Dao24, §8]
    void push_mamba2() {
        in(2 * width_ + r_.heads, 2 * keys_);
        convolution(2 * keys_);
        of_heads("recurrent.step_decay_and_skip", 3, r_.heads);
        if (r_.norm)
            of_heads("recurrent.norm", 1, width_);
        out();
    }

    // [Yang24]
    void push_gated_delta() {
        in(2 * width_ + 2 * r_.heads, 2 * keys_);
        convolution(2 * keys_);
        of_heads("recurrent.step_and_decay", 2, r_.heads);
        if (r_.norm)
            inventory_.norm("recurrent.norm", mixer, 1, r_.head_dim, false);
        out();
    }

    // Gates of keys and of the output pass through `rank`.                              [Kimi25, §3]
    void push_kimi_delta() {
        in(width_ + r_.heads, 2 * keys_);
        convolution(2 * keys_);
        inventory_.projection("recurrent.gates_down", mixer, Split::replicated, m_.hidden, 2 * r_.rank, 1);
        inventory_.projection("recurrent.forget_up", mixer, Split::tensor, r_.rank, keys_, r_.groups);
        inventory_.projection("recurrent.gate_up", mixer, Split::tensor, r_.rank, width_, r_.heads);
        of_heads("recurrent.step_bias", 1, keys_);
        of_heads("recurrent.decay", 1, r_.heads);
        if (r_.norm)
            inventory_.norm("recurrent.norm", mixer, 1, r_.head_dim, false);
        out();
    }

    // [MiniMax25, §2.2]
    void push_lightning() {
        in(2 * width_, 2 * keys_);
        if (r_.norm)
            of_heads("recurrent.norm", 1, width_);
        out();
    }

    // [De24, §2.4]
    void push_gated_lru() {
        in(2 * width_, 0);
        convolution(0);
        inventory_.projection("recurrent.gates", mixer, Split::tensor, r_.head_dim, 2 * width_, r_.heads);
        of_heads("recurrent.gate_biases_and_decay", 3, width_);
        out();
    }

    void push_short_convolution() {
        in(3 * width_, 0);
        convolution(0);
        out();
    }

    Inventory& inventory_;
    const ModelSpec& m_;
    const RecurrentSpec& r_;
    std::int64_t width_;
    std::int64_t keys_;
};

/// Names of one MLP's tensors.
struct MlpNames {
    std::string_view gate, up, down, up_bias, down_bias;
};

void push_mlp(Inventory& inventory, const MlpNames& names, Module module, std::int64_t hidden,
              std::int64_t width, bool gated, bool bias) {
    if (gated) {
        inventory.projection(names.gate, module, Split::tensor, hidden, width, width);
    }
    inventory.projection(names.up, module, Split::tensor, hidden, width, width);
    inventory.projection(names.down, module, Split::tensor, width, hidden, width);
    if (bias) {
        inventory.lookup(names.up_bias, module, Split::tensor, gated ? 2 : 1, width, width);
        inventory.lookup(names.down_bias, module, Split::replicated, 1, hidden, 1);
    }
}

void push_experts(Inventory& inventory, const ModelSpec& m) {
    const MoeSpec& moe = *m.moe;
    const bool gated = moe.gated.value_or(m.gated_mlp);
    const std::int64_t wide = moe.latent.value_or(m.hidden);
    inventory.projection("router", Module::router, Split::replicated, m.hidden, moe.experts, 1);
    if (moe.latent) {
        inventory.projection("experts.latent_down", Module::experts, Split::replicated, m.hidden, wide, 1);
        inventory.projection("experts.latent_up", Module::experts, Split::replicated, wide, m.hidden, 1);
    }
    if (moe.router_bias) {
        inventory.lookup("router.bias", Module::router, Split::replicated, 1, moe.experts, 1);
    }
    if (moe.score_correction_bias) {
        inventory.lookup("router.score_correction_bias", Module::router, Split::replicated, 1, moe.experts,
                         1);
    }
    const auto expert = [&](std::string_view name, bool matrix, std::int64_t rows, std::int64_t columns,
                            std::int64_t parts) {
        inventory.push(
            {name, Module::experts, Split::expert, matrix, rows, columns, parts, moe.experts, moe.top_k});
    };
    if (gated) {
        expert("experts.gate", true, wide, moe.ffn, moe.ffn);
    }
    expert("experts.up", true, wide, moe.ffn, moe.ffn);
    expert("experts.down", true, moe.ffn, wide, moe.ffn);
    if (moe.expert_bias) {
        expert("experts.up_bias", false, gated ? 2 : 1, moe.ffn, moe.ffn);
        expert("experts.down_bias", false, 1, wide, 1);
    }
    if (moe.shared_ffn > 0) {
        push_mlp(inventory,
                 {"shared_experts.gate", "shared_experts.up", "shared_experts.down", "shared_experts.up_bias",
                  "shared_experts.down_bias"},
                 Module::shared_experts, m.hidden, moe.shared_ffn, gated, moe.expert_bias);
    }
    if (moe.shared_gate) {
        inventory.projection("shared_experts.output_gate", Module::shared_experts, Split::replicated,
                             m.hidden, 1, 1);
    }
    if (moe.dense_residual_ffn) {
        push_mlp(inventory, {"mlp.gate", "mlp.up", "mlp.down", "mlp.up_bias", "mlp.down_bias"}, Module::mlp,
                 m.hidden, *moe.dense_residual_ffn, m.gated_mlp, m.bias.mlp);
    }
}

bool has_parameters(const NormSpec& norm) {
    return norm.kind != NormKind::nonparametric;
}

/// Expert layers among the first `count` layers of one stack.
std::int64_t expert_layers_before(const ModelSpec& m, std::int64_t count) {
    if (!m.moe) {
        return 0;
    }
    return std::max<std::int64_t>(0, (count - m.moe->first_k_dense) / m.moe->interleave_step);
}

/// Appends the kinds of layers first … last - 1 of one stack.
void push_kinds(LayerKinds& kinds, const ModelSpec& m, Side side, std::int64_t first, std::int64_t last) {
    if (last <= first) {
        return;
    }
    const std::int64_t expert = expert_layers_before(m, last) - expert_layers_before(m, first);
    const std::int64_t dense = last - first - expert;
    if (dense > 0) {
        kinds.items[kinds.size++] = {side, false, dense};
    }
    if (expert > 0) {
        kinds.items[kinds.size++] = {side, true, expert};
    }
}

/// Appends the kinds of layers first … last - 1 of a decoder whose layers are listed one by one.
void push_listed_kinds(LayerKinds& kinds, const ModelSpec& m, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
        const Feed feed = feed_of(m, i);
        const LayerKind one{Side::decoder, feed == Feed::experts, 1, mixer_of(m, i), feed != Feed::none};
        const auto end = kinds.items.begin() + static_cast<std::ptrdiff_t>(kinds.size);
        const auto same = std::find_if(kinds.items.begin(), end, [&](const LayerKind& kind) {
            return kind.moe == one.moe && kind.mixer == one.mixer && kind.mlp == one.mlp;
        });
        if (same == end) {
            kinds.items[kinds.size++] = one;
        } else {
            ++same->count;
        }
    }
}

/// The sums a parameter count is made of, gathered list by list.
struct Tally {
    ParameterCount count{};

    void add(const WeightList& weights, std::int64_t times) {
        for (const WeightTensor& tensor : weights) {
            const std::int64_t one = tensor.rows * tensor.columns * times;
            const std::int64_t stored = one * tensor.copies;
            count.total += stored;
            count.active += one * std::min(tensor.copies, tensor.active_copies);
            count.by_module[static_cast<std::size_t>(tensor.module)] += stored;
            if (tensor.matrix) {
                count.matrix_active += one * tensor.active_copies;
                if (tensor.split == Split::vocabulary) {
                    count.embedding += stored;
                }
            }
        }
    }
};

std::int64_t stored_elements(const WeightList& weights) {
    std::int64_t sum = 0;
    for (const WeightTensor& tensor : weights) {
        sum += elements(tensor);
    }
    return sum;
}

std::int64_t token_table_elements(const ModelSpec& m) {
    return m.vocab * m.embedding_dim.value_or(m.hidden);
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

/// Elements of one copy on the rank with most of the `parts` when `degree` ranks share them.
std::int64_t shard(const WeightTensor& tensor, std::int64_t degree) {
    return tensor.rows * tensor.columns / tensor.parts * ceil_divide(tensor.parts, degree);
}

void add(ShardedCount& sum, const ShardedCount& term, std::int64_t times = 1) {
    const auto n = static_cast<double>(times);
    sum.dense += n * term.dense;
    sum.expert += n * term.expert;
    sum.replicated += n * term.replicated;
}

}  // namespace

std::string_view to_string(Module module) {
    constexpr std::array<std::string_view, module_count> names = {
        "embedding", "position",       "norm", "attention", "mlp",   "router",
        "experts",   "shared_experts", "head", "mtp",       "extra", "recurrent"};
    return names[static_cast<std::size_t>(module)];
}

LayerKinds layer_kinds(const ModelSpec& model) {
    return layer_kinds(model, 0, block_count(model));
}

LayerKinds layer_kinds(const ModelSpec& model, std::int64_t first, std::int64_t count) {
    LayerKinds kinds{};
    const std::int64_t last = first + count;
    if (!model.mixers.empty() || !model.feeds.empty()) {
        push_listed_kinds(kinds, model, first, last);
        return kinds;
    }
    if (model.architecture == Architecture::decoder) {
        push_kinds(kinds, model, Side::decoder, first, last);
        return kinds;
    }
    push_kinds(kinds, model, Side::encoder, first, std::min(last, model.layers));
    push_kinds(kinds, model, Side::cross_decoder, std::max<std::int64_t>(0, first - model.layers),
               last - model.layers);
    return kinds;
}

std::int64_t block_count(const ModelSpec& model) {
    return model.architecture == Architecture::encoder_decoder ? model.layers + model.decoder_layers
                                                               : model.layers;
}

LayerKind layer_kind(const ModelSpec& model, std::int64_t index) {
    return layer_kinds(model, index, 1).items[0];
}

WeightList layer_weights(const ModelSpec& model, const LayerKind& kind) {
    return layer_weights(model, kind.side, kind.moe, kind.mixer, kind.mlp);
}

WeightList layer_weights(const ModelSpec& model, Side side, bool moe, Mixer mixer, bool mlp) {
    Inventory inventory;
    if (mixer == Mixer::recurrent || mixer == Mixer::both) {
        RecurrentInventory(inventory, model).push();
    }
    if (mixer != Mixer::recurrent && mixer != Mixer::none) {
        push_attention(inventory, model, mixer != Mixer::shared_attention);
    }
    if (side == Side::cross_decoder) {
        push_attention_projections(inventory, model, true, true);
    }
    if (moe) {
        push_experts(inventory, model);
    } else if (mlp) {
        push_mlp(inventory, {"mlp.gate", "mlp.up", "mlp.down", "mlp.up_bias", "mlp.down_bias"}, Module::mlp,
                 model.hidden, model.ffn, model.gated_mlp, model.bias.mlp);
    }
    if (has_parameters(model.norm)) {
        const std::int64_t norms = model.norm.per_layer + (side == Side::cross_decoder ? 1 : 0);
        inventory.norm("layer_norms", Module::norm, norms, model.hidden, model.norm.bias);
    }
    return inventory.list();
}

WeightList embedding_weights(const ModelSpec& model) {
    Inventory inventory;
    const std::int64_t width = model.embedding_dim.value_or(model.hidden);
    inventory.lookup("embedding", Module::embedding, Split::vocabulary, model.vocab, width, model.vocab);
    if (model.embedding_dim) {
        inventory.projection("embedding.project_in", Module::embedding, Split::replicated, width,
                             model.hidden, 1);
    }
    inventory.lookup("position", Module::position, Split::replicated, model.position.table_rows, model.hidden,
                     1);
    const auto& tables = model.position.bias_tables;
    inventory.lookup("position.bias_tables", Module::position, Split::replicated, 1,
                     std::accumulate(tables.begin(), tables.end(), std::int64_t{0}), 1);
    inventory.lookup("token_type", Module::position, Split::replicated, model.token_types, model.hidden, 1);
    if (model.norm.embedding_norm && has_parameters(model.norm)) {
        const std::int64_t stacks = model.architecture == Architecture::encoder_decoder ? 2 : 1;
        inventory.norm("embedding_norm", Module::norm, stacks, model.hidden, model.norm.bias);
    }
    return inventory.list();
}

WeightList head_weights(const ModelSpec& model, bool stored_again) {
    Inventory inventory;
    const std::int64_t width = model.embedding_dim.value_or(model.hidden);
    if (model.norm.final_norm && has_parameters(model.norm)) {
        const std::int64_t stacks = model.architecture == Architecture::encoder_decoder ? 2 : 1;
        inventory.norm("final_norm", Module::norm, stacks, model.hidden, model.norm.bias);
    }
    if (model.embedding_dim) {
        inventory.projection("head.project_out", Module::head, Split::replicated, model.hidden, width, 1);
    }
    if (model.lm_head) {
        const std::int64_t copies = model.tied_embeddings && !stored_again ? 0 : 1;
        inventory.push(
            {"head", Module::head, Split::vocabulary, true, width, model.vocab, model.vocab, copies, 1});
    }
    if (model.bias.lm_head) {
        inventory.lookup("head.bias", Module::head, Split::vocabulary, 1, model.vocab, model.vocab);
    }
    std::int64_t extra = 0;
    for (const ExtraParameters& item : model.extra) {
        extra += item.count;
    }
    inventory.lookup("extra", Module::extra, Split::replicated, 1, extra, 1);
    return inventory.list();
}

WeightList mtp_weights(const ModelSpec& model) {
    Inventory inventory;
    if (!model.mtp) {
        return inventory.list();
    }
    inventory.projection("mtp.projection", Module::mtp, Split::tensor, 2 * model.hidden, model.hidden,
                         model.hidden);
    inventory.norm("mtp.norms", Module::mtp, 3, model.hidden, model.norm.bias);
    if (model.mtp->embedding_copy) {
        inventory.lookup("mtp.embedding", Module::mtp, Split::vocabulary, model.vocab, model.hidden,
                         model.vocab);
    }
    inventory.push({"mtp.head", Module::mtp, Split::vocabulary, true, model.hidden, model.vocab, model.vocab,
                    model.mtp->head_copy ? 1 : 0, 1});
    return inventory.list();
}

ParameterCount parameter_count(const ModelSpec& model) {
    Tally tally;
    tally.add(embedding_weights(model), 1);
    for (const LayerKind& kind : layer_kinds(model)) {
        tally.add(layer_weights(model, kind), kind.count);
    }
    tally.add(head_weights(model, false), 1);

    ParameterCount count = tally.count;
    const std::int64_t table = token_table_elements(model);
    count.embedding += table;
    count.non_embedding = count.total - count.embedding;
    count.active_without_input_embedding = model.tied_embeddings ? count.active : count.active - table;
    if (model.mtp) {
        const LayerKind last = layer_kind(model, block_count(model) - 1);
        count.mtp = model.mtp->layers *
                    (stored_elements(mtp_weights(model)) + stored_elements(layer_weights(model, last)));
    }
    for (const ExtraParameters& tower : model.towers) {
        count.towers += tower.count;
    }
    return count;
}

std::int64_t chunk_size(const StageLayout& layout, std::int64_t chunk) {
    return chunk_first(layout, chunk + 1) - chunk_first(layout, chunk);
}
std::int64_t chunk_first(const StageLayout& layout, std::int64_t chunk) {
    const std::int64_t chunks = layout.pp * layout.vp;
    if (chunk >= chunks)
        return layout.blocks;
    if (layout.head_blocks > 0.0) {
        // A chunk ends with the block that brings the running cost to its share; the head counts as blocks.
        const double share =
            (static_cast<double>(layout.blocks) + layout.head_blocks) / static_cast<double>(chunks);
        const double first = std::ceil(share * static_cast<double>(chunk) - 1e-9);
        return std::min(layout.blocks, static_cast<std::int64_t>(first));
    }
    if (layout.ends_count && chunk > 0)
        return chunk * ((layout.blocks + 2) / chunks) - 1;
    return chunk * (layout.blocks / chunks) + std::min(chunk, layout.blocks % chunks);
}

ShardedCount sharded_count(const WeightTensor& tensor, std::int64_t tp, std::int64_t ep, std::int64_t etp) {
    switch (tensor.split) {
        case Split::expert:
            return {0.0, static_cast<double>(shard(tensor, etp) * ceil_divide(tensor.copies, ep)), 0.0};
        case Split::tensor:
        case Split::vocabulary:
            return {static_cast<double>(shard(tensor, tp) * tensor.copies), 0.0, 0.0};
        case Split::replicated:
            break;
    }
    const auto whole = static_cast<double>(elements(tensor));
    return {whole, 0.0, whole};
}

ShardedCount sharded_count(const WeightList& weights, std::int64_t tp, std::int64_t ep, std::int64_t etp) {
    ShardedCount sum{0.0, 0.0, 0.0};
    for (const WeightTensor& tensor : weights) {
        add(sum, sharded_count(tensor, tp, ep, etp));
    }
    return sum;
}

ShardedCount stage_parameters(const ModelSpec& model, const StageLayout& layout, std::int64_t stage,
                              std::int64_t tp, std::int64_t ep, std::int64_t etp) {
    ShardedCount sum{0.0, 0.0, 0.0};
    for (std::int64_t chunk = stage; chunk < layout.pp * layout.vp; chunk += layout.pp) {
        for (const LayerKind& kind :
             layer_kinds(model, chunk_first(layout, chunk), chunk_size(layout, chunk))) {
            add(sum, sharded_count(layer_weights(model, kind), tp, ep, etp), kind.count);
        }
    }
    if (stage == 0) {
        add(sum, sharded_count(embedding_weights(model), tp, ep, etp));
    }
    if (stage == layout.pp - 1) {
        add(sum, sharded_count(head_weights(model, layout.pp > 1), tp, ep, etp));
    }
    return sum;
}

}  // namespace traincost
