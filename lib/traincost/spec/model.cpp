#include "traincost/spec/model.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "traincost/spec/check.hpp"

namespace traincost {

Mixer mixer_of(const ModelSpec& model, std::int64_t index) {
    return model.mixers.empty() ? Mixer::attention : model.mixers[static_cast<std::size_t>(index)];
}

Feed feed_of(const ModelSpec& model, std::int64_t index) {
    if (!model.feeds.empty())
        return model.feeds[static_cast<std::size_t>(index)];
    return is_moe_layer(model, index) ? Feed::experts : Feed::dense;
}

std::int64_t layer_shape_of(const ModelSpec& model, std::int64_t index) {
    return model.layer_shapes.empty() ? 0 : model.layer_shapes[static_cast<std::size_t>(index)];
}

ModelSpec shaped_model(const ModelSpec& model, std::int64_t shape) {
    ModelSpec own = model;
    if (shape == 0)
        return own;
    const LayerShape& sizes = model.shapes[static_cast<std::size_t>(shape) - 1];
    own.heads = sizes.heads.value_or(model.heads);
    own.kv_heads = sizes.kv_heads.value_or(model.kv_heads);
    own.head_dim = sizes.head_dim.value_or(model.head_dim);
    own.ffn = sizes.ffn.value_or(model.ffn);
    own.keys_are_values = sizes.keys_are_values.value_or(model.keys_are_values);
    if (sizes.value_dim)
        own.value_dim = sizes.value_dim;
    if (sizes.attention_input)
        own.attention_input = sizes.attention_input;
    return own;
}

bool has_listed_layers(const ModelSpec& model) {
    return !model.mixers.empty() || !model.feeds.empty() || !model.layer_shapes.empty();
}

bool has_attention(const ModelSpec& model) {
    return model.mixers.empty() || std::any_of(model.mixers.begin(), model.mixers.end(), [](Mixer mixer) {
               return mixer != Mixer::recurrent && mixer != Mixer::none;
           });
}

bool has_recurrence(const ModelSpec& model) {
    return std::any_of(model.mixers.begin(), model.mixers.end(),
                       [](Mixer mixer) { return mixer == Mixer::recurrent || mixer == Mixer::both; });
}

bool has_dense_mlp(const ModelSpec& model) {
    if (!model.feeds.empty())
        return std::find(model.feeds.begin(), model.feeds.end(), Feed::dense) != model.feeds.end();
    return !model.moe || moe_layers(model) < model.layers + model.decoder_layers;
}

std::int64_t attention_layers(const ModelSpec& model) {
    if (model.mixers.empty())
        return model.layers + model.decoder_layers;
    return std::count_if(model.mixers.begin(), model.mixers.end(),
                         [](Mixer mixer) { return mixer != Mixer::recurrent && mixer != Mixer::none; });
}

bool is_moe_layer(const ModelSpec& model, std::int64_t index) {
    if (!model.feeds.empty())
        return model.feeds[static_cast<std::size_t>(index)] == Feed::experts;
    if (!model.moe || index < model.moe->first_k_dense)
        return false;
    return (index + 1 - model.moe->first_k_dense) % model.moe->interleave_step == 0;
}

std::int64_t moe_layers(const ModelSpec& model) {
    if (!model.moe)
        return 0;
    if (!model.feeds.empty())
        return std::count(model.feeds.begin(), model.feeds.end(), Feed::experts);
    const auto of_stack = [&](std::int64_t layers) {
        return std::max<std::int64_t>(0, (layers - model.moe->first_k_dense) / model.moe->interleave_step);
    };
    const bool two_stacks = model.architecture == Architecture::encoder_decoder;
    return of_stack(model.layers) + (two_stacks ? of_stack(model.decoder_layers) : 0);
}

std::int64_t attention_span(const ModelSpec& model, std::int64_t index, std::int64_t sequence) {
    if (const Mixer mixer = mixer_of(model, index); mixer == Mixer::recurrent || mixer == Mixer::none)
        return 0;
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
    // The widest of its layers.
    double heads = d(m.heads);
    double kv_heads = d(m.kv_heads);
    double head_dim = d(std::max(m.head_dim, m.value_dim.value_or(0)));
    double ffn = d(m.ffn);
    double input = d(m.attention_input.value_or(0));
    for (const LayerShape& shape : m.shapes) {
        heads = std::max(heads, d(shape.heads.value_or(0)));
        kv_heads = std::max(kv_heads, d(shape.kv_heads.value_or(0)));
        head_dim = std::max({head_dim, d(shape.head_dim.value_or(0)), d(shape.value_dim.value_or(0))});
        ffn = std::max(ffn, d(shape.ffn.value_or(0)));
        input = std::max(input, d(shape.attention_input.value_or(0)));
    }
    double layer = 9.0 * (h + input) * std::max(heads, kv_heads) * head_dim + 3.0 * h * ffn +
                   h * (20.0 + 2.0 * d(m.norm.per_layer)) + d(m.attention_sinks);
    if (m.moe) {
        const double wide = h + d(m.moe->latent.value_or(0));
        layer += 2.0 * wide * wide + d(m.moe->experts) * (3.0 * d(m.moe->ffn) * wide + 4.0 * h) +
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
    if (m.grouped_latent) {
        const GroupedLatentSpec& latent = *m.grouped_latent;
        const double out = d(latent.output_groups) * d(latent.output_rank);
        layer += (h + heads * head_dim) * (d(latent.query_rank) + out + 2.0);
    }
    if (m.attention_gate)
        layer += h * heads * head_dim;
    if (m.recurrent) {
        const RecurrentSpec& r = *m.recurrent;
        const double width = d(r.heads) * std::max(d(r.head_dim), d(r.state));
        const double keys = d(r.groups) * d(r.state);
        layer +=
            6.0 * (h + d(r.rank) + d(r.kernel) + d(r.state) + d(r.head_dim) + 4.0) * (width + keys + 4.0);
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
    for (const auto* list : {&m.extra, &m.towers}) {
        for (const ExtraParameters& extra : *list)
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
    check.count("moe.latent", x.latent, widest);
}

void validate(const RecurrentSpec& x, Checker& check) {
    check.count("recurrent.heads", x.heads, most_heads);
    check.count("recurrent.head_dim", x.head_dim, widest);
    check.count("recurrent.groups", x.groups, most_heads);
    check.between("recurrent.state", x.state, 0, most_heads);
    check.between("recurrent.kernel", x.kernel, 0, most_heads);
    check.between("recurrent.rank", x.rank, 0, widest);
    check.count("recurrent.chunk", x.chunk, widest);
}

void validate(const MlaSpec& x, Checker& check) {
    check.count("mla.kv_lora_rank", x.kv_lora_rank, widest);
    check.count("mla.qk_nope_dim", x.qk_nope_dim, most_heads);
    check.between("mla.qk_rope_dim", x.qk_rope_dim, 0, most_heads);
    check.count("mla.v_head_dim", x.v_head_dim, most_heads);
    check.count("mla.q_lora_rank", x.q_lora_rank, widest);
}

void validate(const LayerShape& x, Checker& check) {
    check.count("shapes.heads", x.heads, most_heads);
    check.count("shapes.kv_heads", x.kv_heads, most_heads);
    check.count("shapes.head_dim", x.head_dim, most_heads);
    check.count("shapes.value_dim", x.value_dim, most_heads);
    check.count("shapes.ffn", x.ffn, widest);
    check.count("shapes.attention_input", x.attention_input, widest);
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
    check.between("ffn", m.ffn, m.moe || !m.feeds.empty() ? 0 : 1, widest);
    check.count("vocab", m.vocab, std::int64_t{1} << 32);
    check.between("norm.per_layer", m.norm.per_layer, 0, 1000);
    check.count("max_position", m.max_position, most_rows);
    check.between("token_types", m.token_types, 0, widest);
    check.between("attention_sinks", m.attention_sinks, 0, widest);
    check.count("embedding_dim", m.embedding_dim, widest);
    check.count("value_dim", m.value_dim, most_heads);
    check.count("attention_input", m.attention_input, widest);
    for (const LayerShape& shape : m.shapes)
        validate(shape, check);
    for (const std::int64_t shape : m.layer_shapes)
        check.between("layer_shapes", shape, 0, static_cast<std::int64_t>(m.shapes.size()));
    validate(m.position, check);
    if (m.window) {
        check.count("window.size", m.window->size, most_rows);
        check.between("window.full_every", m.window->full_every, 0, widest);
    }
    if (m.moe)
        validate(*m.moe, check);
    if (m.mla)
        validate(*m.mla, check);
    if (m.recurrent)
        validate(*m.recurrent, check);
    if (m.grouped_latent) {
        check.count("grouped_latent.query_rank", m.grouped_latent->query_rank, widest);
        check.count("grouped_latent.output_groups", m.grouped_latent->output_groups, most_heads);
        check.count("grouped_latent.output_rank", m.grouped_latent->output_rank, most_heads);
    }
    if (m.indexer) {
        check.count("indexer.heads", m.indexer->heads, most_heads);
        check.count("indexer.head_dim", m.indexer->head_dim, most_heads);
        check.count("indexer.top_k", m.indexer->top_k, most_rows);
    }
    if (m.mtp)
        check.count("mtp.layers", m.mtp->layers, most_layers);
    const auto validate_extra = [&](std::string_view where, const ExtraParameters& extra) {
        check.name(where, extra.what);
        check.part(where).between(extra.what, extra.count, 0, static_cast<std::int64_t>(most_parameters));
    };
    for (const ExtraParameters& extra : m.extra)
        validate_extra("extra", extra);
    for (const ExtraParameters& tower : m.towers)
        validate_extra("towers", tower);
}

/// Kinds of layer where they are listed one by one.
std::size_t own_kinds(const ModelSpec& m) {
    std::set<std::tuple<Mixer, Feed, std::int64_t, std::int64_t>> kinds;
    const std::int64_t all = m.layers + m.decoder_layers;
    const auto reaches = [&](std::size_t length) {
        return length == 0 || static_cast<std::int64_t>(length) == all;
    };
    if (!has_listed_layers(m) || !reaches(m.mixers.size()) || !reaches(m.feeds.size()) ||
        !reaches(m.layer_shapes.size()))
        return 1;
    for (std::int64_t i = 0; i < all; ++i)
        kinds.emplace(mixer_of(m, i), feed_of(m, i), layer_shape_of(m, i), attention_span(m, i, most_rows));
    return kinds.size();
}

/// Lists of one entry a layer, and what their entries need.
void validate_layers(const ModelSpec& m, Checker& check) {
    const auto check_length = [&](const char* name, std::size_t length) {
        if (length == 0)
            return;
        if (m.architecture != Architecture::decoder)
            check.add(name, "applies to decoders only");
        if (static_cast<std::int64_t>(length) != m.layers)
            check.add(name, "has " + std::to_string(length) + " entries; must have one for each of the " +
                                std::to_string(m.layers) + " layers");
    };
    check_length("mixers", m.mixers.size());
    check_length("feeds", m.feeds.size());
    if (const std::int64_t all = m.layers + m.decoder_layers;
        !m.layer_shapes.empty() && static_cast<std::int64_t>(m.layer_shapes.size()) != all)
        check.add("layer_shapes", "has " + std::to_string(m.layer_shapes.size()) +
                                      " entries; must have one for each of the " + std::to_string(all) +
                                      " layers");
    if (const std::size_t kinds = own_kinds(m); kinds > most_layer_kinds)
        check.add("layers", "are of " + std::to_string(kinds) + " kinds; at most " +
                                std::to_string(most_layer_kinds) + " are modelled");
    if (has_recurrence(m) != m.recurrent.has_value()) {
        check.add("recurrent", m.recurrent ? "is given, but no layer of model.mixers is recurrent"
                                           : "is missing, but model.mixers has recurrent layers");
    }
    if (m.recurrent && m.recurrent->heads % m.recurrent->groups != 0) {
        check.add("recurrent.groups",
                  std::to_string(m.recurrent->groups) +
                      " does not divide recurrent.heads = " + std::to_string(m.recurrent->heads));
    }
    if (std::find(m.feeds.begin(), m.feeds.end(), Feed::experts) != m.feeds.end() && !m.moe)
        check.add("moe", "is missing, but model.feeds has expert layers");
    if (!m.mixers.empty() && m.mixers.front() == Mixer::shared_attention)
        check.add("mixers", "begins with shared_attention, which needs an earlier layer's keys and values");
}

/// Rules that join fields, each of which is in its range.
void validate_together(const ModelSpec& m, Checker& check) {
    if (m.architecture == Architecture::encoder_decoder) {
        check.positive("decoder_layers", m.decoder_layers);
    } else if (m.decoder_layers != 0) {
        check.add("decoder_layers", std::to_string(m.decoder_layers) +
                                        ", but only an encoder_decoder has them beside its layers");
    }
    validate_layers(m, check);
    if (m.grouped_latent && m.heads % m.grouped_latent->output_groups != 0)
        check.add("grouped_latent.output_groups", std::to_string(m.grouped_latent->output_groups) +
                                                      " does not divide heads = " + std::to_string(m.heads));
    if (m.merged_cross_attention && m.architecture != Architecture::encoder_decoder)
        check.add("merged_cross_attention", "is true, but only an encoder_decoder has it");
    if (m.ffn == 0 && has_dense_mlp(m))
        check.add("ffn", "is 0, but layers without experts need the width of their MLP");
    if (!m.moe)
        return;
    const std::int64_t all = m.layers + m.decoder_layers;
    if (m.feeds.empty() && (m.moe->first_k_dense >= all || m.moe->interleave_step > all)) {
        check.add("moe", "first_k_dense = " + std::to_string(m.moe->first_k_dense) +
                             " and interleave_step = " + std::to_string(m.moe->interleave_step) +
                             " leave no expert layer among " + std::to_string(all));
    }
    if (m.moe->top_k > m.moe->experts) {
        check.add("moe.top_k",
                  std::to_string(m.moe->top_k) + " exceeds moe.experts = " + std::to_string(m.moe->experts));
    }
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
