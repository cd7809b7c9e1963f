#include "traincost/spec/adapter_format.hpp"

namespace traincost {

namespace {

bool narrow(DataType type) {
    return type == DataType::bf16 || type == DataType::fp16;
}

/// Quantised bases are left out: PEFT's layers over them leave the input to autocast.
bool over_narrow_base(const StackSpec& stack, const Precision& p, Tuning tuning) {
    return tuning == Tuning::lora && !p.base && narrow(p.weights) && wraps_products(stack);
}

}  // namespace

bool wraps_products(const StackSpec& stack) {
    return stack.host.per_adapter.value() > 0.0 && !stack.layer.adapter_fused;
}

bool stores_weights_narrow(const StackSpec& stack, Tuning tuning) {
    return stack.states.amp == CastMode::none || (tuning == Tuning::lora && wraps_products(stack));
}

AdapterFormat adapter_format(const RunSpec& run, const StackSpec& stack) {
    const Precision& p = run.precision;
    if (!over_narrow_base(stack, p, run.tuning) || p.gradients != DataType::fp32)
        return AdapterFormat::base;
    return p.master ? AdapterFormat::autocast : AdapterFormat::fp32;
}

Precision pair_precision(const RunSpec& run, const StackSpec& stack) {
    Precision p = run.precision;
    p.master.reset();
    if (adapter_format(run, stack) != AdapterFormat::base)
        p.weights = p.moments = DataType::fp32;
    return p;
}

Precision tuned_precision(const StackSpec& stack, const Precision& recipe, Tuning tuning) {
    Precision p = stack_precision(stack.states, recipe);
    if (over_narrow_base(stack, p, tuning)) {
        p.gradients = p.moments = DataType::fp32;
        p.master = DataType::fp32;
    }
    return p;
}

}  // namespace traincost
