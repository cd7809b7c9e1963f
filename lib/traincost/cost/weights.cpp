#include "traincost/cost/weights.hpp"

#include <numeric>

#include "traincost/cost/ops/weight_inventory.hpp"

namespace traincost {

namespace {

/// q, k, v and output projections with their biases; the same for self and cross attention.
void push_attention_projections(WeightInventory& inventory, const ModelSpec& m, bool cross, bool own_keys) {
    constexpr auto attention = Module::attention;
    const std::int64_t input = m.attention_input.value_or(m.hidden);
    const std::int64_t query = m.heads * m.head_dim;
    const std::int64_t key = own_keys ? m.kv_heads * m.head_dim : 0;
    const std::int64_t values = own_keys && !m.keys_are_values ? m.kv_heads * value_width(m) : 0;
    if (m.attention_gate && !cross) {
        inventory.projection("attention.output_gate", attention, Split::tensor, input, query, m.heads);
    }
    if (m.grouped_latent) {
        inventory.projection("attention.query_down", attention, Split::replicated, input,
                             m.grouped_latent->query_rank, 1);
        inventory.norm("attention.query_latent_norm", attention, 1, m.grouped_latent->query_rank, false);
        inventory.norm("attention.key_value_norm", attention, 1, m.head_dim, false);
    }
    inventory.projection(cross ? "cross_attention.query" : "attention.query", attention, Split::tensor,
                         m.grouped_latent ? m.grouped_latent->query_rank : input, query, m.heads);
    inventory.projection(cross ? "cross_attention.key" : "attention.key", attention, Split::tensor, input,
                         key, m.kv_heads);
    inventory.projection(cross ? "cross_attention.value" : "attention.value", attention, Split::tensor, input,
                         values, m.kv_heads);
    std::int64_t out = m.heads * value_width(m);
    std::int64_t out_parts = m.heads;
    if (m.grouped_latent) {
        out_parts = m.grouped_latent->output_groups;
        inventory.projection("attention.out_down", attention, Split::tensor, out / out_parts,
                             out_parts * m.grouped_latent->output_rank, out_parts);
        out = out_parts * m.grouped_latent->output_rank;
    }
    inventory.projection(cross ? "cross_attention.out" : "attention.out", attention, Split::tensor, out,
                         m.hidden, out_parts);
    if (m.bias.qkv && m.attention_gate && !cross) {
        inventory.lookup("attention.output_gate_bias", attention, Split::tensor, 1, query, m.heads);
    }
    if (m.bias.qkv) {
        inventory.lookup(cross ? "cross_attention.query_bias" : "attention.query_bias", attention,
                         Split::tensor, 1, query, m.heads);
        inventory.lookup(cross ? "cross_attention.key_value_bias" : "attention.key_value_bias", attention,
                         Split::tensor, 1, key + values, m.kv_heads);
    }
    if (m.bias.attention_out) {
        inventory.lookup(cross ? "cross_attention.out_bias" : "attention.out_bias", attention,
                         Split::replicated, 1, m.hidden, 1);
    }
}

// Queries and keys-values pass through low-rank latents, each with a norm; keys get a shared rotary part
// beside the latent. [DeepSeekV2, Eq. 9-19, 37-47]
void push_latent_attention(WeightInventory& inventory, const ModelSpec& m) {
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
void push_indexer(WeightInventory& inventory, const ModelSpec& m) {
    constexpr auto attention = Module::attention;
    const IndexerSpec& indexer = *m.indexer;
    const std::int64_t input = m.mla && m.mla->q_lora_rank ? *m.mla->q_lora_rank : m.hidden;
    inventory.projection("indexer.query", attention, Split::replicated, input,
                         indexer.heads * indexer.head_dim, 1);
    inventory.projection("indexer.key", attention, Split::replicated, m.hidden, indexer.head_dim, 1);
    inventory.norm("indexer.key_norm", attention, 1, indexer.head_dim, true);
    inventory.projection("indexer.head_weights", attention, Split::replicated, m.hidden, indexer.heads, 1);
}

void push_query_key_norms(WeightInventory& inventory, const ModelSpec& m, bool own_keys) {
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

void push_attention(WeightInventory& inventory, const ModelSpec& m, bool own_keys) {
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

/// Names of one MLP's tensors.
struct MlpNames {
    std::string_view gate, up, down, up_bias, down_bias;
};

void push_mlp(WeightInventory& inventory, const MlpNames& names, Module module, std::int64_t hidden,
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

void push_experts(WeightInventory& inventory, const ModelSpec& m) {
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

}  // namespace

std::string_view to_string(Module module) {
    constexpr std::array<std::string_view, module_count> names = {
        "embedding", "position",       "norm", "attention", "mlp",   "router",
        "experts",   "shared_experts", "head", "mtp",       "extra", "recurrent"};
    return names[static_cast<std::size_t>(module)];
}
WeightList layer_weights(const ModelSpec& model, const LayerKind& kind) {
    if (kind.shape == 0)
        return layer_weights(model, kind.side, kind.moe, kind.mixer, kind.mlp);
    WeightList weights =
        layer_weights(shaped_model(model, kind.shape), kind.side, kind.moe, kind.mixer, kind.mlp);
    if (model.shapes[static_cast<std::size_t>(kind.shape) - 1].repeated) {
        for (std::size_t i = 0; i < weights.size; ++i)
            weights.items[i].copies = 0;
    }
    return weights;
}

WeightList layer_weights(const ModelSpec& model, Side side, bool moe, Mixer mixer, bool mlp) {
    WeightInventory inventory;
    if (mixer == Mixer::recurrent || mixer == Mixer::both) {
        push_recurrent_weights(inventory, model);
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
    WeightInventory inventory;
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
    WeightInventory inventory;
    const std::int64_t width = model.embedding_dim.value_or(model.hidden);
    if (model.norm.final_norm && has_parameters(model.norm)) {
        const std::int64_t stacks = model.architecture == Architecture::encoder_decoder ? 2 : 1;
        inventory.norm("final_norm", Module::norm, stacks, model.hidden, model.norm.bias);
    }
    if (model.embedding_dim && projects_out(model)) {
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
    WeightInventory inventory;
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

}  // namespace traincost
