#include "traincost/fit/records/flop_definition.hpp"

#include <array>
#include <string>

#include "traincost/base/contains_any.hpp"
#include "traincost/cost/params.hpp"

namespace traincost {

namespace {

std::optional<FlopCount> count_from(std::string_view text) {
    if (contains_any(text, {"params*tokens", "6nd", "8nd"}))
        return FlopCount::six_nd;
    if (contains_any(text, {"sc21", "megatron hardware", "megatron formula", "96*b*s*l*h^2", "72*b*s*l*h^2"}))
        return FlopCount::megatron;
    if (contains_any(text, {"n includes embedding"}))
        return FlopCount::six_nd_full;
    if (contains_any(text, {"matmul params incl. lm head", "palm"}))
        return FlopCount::palm;
    if (contains_any(text,
                     {"not halved", "full attention", "full (non-causal) attention", "non-causal attention"}))
        return FlopCount::exact_full;
    if (contains_any(text, {"attention halved", "causal attention", "halved for causality"}))
        return FlopCount::exact;
    // The counters of NeMo and MaxText take attention over all keys unless they say otherwise.
    if (contains_any(text, {"nvidia model flops", "maxtext", "model flops", "model tflops"}))
        return FlopCount::exact_full;
    return std::nullopt;
}

RecomputeCount recompute_from(std::string_view text) {
    if (contains_any(text, {"when activation ckpt is on", "when recompute is on"}))
        return RecomputeCount::as_run;
    if (contains_any(text, {"8*params*tokens", "8nd", "incl. full", "incl. recompute", "including recompute",
                            "96*b*s*l*h^2"}))
        return RecomputeCount::always;
    return RecomputeCount::never;
}

// Full attention of forward and backward, 12 L H Q T a token [Chowdhery22, App. B].
Flops full_attention_flops(const Job& job) {
    const double L = static_cast<double>(attention_layers(job.model));
    const double H = static_cast<double>(job.model.heads);
    const double Q = static_cast<double>(job.model.head_dim);
    const double T = static_cast<double>(job.run.sequence);
    return Flops{12.0 * L * H * Q * T * T * static_cast<double>(job.run.global_batch)};
}

Flops counted(const Job& job, FlopCount count) {
    switch (count) {
        case FlopCount::exact:
            return model_flops(job, FlopConvention::exact);
        case FlopCount::exact_full:
            return model_flops(job, FlopConvention::exact_full);
        case FlopCount::megatron:
            return model_flops(job, FlopConvention::megatron);
        case FlopCount::six_nd:
            return model_flops(job, FlopConvention::six_nd);
        case FlopCount::six_nd_full:
            return model_flops(job, FlopConvention::six_nd) + full_attention_flops(job);
        case FlopCount::palm:
            return model_flops(job, FlopConvention::palm);
    }
    return Flops{};
}

// What 72 B s L h² V/12hL counts for one pass of three: the head.
Flops megatron_head_pass(const Job& job) {
    const double B = static_cast<double>(job.run.global_batch);
    const double s = static_cast<double>(job.run.sequence);
    const double h = static_cast<double>(job.model.hidden);
    const double V = static_cast<double>(job.model.vocab);
    return Flops{2.0 * B * s * h * V};
}

}  // namespace

std::optional<FlopDefinition> flop_definition_from(std::string_view words) {
    std::string text(words);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const std::optional<FlopCount> count = count_from(text);
    if (!count)
        return std::nullopt;
    return FlopDefinition{*count, recompute_from(text)};
}

Flops defined_flops(const Job& job, const FlopDefinition& definition) {
    const Flops model = counted(job, definition.count);
    const bool again =
        definition.recompute == RecomputeCount::always ||
        (definition.recompute == RecomputeCount::as_run && job.run.recompute == Recompute::full);
    if (!again)
        return model;
    const Flops third = model / 3.0;
    return model + third - (definition.count == FlopCount::megatron ? megatron_head_pass(job) : Flops{});
}

}  // namespace traincost
