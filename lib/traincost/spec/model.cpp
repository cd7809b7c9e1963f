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

// A thousand times what any model has, and far from where products of counts overflow.
constexpr std::int64_t most_layers = 10'000;
constexpr std::int64_t widest = std::int64_t{1} << 24;
constexpr std::int64_t most_heads = std::int64_t{1} << 16;
constexpr std::int64_t most_rows = std::int64_t{1} << 40;

void validate(const PositionSpec& x, Checker& check) {
    check.between("position.table_rows", x.table_rows, 0, most_rows);
    check.in_range("position.rope_fraction", x.rope_fraction, 0.0, 1.0);
    check.positive("position.rope_theta", x.rope_theta, 1e15);
    check.between("position.nope_every", x.nope_every, 0, widest);
    for (const std::int64_t table : x.bias_tables)
        check.between("position.bias_tables", table, 0, most_rows);
}

void validate(const MoeSpec& x, Checker& check) {
    check.count("moe.experts", x.experts, most_heads);
    check.count("moe.top_k", x.top_k, most_heads);
    check.count("moe.ffn", x.ffn, widest);
    check.count("moe.interleave_step", x.interleave_step, widest);
    check.between("moe.first_k_dense", x.first_k_dense, 0, widest);
    check.between("moe.shared_experts", x.shared_experts, 0, most_heads);
    check.between("moe.shared_ffn", x.shared_ffn, 0, widest);
    if (x.dense_residual_ffn)
        check.between("moe.dense_residual_ffn", *x.dense_residual_ffn, 0, widest);
}

void validate(const MlaSpec& x, Checker& check) {
    check.count("mla.kv_lora_rank", x.kv_lora_rank, widest);
    check.count("mla.qk_nope_dim", x.qk_nope_dim, most_heads);
    check.between("mla.qk_rope_dim", x.qk_rope_dim, 0, most_heads);
    check.count("mla.v_head_dim", x.v_head_dim, most_heads);
    check.count("mla.q_lora_rank", x.q_lora_rank, widest);
}

/// Each field by itself.
void validate_fields(const ModelSpec& m, Checker& check) {
    check.name("id", m.name);
    check.name("family", m.family);
    check.count("layers", m.layers, most_layers);
    check.between("decoder_layers", m.decoder_layers, 0, most_layers);
    check.count("hidden", m.hidden, widest);
    check.count("heads", m.heads, most_heads);
    check.count("kv_heads", m.kv_heads, most_heads);
    check.count("head_dim", m.head_dim, most_heads);
    check.between("ffn", m.ffn, m.moe ? 0 : 1, widest);
    check.count("vocab", m.vocab, std::int64_t{1} << 32);
    check.between("norm.per_layer", m.norm.per_layer, 0, 1000);
    check.count("max_position", m.max_position, most_rows);
    check.between("token_types", m.token_types, 0, widest);
    check.between("attention_sinks", m.attention_sinks, 0, widest);
    check.count("embedding_dim", m.embedding_dim, widest);
    validate(m.position, check);
    if (m.window) {
        check.count("window.size", m.window->size, most_rows);
        check.between("window.full_every", m.window->full_every, 0, widest);
    }
    if (m.moe)
        validate(*m.moe, check);
    if (m.mla)
        validate(*m.mla, check);
    if (m.indexer) {
        check.count("indexer.heads", m.indexer->heads, most_heads);
        check.count("indexer.head_dim", m.indexer->head_dim, most_heads);
        check.count("indexer.top_k", m.indexer->top_k, most_rows);
    }
    if (m.mtp)
        check.count("mtp.layers", m.mtp->layers, most_layers);
    for (const ExtraParameters& extra : m.extra) {
        check.name("extra", extra.what);
        check.between("extra." + extra.what, extra.count, 0, static_cast<std::int64_t>(most_parameters));
    }
}

/// Rules that join fields, each of which is in its range.
void validate_together(const ModelSpec& m, Checker& check) {
    if (m.architecture == Architecture::encoder_decoder) {
        check.positive("decoder_layers", m.decoder_layers);
    } else if (m.decoder_layers != 0) {
        check.add("decoder_layers", "is " + std::to_string(m.decoder_layers) +
                                        ", but only an encoder_decoder has them beside its layers");
    }
    if (!m.moe)
        return;
    const std::int64_t all = m.layers + m.decoder_layers;
    if (m.moe->first_k_dense >= all || m.moe->interleave_step > all) {
        check.add("moe", "first_k_dense = " + std::to_string(m.moe->first_k_dense) +
                             " and interleave_step = " + std::to_string(m.moe->interleave_step) +
                             " leave no expert layer among " + std::to_string(all));
    }
    if (m.moe->top_k > m.moe->experts) {
        check.add("moe.top_k",
                  std::to_string(m.moe->top_k) + " exceeds moe.experts = " + std::to_string(m.moe->experts));
    }
    if (m.ffn == 0 && moe_layers(m) < m.layers)
        check.add("ffn", "is 0, but layers without experts need the width of their MLP");
}

}  // namespace

void validate(const ModelSpec& m, std::vector<Problem>& problems) {
    std::vector<Problem> own;
    Checker check(own, "model.");
    validate_fields(m, check);
    if (m.kv_heads > 0 && m.heads % m.kv_heads != 0 && !m.mla) {
        check.add("kv_heads",
                  std::to_string(m.kv_heads) + " does not divide heads = " + std::to_string(m.heads));
    }
    if (own.empty())
        validate_together(m, check);
    if (!(most_elements(m) < most_parameters))
        own.push_back({"model", "has more than 10^17 parameters"});
    problems.insert(problems.end(), own.begin(), own.end());
}

}  // namespace traincost
