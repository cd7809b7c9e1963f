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
    build.enter_tensor_parallel("mlp_in", Module::mlp);
    if (m.gated_mlp && !build.stack().layer.fused_gate_up) {
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

namespace {

/// Copies of a token that leave a rank over the experts it chose, when each of n receivers (ranks of one
/// scale-up domain, else domains) gets it once: n (1 - (1 - 1/n)^k) / k for k independent choices; k n / E
/// receivers, at least one, where the choices are neighbours of E experts.
double token_copies(const Job& job, double top_k) {
    const Parallelism& p = job.run.parallel;
    const double etp = static_cast<double>(expert_tensor_parallel(p));
    const double ep = static_cast<double>(p.ep);
    const double inside = std::max(1.0, static_cast<double>(job.cluster.network.domain_size) / etp);
    const double n = ep <= inside ? ep : std::ceil(ep / inside);
    if (job.run.neighbouring_experts)
        return std::max(1.0, top_k * n / static_cast<double>(job.model.moe->experts)) / top_k;
    return n * (1.0 - std::pow(1.0 - 1.0 / n, top_k)) / top_k;
}

/// An operator whose elements are `factor` times as wide.
void widen(Operator& op, double factor) {
    for (Bytes* bytes :
         {&op.forward_bytes, &op.backward_bytes, &op.saved, &op.forward_transient, &op.backward_transient})
        *bytes *= factor;
}

/// Dispatch (or combination) by a product of each sequence's tokens with a mask of its experts' slots
/// [Lepikhin20, Sec. 2.2]. Not model FLOPs. The mask that combines holds routing weights and has a gradient.
void one_hot_product(OpBuilder& build, std::string_view name, bool combines) {
    const Shape& s = build.shape();
    const double h = static_cast<double>(build.model().hidden);
    const double tokens = s.sequence / static_cast<double>(s.cp);
    const double slots = tokens * static_cast<double>(build.model().moe->top_k) * s.expert_imbalance;
    Operator op{.name = name, .module = Module::experts, .kind = OpKind::gemm};
    op.gemm = combines ? GemmShape{tokens, h, slots, s.batch} : GemmShape{slots, h, tokens, s.batch};
    op.forward_kernels = 1;
    op.backward_kernels = combines ? 2 : 1;
    op.weight_gradient = combines;
    op.saved = Bytes{combines ? s.batch * slots * tokens * s.e : 0.0};  // one mask serves both
    build.list().push(op);
}

}  // namespace

void moe_ops(OpBuilder& build) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const MoeSpec& moe = *m.moe;
    const RunSpec& run = build.job().run;
    const double hidden = static_cast<double>(m.hidden);
    const double h = static_cast<double>(moe.latent.value_or(m.hidden));  // what experts read
    const double experts = static_cast<double>(moe.experts);
    const double ep = static_cast<double>(s.ep);
    const double etp = static_cast<double>(s.etp);
    const bool drop_all = s.again.moe;
    const bool drop_product = s.again.activation;
    const bool gated = moe.gated.value_or(m.gated_mlp);
    const std::size_t first = build.list().size();

    // Tokens this rank routes: its own part of the sequence; every one goes to top_k experts somewhere in the
    // ep group.
    const double routed = s.tokens / (s.sequence_parallel || s.etp < s.tp ? static_cast<double>(s.tp) : 1.0);
    const double copies = routed * static_cast<double>(moe.top_k) * s.expert_imbalance;
    const double f = static_cast<double>(moe.ffn) / etp;
    const double local =
        copies * etp;  // with expert tensor parallelism every rank of the group sees all its tokens

    const bool wide = autocast_misses_experts(build.job());
    constexpr double fp32 = 4.0;
    const double element = wide ? fp32 : s.e;

    Operator router{.name = "router", .module = Module::router, .kind = OpKind::gemm};
    router.gemm = {routed, experts, hidden};
    router.weights = experts * hidden;
    router.forward_flops = Flops{2.0 * routed * experts * hidden};
    router.backward_flops = router.forward_flops * 2.0;
    router.forward_kernels = 2;
    router.backward_kernels = 3;
    router.saved = build.saved_norm_output(hidden, 1) + Bytes{routed * experts * 4.0 * 2.0};
    router.weight_gradient = s.train_weights;
    build.list().push(router);
    Operator& select = build.memory("top_k", Module::router, Bytes{routed * experts * 4.0 * 6.0},
                                    Bytes{routed * experts * 4.0 * 4.0}, 10, 6);
    select.saved = Bytes{routed * static_cast<double>(moe.top_k) * (4.0 + 8.0)};

    if (moe.latent)
        build.linear("latent_down", Module::experts, routed, h, hidden, Bytes{});
    // A dispatch that groups tokens by expert spares the passes over all copies; the weighted sum over a
    // token's experts reads and writes what travelled.
    const double walks = build.stack().experts.dispatch_permutes && s.ep > 1 ? 0.0 : 2.0;
    Operator& permute = build.memory("permute", Module::experts, Bytes{copies * h * element * walks},
                                     Bytes{copies * h * s.e * walks}, 3, 3);
    permute.forward_access = permute.backward_access = MemoryAccess::gather;
    permute.forward_transient = Bytes{s.ep > 1 ? copies * h * s.e : 0.0};
    permute.backward_transient = Bytes{copies * h * s.e};
    if (run.expert_one_hot)
        one_hot_product(build, "dispatch_one_hot", false);
    const double travelling = build.stack().experts.token_dispatch
                                  ? token_copies(build.job(), static_cast<double>(moe.top_k))
                                  : 1.0;
    if (s.ep > 1) {
        const Bytes message{copies * h * s.e * travelling};
        build.communicate("dispatch", Module::experts, Group::expert, Collective::all_to_all, message,
                          Collective::all_to_all, message);
    }
    if (s.etp > 1) {
        const Bytes message{local * h * s.e};
        build.communicate("expert_gather", Module::experts, Group::expert_tensor, Collective::all_gather,
                          message, Collective::reduce_scatter, message);
    }
    if (build.stack().experts.walks > 0.0 && !s.compiled) {
        // Forward takes 0.45 of their time in the profiles that the walks are from.
        constexpr double forward_share = 0.45;
        const Bytes walked{local * (h + f) * element * build.stack().experts.walks};
        // Sorting, counting and masking: the host takes 2.5 ms for a layer of 32 experts forward and 3.6 back
        // (Granite MoE, H200, torch 2.11, 2026-11-25).
        build.memory("expert_masks", Module::experts, walked * forward_share, walked * (1.0 - forward_share),
                     56, 44);
    }
    const double local_experts = experts / ep;
    const double input_element = wide ? fp32 : build.saved_input_element(s.compiled);
    const int launches = wide ? static_cast<int>(local_experts) : 1;  // no grouped kernel takes fp32
    const auto grouped = [&](std::string_view name, double n, double k, Bytes saved) {
        Operator op{.name = name, .module = Module::experts, .kind = OpKind::grouped_gemm};
        op.gemm = {local / local_experts, n, k, local_experts};
        op.weights = n * k * local_experts;
        op.forward_flops = Flops{2.0 * local * n * k};
        op.weight_gradient = s.train_weights;
        op.backward_flops = op.forward_flops * (s.train_weights ? 2.0 : 1.0);
        op.uncast = wide;
        op.forward_kernels = launches;
        op.backward_kernels = 2 * launches;
        op.saved = s.train_weights ? saved : Bytes{};
        op.forward_transient = Bytes{local * n * element};
        op.backward_transient = Bytes{local * (n + k) * element};
        build.list().push(op);
    };
    grouped("expert_up", gated ? 2.0 * f : f, h, Bytes{local * h * input_element});
    activation_ops(build, Module::experts, local, f, gated);
    widen(build.last(), element / s.e);
    grouped("expert_down", h, f, drop_product ? Bytes{} : Bytes{local * f * input_element});
    if (s.etp > 1) {
        const Bytes message{local * h * s.e};
        build.communicate("expert_sum", Module::experts, Group::expert_tensor, Collective::reduce_scatter,
                          message, Collective::all_gather, message);
    }
    if (s.ep > 1) {
        const Bytes message{copies * h * s.e * travelling};
        build.communicate("combine", Module::experts, Group::expert, Collective::all_to_all, message,
                          Collective::all_to_all, message);
    }
    if (run.expert_one_hot)
        one_hot_product(build, "combine_one_hot", true);
    Operator& combine = build.memory("combine_weighted", Module::experts, Bytes{copies * h * element * walks},
                                     Bytes{copies * h * element * (walks + 1.0)}, 2, 3);
    combine.forward_access = combine.backward_access = MemoryAccess::gather;
    combine.saved = Bytes{copies * h * element};  // expert outputs, for the gradient of the routing weights
    combine.backward_transient = Bytes{copies * h * s.e};

    if (moe.latent)
        build.linear("latent_up", Module::experts, routed, hidden, h, Bytes{routed * h * s.e});
    if (moe.shared_ffn > 0)
        mlp_ops(build, static_cast<double>(moe.shared_ffn));
    if (moe.dense_residual_ffn)
        mlp_ops(build, static_cast<double>(*moe.dense_residual_ffn));
    if (drop_all) {
        for (std::size_t i = first; i < build.list().size(); ++i)
            build.list()[i].selective = true;
    }
}

}  // namespace traincost
