#include <algorithm>
#include <cmath>

#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/cost/ops/op_builder.hpp"
#include "traincost/cost/ops/quantised_weights.hpp"

namespace traincost {

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

/// What a rank routes and its experts take.
struct RoutedTokens {
    double width;       ///< that experts read
    double ffn;         ///< of an expert on a rank
    double routed;      ///< tokens a rank routes: its own part of the sequence, or its group's
    double copies;      ///< each to top_k experts somewhere in the group
    double local;       ///< copies that a rank's experts take: with expert tensor parallelism all its group's
    double gathered;    ///< rows that ranks which share experts gather before, and sum after
    double travelling;  ///< of the copies
    double walks;       ///< passes over all copies to group them by expert
    bool wide;          ///< experts run in fp32, which autocast leaves
    double element;     ///< bytes of an element between experts' products
};

RoutedTokens routed_tokens(const OpBuilder& build) {
    const Shape& s = build.shape();
    const ModelSpec& m = build.model();
    const MoeSpec& moe = *m.moe;
    const StackExperts& experts = build.stack().experts;
    const double top_k = static_cast<double>(moe.top_k);
    // Plans of distributed tensors gather a layer's input, and every rank of the group routes all of it.
    const bool routes_alike = s.etp > 1 && build.stack().layer.tensor_parallel == TensorParallelKind::dtensor;
    const bool own_part = !routes_alike && (s.sequence_parallel || s.etp < s.tp);
    const double routed = s.tokens / (own_part ? static_cast<double>(s.tp) : 1.0);
    const double copies = routed * top_k * s.expert_imbalance;
    const double local = own_part ? copies * static_cast<double>(s.etp) : copies;
    const bool wide = autocast_misses_experts(build.job());
    return {.width = static_cast<double>(moe.latent.value_or(m.hidden)),
            .ffn = static_cast<double>(moe.ffn) / static_cast<double>(s.etp),
            .routed = routed,
            .copies = copies,
            .local = local,
            .gathered = routes_alike ? routed : local,
            .travelling = experts.token_dispatch ? token_copies(build.job(), top_k) : 1.0,
            // A dispatch that groups tokens by expert spares the passes over all copies; the weighted sum
            // over a token's experts reads and writes what travelled.
            .walks = experts.dispatch_permutes && s.ep > 1 ? 0.0 : 2.0,
            .wide = wide,
            .element = wide ? 4.0 : s.e};
}

void choose(OpBuilder& build, const RoutedTokens& x) {
    const Shape& s = build.shape();
    const MoeSpec& moe = *build.model().moe;
    const double hidden = static_cast<double>(build.model().hidden);
    const double experts = static_cast<double>(moe.experts);
    Operator router{.name = "router", .module = Module::router, .kind = OpKind::gemm};
    router.gemm = {x.routed, experts, hidden};
    router.weights = experts * hidden;
    router.forward_flops = Flops{2.0 * x.routed * experts * hidden};
    router.backward_flops = router.forward_flops * 2.0;
    router.forward_kernels = 2;
    router.backward_kernels = 3;
    router.saved = build.saved_norm_output(hidden, 1) + Bytes{x.routed * experts * 4.0 * 2.0};
    router.weight_gradient = s.train_weights;
    build.list().push(router);
    Operator& select = build.memory("top_k", Module::router, Bytes{x.routed * experts * 4.0 * 6.0},
                                    Bytes{x.routed * experts * 4.0 * 4.0}, 10, 6);
    select.saved = Bytes{x.routed * static_cast<double>(moe.top_k) * (4.0 + 8.0)};
    if (moe.latent)
        build.linear("latent_down", Module::experts, x.routed, x.width, hidden, Bytes{});
}

void send_to_experts(OpBuilder& build, const RoutedTokens& x) {
    const Shape& s = build.shape();
    const double copied = x.copies * x.width;
    Operator& permute = build.memory("permute", Module::experts, Bytes{copied * x.element * x.walks},
                                     Bytes{copied * s.e * x.walks}, 3, 3);
    permute.forward_access = permute.backward_access = MemoryAccess::gather;
    permute.forward_transient = Bytes{s.ep > 1 ? copied * s.e : 0.0};
    permute.backward_transient = Bytes{copied * s.e};
    if (build.job().run.expert_one_hot)
        one_hot_product(build, "dispatch_one_hot", false);
    if (s.ep > 1) {
        const Bytes message{copied * s.e * x.travelling};
        build.communicate("dispatch", Module::experts, Group::expert, Collective::all_to_all, message,
                          Collective::all_to_all, message);
    }
    if (s.etp > 1) {
        const Bytes message{x.gathered * x.width * s.e};
        build.communicate("expert_gather", Module::experts, Group::expert_tensor, Collective::all_gather,
                          message, Collective::reduce_scatter, message);
    }
}

/// One product of all a rank's experts, each with its own tokens.
void grouped_product(OpBuilder& build, const RoutedTokens& x, std::string_view name, double n, double k,
                     Bytes saved) {
    const Shape& s = build.shape();
    const double experts = static_cast<double>(build.model().moe->experts) / static_cast<double>(s.ep);
    const int launches = x.wide ? static_cast<int>(experts) : 1;  // no grouped kernel takes fp32
    Operator op{.name = name, .module = Module::experts, .kind = OpKind::grouped_gemm};
    op.gemm = {x.local / experts, n, k, experts};
    op.weights = n * k * experts;
    op.forward_flops = Flops{2.0 * x.local * n * k};
    op.weight_gradient = s.train_weights;
    op.backward_flops = op.forward_flops * (s.train_weights ? 2.0 : 1.0);
    op.uncast = x.wide;
    op.forward_kernels = launches;
    op.backward_kernels = 2 * launches;
    op.saved = s.train_weights ? saved : Bytes{};
    op.forward_transient = Bytes{x.local * n * x.element};
    op.backward_transient = Bytes{x.local * (n + k) * x.element};
    if (has_quantised_weights(build.job(), Module::experts))
        restore_weights(build, op, static_cast<int>(experts));
    build.list().push(op);
}

void run_experts(OpBuilder& build, const RoutedTokens& x) {
    const Shape& s = build.shape();
    const double walks = build.stack().experts.walks;
    if (walks > 0.0 && !s.compiled) {
        // Forward takes 0.45 of their time in the profiles that the walks are from.
        constexpr double forward_share = 0.45;
        const Bytes walked{x.local * (x.width + x.ffn) * x.element * walks};
        // Sorting, counting and masking: the host takes 2.5 ms for a layer of 32 experts forward and 3.6 back
        // (Granite MoE, H200, torch 2.11, 2026-11-25).
        build.memory("expert_masks", Module::experts, walked * forward_share, walked * (1.0 - forward_share),
                     56, 44);
    }
    const bool gated = build.model().moe->gated.value_or(build.model().gated_mlp);
    const double kept = x.wide ? x.element : build.saved_input_element(s.compiled);
    grouped_product(build, x, "expert_up", gated ? 2.0 * x.ffn : x.ffn, x.width,
                    Bytes{x.local * x.width * kept});
    activation_ops(build, Module::experts, x.local, x.ffn, gated);
    widen(build.last(), x.element / s.e);
    grouped_product(build, x, "expert_down", x.width, x.ffn,
                    s.again.activation ? Bytes{} : Bytes{x.local * x.ffn * kept});
}

/// Whether compilation covers what moves routed rows.
bool rows_are_compiled(const OpBuilder& build) {
    return build.shape().compiled && build.stack().experts.compiles_rows;
}

/// Kernels over the rows of all routed tokens that neither group nor sum them: padding, casts, scattered
/// sums.
void row_passes(OpBuilder& build, const RoutedTokens& x) {
    const StackExperts& experts = build.stack().experts;
    if (experts.row_passes_forward + experts.row_passes_backward <= 0.0 || rows_are_compiled(build))
        return;
    const Bytes rows{x.copies * x.width * x.element};
    build.memory("expert_rows", Module::experts, rows * experts.row_passes_forward,
                 rows * experts.row_passes_backward, 8, 9);
}

void bring_back(OpBuilder& build, const RoutedTokens& x) {
    const Shape& s = build.shape();
    const double copied = x.copies * x.width;
    if (s.etp > 1) {
        const Bytes message{x.gathered * x.width * s.e};
        build.communicate("expert_sum", Module::experts, Group::expert_tensor, Collective::reduce_scatter,
                          message, Collective::all_gather, message);
    }
    if (s.ep > 1) {
        const Bytes message{copied * s.e * x.travelling};
        build.communicate("combine", Module::experts, Group::expert, Collective::all_to_all, message,
                          Collective::all_to_all, message);
    }
    if (build.job().run.expert_one_hot)
        one_hot_product(build, "combine_one_hot", true);
    row_passes(build, x);
    Operator& combine = build.memory("combine_weighted", Module::experts, Bytes{copied * x.element * x.walks},
                                     Bytes{copied * x.element * (x.walks + 1.0)}, 2, 3);
    combine.forward_access = combine.backward_access = MemoryAccess::gather;
    // Expert outputs, for the gradients of the routing weights and of the sum.
    const double kept = rows_are_compiled(build) ? 1.0 : build.stack().experts.row_copies_kept;
    combine.saved = Bytes{copied * x.element * kept};
    combine.backward_transient = Bytes{copied * s.e * kept};
    if (build.model().moe->latent)
        build.linear("latent_up", Module::experts, x.routed, static_cast<double>(build.model().hidden),
                     x.width, Bytes{x.routed * x.width * s.e});
}

}  // namespace

void moe_ops(OpBuilder& build) {
    const MoeSpec& moe = *build.model().moe;
    const std::size_t first = build.list().size();
    const RoutedTokens x = routed_tokens(build);
    choose(build, x);
    send_to_experts(build, x);
    run_experts(build, x);
    bring_back(build, x);
    if (moe.shared_ffn > 0)
        mlp_ops(build, static_cast<double>(moe.shared_ffn));
    if (moe.dense_residual_ffn)
        mlp_ops(build, static_cast<double>(*moe.dense_residual_ffn));
    if (build.shape().again.moe) {
        for (std::size_t i = first; i < build.list().size(); ++i)
            build.list()[i].selective = true;
    }
}

}  // namespace traincost
