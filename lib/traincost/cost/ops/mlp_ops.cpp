#include <algorithm>
#include <cmath>
#include <optional>

#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/cost/ops/op_builder.hpp"

namespace traincost {

namespace {

/// Bytes an element of the hidden width an eager non-linearity keeps besides the down projection's input, its
/// passes over memory in compute elements, and its launches.
struct ActivationCost {
    double saved;
    double forward_passes;
    double backward_passes;
    int forward_kernels;
    int backward_kernels;
};

/// What Transformers' activation modules that are written out take, eager, where the MLP has no gate:
/// kernels, kept bytes and walked passes counted on one H200 (torch 2.11, transformers 5.17, 2026-11-26).
/// Autocast runs powers and exponentials in fp32, and what follows them.
std::optional<ActivationCost> written_out_cost(Activation activation, const Shape& s) {
    const double e = s.e;
    switch (activation) {
        case Activation::gelu_new:  // x/2 · (1 + tanh(c (x + 0.044715 x³))): x, tanh, 1 + tanh and x/2 are
                                    // kept
            return s.autocast ? ActivationCost{e + 12.0, 30.0, 40.0, 10, 14}
                              : ActivationCost{4.0 * e, 17.0, 22.0, 8, 12};
        case Activation::gelu_fast:
            return ActivationCost{7.0 * e, 16.0, 28.0, 9, 13};
        case Activation::quick_gelu:
            return ActivationCost{2.0 * e, 6.5, 11.0, 3, 5};
        case Activation::xielu:
            return s.autocast ? ActivationCost{e + 13.0, 62.0, 105.0, 18, 41}
                              : ActivationCost{4.5 * e, 39.0, 70.0, 15, 33};
        default:
            return std::nullopt;
    }
}

ActivationCost activation_cost(Activation activation, bool gated, bool fused, bool written_out,
                               const Shape& s) {
    const double e = s.e;
    if (gated && !fused && written_out && activation == Activation::gelu_new) {
        // As written out, then its output and up; under autocast the output is fp32, and so what is kept of
        // it.
        return s.autocast ? ActivationCost{2.0 * e + 16.0, 33.0, 45.0, 11, 16}
                          : ActivationCost{6.0 * e, 20.0, 27.0, 9, 14};
    }
    if (gated) {
        // eager: gate, act(gate) and up are kept; fused: gate and up.
        return fused ? ActivationCost{2.0 * e, 3.0, 5.0, 1, 1} : ActivationCost{3.0 * e, 5.0, 8.0, 2, 3};
    }
    if (const auto cost = written_out_cost(activation, s); cost && written_out && !fused)
        return *cost;
    switch (activation) {
        case Activation::relu:
            return {0.0, 2.0, 3.0, 1, 1};  // its output is also the next input
        case Activation::squared_relu:
            if (fused)
                return {e, 2.0, 3.0, 1, 1};
            // Autocast squares in fp32: the ReLU's output is kept in both formats.
            return s.autocast ? ActivationCost{e + 4.0, 10.0, 16.0, 3, 5} : ActivationCost{e, 3.0, 7.0, 2, 4};
        default:
            return {e, 2.0, 3.0, 1, 1};
    }
}

/// The operators from `first` on take the sequence in pieces: the input stays whole, all else is there for a
/// piece at a time and made again before the piece's backward pass.
void tile(OpBuilder& build, std::size_t first) {
    const double tiles = build.shape().mlp_tiles;
    Operator input{.name = "mlp_input", .module = Module::mlp, .kind = OpKind::memory};
    for (std::size_t i = first; i < build.list().size(); ++i) {
        Operator& op = build.list()[i];
        if (op.module != Module::mlp || op.kind == OpKind::communication)
            continue;
        if (op.kind == OpKind::gemm && input.saved.value() == 0.0) {
            input.saved = op.saved;
            op.saved = Bytes{};
        }
        op.saved = op.saved / tiles;
        op.forward_transient = op.forward_transient / tiles;
        op.backward_transient = op.backward_transient / tiles;
        op.selective = true;
    }
    build.list().push(input);
}

}  // namespace

void activation_ops(OpBuilder& build, Module module, double rows, double width, bool gated) {
    const Shape& s = build.shape();
    const bool fused = build.stack().layer.activation == ActivationKernel::fused || s.fused.mlp;
    const ActivationCost cost =
        activation_cost(build.model().activation, gated, fused, build.stack().layer.written_out_gelu, s);
    const double n = rows * width;
    const double written_out = gated && build.model().activation == Activation::swiglu_clamped
                                   ? build.stack().experts.clamped_glu_passes
                                   : 0.0;
    const bool modules = s.again.activation;
    Operator& op =
        build.memory("activation", module, Bytes{n * s.e * (cost.forward_passes + written_out / 3.0)},
                     Bytes{n * s.e * (cost.backward_passes + written_out * 2.0 / 3.0)}, cost.forward_kernels,
                     cost.backward_kernels);
    // The pre-activations stay under selective recompute; the product is made again.
    if (!gated && build.model().activation != Activation::relu)
        op.forward_access = op.backward_access = MemoryAccess::gelu;
    op.saved = Bytes{n * cost.saved};
    if (build.job().run.activation_input_fp8)
        op.saved -= Bytes{n * (gated ? 2.0 : 1.0) * (s.e - 1.0)};
    op.forward_transient = Bytes{n * s.e};
    op.backward_transient =
        build.stack().layer.inplace_backward ? Bytes{n * s.e} : Bytes{n * s.e * (gated ? 3.0 : 2.0)};
    if (modules)
        op.backward_transient += Bytes{n * s.e};
}

void mlp_ops(OpBuilder& build, double ffn) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const double h = static_cast<double>(m.hidden);
    const double f = ffn / static_cast<double>(s.tp);
    const LowRank adapt = low_rank_pair(build.job().run.adapter.mlp);
    const bool drop_all = s.again.mlp;
    const bool drop_product = s.again.activation;
    const std::size_t first = build.list().size();
    const bool apart = m.gated_mlp && !build.stack().layer.fused_gate_up;
    build.enter_tensor_parallel("mlp_in", Module::mlp, apart ? 2 : 1);
    if (apart) {
        build.linear("gate", Module::mlp, s.tokens, f, h, build.saved_norm_output(h, 2), adapt, m.bias.mlp,
                     2);
        build.linear("up", Module::mlp, s.tokens, f, h, Bytes{}, adapt, m.bias.mlp);
    } else {
        build.linear("up", Module::mlp, s.tokens, m.gated_mlp ? 2.0 * f : f, h, build.saved_norm_output(h, 1),
                     adapt, m.bias.mlp, 1);
    }
    if (m.bias.mlp)
        build.add_bias(s.tokens * f * (m.gated_mlp ? 2.0 : 1.0),
                       build.stack().layer.activation == ActivationKernel::fused);
    activation_ops(build, Module::mlp, s.tokens, f, m.gated_mlp);
    // Encoder-decoders drop out what goes into the second product too (T5, BART).
    if (m.architecture == Architecture::encoder_decoder && s.dropout > 0.0) {
        const double n = s.tokens * f;
        const Bytes walked{n * (2.0 * s.e + 1.0)};
        build.memory("mlp_dropout", Module::mlp, walked, walked, 1, 1).saved = Bytes{n};
        build.last().forward_access = build.last().backward_access = MemoryAccess::dropout;
    }
    const bool made_again = drop_product || build.stack().layer.inplace_backward;
    build.linear("down", Module::mlp, s.tokens, h, f,
                 made_again ? Bytes{} : Bytes{s.tokens * f * build.saved_input_element(s.fused.mlp)},
                 low_rank_pair(build.job().run.adapter.mlp, s.tokens_sp), m.bias.mlp);
    if (m.bias.mlp)
        build.add_bias(s.tokens * h, build.stack().layer.bias_dropout_fused);
    build.leave_tensor_parallel("mlp_sum", Module::mlp);
    if (s.mlp_tiles > 1.0)
        tile(build, first);
    if (drop_all) {
        for (std::size_t i = first; i < build.list().size(); ++i)
            build.list()[i].selective = true;
    }
}

}  // namespace traincost
