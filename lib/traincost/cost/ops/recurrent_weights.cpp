#include <algorithm>

#include "traincost/cost/ops/weight_inventory.hpp"

namespace traincost {

namespace {

/// The tensors of a mixer that keeps a state. Projections are divided by head, or by channel; what all heads
/// of a group read (mamba's step and B and C) is divided by its input or repeated.
class RecurrentWeights {
public:
    RecurrentWeights(WeightInventory& inventory, const ModelSpec& m)
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
            case RecurrentKind::time_mixing:
                return push_time_mixing();
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

    // Receptance, keys and values; decay and bonus of each channel; five mixtures with the token before, two
    // of them and a receptance of the channel mixing that follows.                       [Peng23, §3]
    void push_time_mixing() {
        in(3 * width_, 0);
        of_heads("recurrent.decay_and_bonus", 2, width_);
        inventory_.lookup("recurrent.mixtures", mixer, Split::replicated, 5, m_.hidden, 1);
        inventory_.projection("recurrent.channel_receptance", mixer, Split::tensor, m_.hidden, m_.hidden,
                              m_.hidden);
        out();
    }

    WeightInventory& inventory_;
    const ModelSpec& m_;
    const RecurrentSpec& r_;
    std::int64_t width_;
    std::int64_t keys_;
};

}  // namespace

void push_recurrent_weights(WeightInventory& inventory, const ModelSpec& model) {
    RecurrentWeights(inventory, model).push();
}

}  // namespace traincost
