#include "traincost/cost/layer_kinds.hpp"

#include <algorithm>

namespace traincost {

namespace {

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

/// A decoder whose own attention reads the encoder's output has none beside it.
Side decoder_side(const ModelSpec& m) {
    return m.merged_cross_attention ? Side::decoder : Side::cross_decoder;
}

Side side_of(const ModelSpec& m, std::int64_t index) {
    if (m.architecture == Architecture::decoder)
        return Side::decoder;
    return index < m.layers ? Side::encoder : decoder_side(m);
}

/// Layer `index` of a model whose layers are listed one by one.
LayerKind listed_kind(const ModelSpec& m, std::int64_t index) {
    const Feed feed = feed_of(m, index);
    return {side_of(m, index),  feed == Feed::experts, 1,
            mixer_of(m, index), feed != Feed::none,    layer_shape_of(m, index)};
}

/// Appends the kinds of layers first … last - 1 of a model whose layers are listed one by one.
void push_listed_kinds(LayerKinds& kinds, const ModelSpec& m, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
        const LayerKind one = listed_kind(m, i);
        const auto end = kinds.items.begin() + static_cast<std::ptrdiff_t>(kinds.size);
        const auto same = std::find_if(kinds.items.begin(), end, [&](const LayerKind& kind) {
            return kind.side == one.side && kind.moe == one.moe && kind.mixer == one.mixer &&
                   kind.mlp == one.mlp && kind.shape == one.shape;
        });
        if (same == end) {
            kinds.items[kinds.size++] = one;
        } else {
            ++same->count;
        }
    }
}

}  // namespace

LayerKinds layer_kinds(const ModelSpec& model) {
    return layer_kinds(model, 0, block_count(model));
}

LayerKinds layer_kinds(const ModelSpec& model, std::int64_t first, std::int64_t count) {
    LayerKinds kinds{};
    const std::int64_t last = first + count;
    if (has_listed_layers(model)) {
        push_listed_kinds(kinds, model, first, last);
        return kinds;
    }
    if (model.architecture == Architecture::decoder) {
        push_kinds(kinds, model, Side::decoder, first, last);
        return kinds;
    }
    push_kinds(kinds, model, Side::encoder, first, std::min(last, model.layers));
    push_kinds(kinds, model, decoder_side(model), std::max<std::int64_t>(0, first - model.layers),
               last - model.layers);
    return kinds;
}

std::int64_t block_count(const ModelSpec& model) {
    return model.architecture == Architecture::encoder_decoder ? model.layers + model.decoder_layers
                                                               : model.layers;
}

LayerKind layer_kind(const ModelSpec& model, std::int64_t index) {
    if (has_listed_layers(model))
        return listed_kind(model, index);
    const bool of_decoder = model.architecture == Architecture::encoder_decoder && index >= model.layers;
    return {side_of(model, index), is_moe_layer(model, of_decoder ? index - model.layers : index), 1};
}

}  // namespace traincost
