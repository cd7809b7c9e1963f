#include "traincost/spec/model.hpp"

#include <algorithm>

#include "traincost/spec/check.hpp"

namespace traincost {

bool is_moe_layer(const ModelSpec& model, std::int64_t index) {
    if (!model.moe || index < model.moe->first_k_dense)
        return false;
    return (index + 1 - model.moe->first_k_dense) % model.moe->interleave_step == 0;
}

std::int64_t moe_layers(const ModelSpec& model) {
    if (!model.moe)
        return 0;
    const auto of_stack = [&](std::int64_t layers) {
        return std::max<std::int64_t>(0, (layers - model.moe->first_k_dense) / model.moe->interleave_step);
    };
    const bool two_stacks = model.architecture == Architecture::encoder_decoder;
    return of_stack(model.layers) + (two_stacks ? of_stack(model.decoder_layers) : 0);
}

std::int64_t attention_span(const ModelSpec& model, std::int64_t index, std::int64_t sequence) {
    if (!model.window || !model.window->size)
        return sequence;
    const bool full = model.window->full_every > 0 && (index + 1) % model.window->full_every == 0;
    return full ? sequence : std::min(sequence, *model.window->size);
}

namespace {

/// Far above any model and far below the end of a 64-bit count.
constexpr double most_parameters = 1e17;

/// A bound of the parameter count, in doubles because the fields may be anything.
double most_elements(const ModelSpec& m) {
    const auto h = static_cast<double>(m.hidden);
    const auto d = [](std::int64_t x) { return static_cast<double>(x); };
    const double heads = d(m.heads);
    double layer = 9.0 * h * std::max(heads, d(m.kv_heads)) * d(m.head_dim) + 3.0 * h * d(m.ffn) +
                   h * (20.0 + 2.0 * d(m.norm.per_layer)) + d(m.attention_sinks);
    if (m.moe) {
        layer += d(m.moe->experts) * (3.0 * d(m.moe->ffn) * h + 4.0 * h) +
                 3.0 * h * (d(m.moe->shared_ffn) + d(m.moe->dense_residual_ffn.value_or(0)));
    }
    double query_latent = h;
    if (m.mla) {
        const MlaSpec& mla = *m.mla;
        query_latent += d(mla.q_lora_rank.value_or(0));
        layer += query_latent * (h + heads * (d(mla.qk_nope_dim) + d(mla.qk_rope_dim)) + 2.0) +
                 (h + 2.0) * (d(mla.kv_lora_rank) + d(mla.qk_rope_dim)) +
                 heads * (d(mla.kv_lora_rank) + h) * (d(mla.qk_nope_dim) + d(mla.v_head_dim));
    }
    if (m.indexer) {
        layer += (query_latent + h + 2.0) * (d(m.indexer->heads) + 1.0) * (d(m.indexer->head_dim) + 1.0);
    }
    const double modules = m.mtp ? d(m.mtp->layers) : 0.0;
    double total = (d(m.layers) + d(m.decoder_layers) + modules) * layer +
                   (1.0 + modules) * 2.0 * d(m.vocab) * (h + d(m.embedding_dim.value_or(0)) + 1.0) +
                   modules * 2.0 * h * (h + 3.0) + (d(m.position.table_rows) + d(m.token_types) + 8.0) * h +
                   2.0 * h * d(m.embedding_dim.value_or(0));
    for (const std::int64_t table : m.position.bias_tables) {
        total += d(table);
    }
    for (const ExtraParameters& extra : m.extra) {
        total += d(extra.count);
    }
    return total;
}

}  // namespace

void validate(const ModelSpec& m, std::vector<Problem>& problems) {
    Checker check(problems, "model.");
    check.positive("layers", m.layers);
    check.positive("hidden", m.hidden);
    check.positive("heads", m.heads);
    check.positive("kv_heads", m.kv_heads);
    check.positive("head_dim", m.head_dim);
    check.at_least("ffn", m.ffn, m.moe ? 0 : 1);
    check.positive("vocab", m.vocab);
    check.at_least("position.table_rows", m.position.table_rows, 0);
    check.in_range("position.rope_fraction", m.position.rope_fraction, 0.0, 1.0);
    check.at_least("norm.per_layer", m.norm.per_layer, 0);
    if (m.kv_heads > 0 && m.heads % m.kv_heads != 0 && !m.mla) {
        check.add("kv_heads",
                  std::to_string(m.kv_heads) + " does not divide heads = " + std::to_string(m.heads));
    }
    if (m.architecture == Architecture::encoder_decoder)
        check.positive("decoder_layers", m.decoder_layers);
    else if (m.decoder_layers != 0)
        check.add("decoder_layers", "is " + std::to_string(m.decoder_layers) +
                                        ", but only an encoder_decoder has them beside its layers");
    if (m.max_position)
        check.positive("max_position", *m.max_position);
    check.at_least("position.nope_every", m.position.nope_every, 0);
    if (m.moe) {
        check.positive("moe.experts", m.moe->experts);
        check.positive("moe.top_k", m.moe->top_k);
        check.positive("moe.ffn", m.moe->ffn);
        check.positive("moe.interleave_step", m.moe->interleave_step);
        check.at_least("moe.first_k_dense", m.moe->first_k_dense, 0);
        if (const std::int64_t all = m.layers + m.decoder_layers;
            m.moe->first_k_dense >= all || m.moe->interleave_step > all) {
            check.add("moe", "first_k_dense = " + std::to_string(m.moe->first_k_dense) +
                                 " and interleave_step = " + std::to_string(m.moe->interleave_step) +
                                 " leave no expert layer among " + std::to_string(all));
        }
        check.at_least("moe.shared_ffn", m.moe->shared_ffn, 0);
        if (m.moe->top_k > m.moe->experts) {
            check.add("moe.top_k", std::to_string(m.moe->top_k) +
                                       " exceeds moe.experts = " + std::to_string(m.moe->experts));
        }
    }
    if (m.moe && m.moe->interleave_step > 0 && m.ffn == 0 && moe_layers(m) < m.layers) {
        check.add("ffn", "is 0, but layers without experts need the width of their MLP");
    }
    if (m.mla) {
        check.positive("mla.kv_lora_rank", m.mla->kv_lora_rank);
        check.positive("mla.qk_nope_dim", m.mla->qk_nope_dim);
        check.at_least("mla.qk_rope_dim", m.mla->qk_rope_dim, 0);
        check.positive("mla.v_head_dim", m.mla->v_head_dim);
        if (m.mla->q_lora_rank)
            check.positive("mla.q_lora_rank", *m.mla->q_lora_rank);
    }
    if (m.window && m.window->size)
        check.positive("window.size", *m.window->size);
    check.at_least("token_types", m.token_types, 0);
    check.at_least("attention_sinks", m.attention_sinks, 0);
    if (m.embedding_dim)
        check.positive("embedding_dim", *m.embedding_dim);
    for (const std::int64_t table : m.position.bias_tables)
        check.at_least("position.bias_tables", table, 0);
    for (const ExtraParameters& extra : m.extra)
        check.at_least("extra." + extra.what, extra.count, 0);
    if (m.indexer) {
        check.positive("indexer.heads", m.indexer->heads);
        check.positive("indexer.head_dim", m.indexer->head_dim);
    }
    if (m.mtp)
        check.positive("mtp.layers", m.mtp->layers);
    if (!(most_elements(m) < most_parameters)) {
        problems.push_back({"model", "has more than 10^17 parameters"});
    }
}

}  // namespace traincost
