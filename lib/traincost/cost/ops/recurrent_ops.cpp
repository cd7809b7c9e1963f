// Operators of mixers that keep a state: projections as products, the scan by chunks as the products it is
// made of, convolutions, gates and the walks of states as bytes. Products inside a chunk count the pairs of
// tokens that see each other, as causal attention does; the kernels compute all of them.
#include <algorithm>

#include "traincost/cost/ops/op_builder.hpp"

namespace traincost {

namespace {

/// One mixer on one rank.
class RecurrentOps {
public:
    explicit RecurrentOps(OpBuilder& build)
        : build_(build),
          s_(build.shape()),
          r_(*build.model().recurrent),
          tp_(static_cast<double>(s_.tp)),
          heads_(static_cast<double>(r_.heads) / tp_),
          dim_(static_cast<double>(r_.head_dim)),
          groups_(std::max(1.0, static_cast<double>(r_.groups) / tp_)),
          state_(static_cast<double>(r_.state)),
          width_(heads_ * dim_),
          keys_(groups_ * state_),
          chunk_(std::min(static_cast<double>(r_.chunk), s_.sequence)),
          chunks_(s_.tokens / chunk_) {
    }

    void append() {
        build_.enter_tensor_parallel("mixer_in", module);
        const double h = static_cast<double>(build_.model().hidden);
        build_.linear("recurrent_in", module, s_.tokens, input_columns(), h, build_.saved_norm_output(h, 1),
                      {}, r_.projection_bias, 1);
        exchange("heads_out", input_columns());
        convolution();
        scan();
        gate();
        exchange("heads_back", width_);
        build_.linear("recurrent_out", module, s_.tokens, h, width_, Bytes{s_.tokens * width_ * s_.e}, {},
                      r_.projection_bias);
        build_.leave_tensor_parallel("mixer_sum", module);
    }

private:
    static constexpr auto module = Module::recurrent;
    static constexpr double fp32 = 4.0;

    /// Of the projections that read the layer's input, on this rank.
    double input_columns() const {
        switch (r_.kind) {
            case RecurrentKind::mamba:
            case RecurrentKind::gated_lru:
                return 2.0 * width_;
            case RecurrentKind::mamba2:
                return 2.0 * width_ + 2.0 * keys_ + heads_;
            case RecurrentKind::gated_delta:
                return 2.0 * width_ + 2.0 * keys_ + 2.0 * heads_;
            case RecurrentKind::kimi_delta:
                return width_ + 2.0 * keys_ + heads_;
            case RecurrentKind::lightning:
                return 2.0 * width_ + 2.0 * keys_;
            case RecurrentKind::short_convolution:
            case RecurrentKind::time_mixing:
                return 3.0 * width_;
        }
        return 0.0;
    }

    /// Channels that pass the convolution, or where there is none the scan's inputs.
    double scanned_columns() const {
        const bool with_keys = r_.kind == RecurrentKind::mamba2 || r_.kind == RecurrentKind::gated_delta ||
                               r_.kind == RecurrentKind::kimi_delta || r_.kind == RecurrentKind::lightning;
        return width_ + (with_keys ? 2.0 * keys_ : 0.0);
    }

    Bytes bytes(double columns, double passes) const {
        return Bytes{s_.tokens * columns * s_.e * passes};
    }

    /// Context parallelism trades sequence for heads around the scan, whatever attention does: a state passes
    /// the whole sequence.
    void exchange(std::string_view name, double columns) {
        if (s_.cp > 1)
            build_.communicate(name, module, Group::context, Collective::all_to_all, bytes(columns, 1.0),
                               Collective::all_to_all, bytes(columns, 1.0));
    }

    void convolution() {
        const double columns = scanned_columns();
        const bool short_one = r_.kind == RecurrentKind::short_convolution;
        if (short_one)  // the product of two of the three thirds goes in
            walk("input_gate", 3.0 * width_, 5.0 * width_).saved = bytes(3.0 * width_, 1.0);
        Operator& op = walk("convolution", 2.0 * columns, 3.0 * columns);
        // Its input is part of what the projection made; its output, activated, is what the scan reads.
        op.saved = short_one ? bytes(width_, 1.0) : bytes(input_columns(), 1.0);
        if (short_one)
            return;
        op.saved += bytes(columns, 1.0);
        op.forward_transient = bytes(columns, 1.0);
        op.backward_transient = bytes(columns, 2.0);
    }

    void scan() {
        switch (r_.kind) {
            case RecurrentKind::mamba:
                return scan_mamba();
            case RecurrentKind::mamba2:
                return scan_mamba2();
            case RecurrentKind::kimi_delta:
                kimi_gates();
                return scan_delta();
            case RecurrentKind::gated_delta:
                return scan_delta();
            case RecurrentKind::lightning:
                return scan_lightning();
            case RecurrentKind::gated_lru:
                return scan_lru();
            case RecurrentKind::time_mixing:
                return scan_time_mixing();
            case RecurrentKind::short_convolution:
                return;
        }
    }

    // A weighted mean of values with a decay of its own each channel, in fp32, and the receptance of the
    // channel mixing.                                                                     [Peng23, §3]
    void scan_time_mixing() {
        const double h = static_cast<double>(build_.model().hidden);
        Operator& op = walk("scan", 4.0 * width_, 9.0 * width_);
        op.forward_flops = Flops{6.0 * s_.tokens * width_};
        op.backward_flops = op.forward_flops * 2.0;
        op.saved = bytes(3.0 * width_, 1.0);
        build_.linear("channel_receptance", module, s_.tokens, h / tp_, h, bytes(h, 1.0));
    }

    // A step of its own each channel, B and C of all channels together; the recurrence multiplies and adds
    // twice for each channel and state, and its output once more.                     [Gu23, Alg. 2]
    void scan_mamba() {
        const double rank = static_cast<double>(r_.rank);
        build_.linear("step_and_keys", module, s_.tokens, rank + 2.0 * state_, width_, Bytes{});
        if (s_.tp > 1) {
            const Bytes message = bytes(rank + 2.0 * state_, 1.0);
            build_.communicate("step_sum", module, Group::tensor, Collective::all_reduce, message,
                               Collective::all_reduce, message);
        }
        build_.linear("step", module, s_.tokens, width_, rank, bytes(rank + 2.0 * state_, 1.0), {}, true);
        Operator& op = walk("scan", 4.0 * width_ + 2.0 * state_, 9.0 * width_ + 4.0 * state_);
        op.forward_flops = Flops{6.0 * s_.tokens * width_ * state_};
        op.backward_flops = op.forward_flops * 2.0;
        op.saved = bytes(2.0 * width_, 1.0);  // steps and outputs
    }

    /// `count` products of a chunk and head, of which `visible` are of tokens that see each other.
    void product(std::string_view name, double m, double n, double k, double count, double visible) {
        Operator op{.name = name, .module = module, .kind = OpKind::gemm};
        op.gemm = {m, n, k, count};
        op.forward_flops = Flops{2.0 * m * n * k * count * visible};
        op.backward_flops = op.forward_flops * 2.0;
        op.forward_kernels = 1;
        op.backward_kernels = 2;
        build_.list().push(op);
    }

    /// States at the chunks' borders: made, passed on and read.
    void pass_states(double rows, double columns, double element) {
        const double states = chunks_ * heads_ * rows * columns * element;
        Operator& op = build_.memory("states", module, Bytes{states * 4.0}, Bytes{states * 6.0}, 2, 3);
        op.forward_transient = Bytes{states};
        op.backward_transient = Bytes{states * 2.0};
    }

    // Within a chunk of Q tokens attention without softmax, between chunks one state of N × P a head.
    //   Q N G + Q P H + 4 N P H a token, 2 a multiply-add                               [Dao24, §6]
    void scan_mamba2() {
        product("chunk_scores", chunk_, chunk_, state_, chunks_ * groups_, 0.5);
        product("chunk_values", chunk_, dim_, chunk_, chunks_ * heads_, 0.5);
        product("chunk_states", state_, dim_, chunk_, chunks_ * heads_, 1.0);
        product("chunk_outputs", chunk_, dim_, state_, chunks_ * heads_, 1.0);
        pass_states(state_, dim_, fp32);
    }

    /// Forget gates of keys and gates of the output, both through `rank`.
    void kimi_gates() {
        const double rank = static_cast<double>(r_.rank);
        build_.linear("gates_down", module, s_.tokens, 2.0 * rank, static_cast<double>(build_.model().hidden),
                      Bytes{});
        build_.linear("forget_up", module, s_.tokens, keys_, rank, bytes(2.0 * rank, 1.0));
        build_.linear("gate_up", module, s_.tokens, width_, rank, Bytes{});
        Operator& op = walk("forget_gates", 3.0 * keys_, 5.0 * keys_);
        op.saved = bytes(keys_ + width_, 1.0) + Bytes{s_.tokens * keys_ * fp32};
    }

    // Chunks of C tokens in the WY form: scores of keys with keys and queries with keys, the inverse of a
    // triangle (C³/3), keys and values transformed by it, values within the chunk, and three products with
    // the state of dk × dv.
    //   C (3 dk + 2 dv) + C²/3 + 6 dk dv a token and head               [Yang24, §3; Yang24b, §3]
    void scan_delta() {
        const double n = chunks_ * heads_;
        walk("key_norms", 4.0 * keys_, 6.0 * keys_).saved = bytes(2.0 * heads_ * state_, 1.0);
        product("chunk_scores", chunk_, chunk_, state_, 2.0 * n, 0.5);
        product("chunk_inverse", chunk_, chunk_, chunk_ / 6.0, n, 1.0);
        product("chunk_transforms", chunk_, state_ + dim_, chunk_, n, 0.5);
        product("chunk_values", chunk_, dim_, chunk_, n, 0.5);
        product("chunk_states", chunk_, dim_, state_, 3.0 * n, 1.0);
        pass_states(state_, dim_, s_.e);
        // Kept: the inverses, and the decays and step sizes in fp32.
        build_.last().saved = Bytes{s_.tokens * heads_ * (chunk_ * s_.e + 2.0 * fp32)};
    }

    // Blocks of B tokens, linear attention with a decay of its own each head.
    //   B (dk + dv) + 4 dk dv a token and head                                       [MiniMax25, §2.2]
    void scan_lightning() {
        const double n = chunks_ * heads_;
        product("chunk_scores", chunk_, chunk_, state_, n, 0.5);
        product("chunk_values", chunk_, dim_, chunk_, n, 0.5);
        product("chunk_states", state_, dim_, chunk_, n, 1.0);
        product("chunk_outputs", chunk_, dim_, state_, n, 1.0);
        pass_states(state_, dim_, s_.e);
    }

    // Block-diagonal gates, then one multiply-add a channel.                             [De24, §2.4]
    void scan_lru() {
        build_.linear("gates", module, s_.tokens, 2.0 * width_, dim_, Bytes{}, {}, true);
        Operator& op = walk("scan", 4.0 * width_, 9.0 * width_);
        op.forward_flops = Flops{2.0 * s_.tokens * width_};
        op.backward_flops = op.forward_flops * 2.0;
        op.saved = bytes(3.0 * width_, 1.0);
    }

    /// What multiplies the scan's output, normed where the mixer has a norm.
    void gate() {
        const bool per_head = r_.kind == RecurrentKind::gated_delta || r_.kind == RecurrentKind::kimi_delta;
        if (r_.norm && r_.kind != RecurrentKind::mamba && r_.kind != RecurrentKind::gated_lru &&
            r_.kind != RecurrentKind::short_convolution && r_.kind != RecurrentKind::time_mixing) {
            build_.norm("mixer_norm", s_.tokens * (per_head ? heads_ : 1.0), per_head ? dim_ : width_, false);
        } else if (r_.kind == RecurrentKind::mamba2) {
            build_.memory("scan_output", module, Bytes{}, Bytes{}, 0, 0).saved = bytes(width_, 1.0);
        }
        walk("output_gate", 3.0 * width_, 5.0 * width_).backward_transient = bytes(width_, 2.0);
    }

    /// A kernel that reads and writes so many columns a token.
    Operator& walk(std::string_view name, double forward, double backward) {
        return build_.memory(name, module, bytes(forward, 1.0), bytes(backward, 1.0), 1, 1);
    }

    OpBuilder& build_;
    const Shape& s_;
    const RecurrentSpec& r_;
    double tp_, heads_, dim_, groups_, state_, width_, keys_, chunk_, chunks_;
};

}  // namespace

void recurrent_ops(OpBuilder& build) {
    RecurrentOps(build).append();
}

}  // namespace traincost
