#include "traincost/spec/accelerator.hpp"

#include "traincost/spec/check.hpp"

namespace traincost {

std::optional<FlopRate> peak_rate(const AcceleratorSpec& accelerator, DataType type) {
    const auto at = [&](DataType t) { return accelerator.peak[static_cast<std::size_t>(t)]; };
    if (const auto own = at(type))
        return own;
    switch (type) {
        case DataType::bf16:
            return at(DataType::fp16);
        case DataType::fp16:
            return at(DataType::bf16);
        case DataType::tf32:
            return at(DataType::fp32);
        case DataType::fp32:
            return accelerator.vector_fp32;
        case DataType::mxfp8:
            return at(DataType::fp8);
        default:
            return std::nullopt;
    }
}

Bytes usable_memory(const AcceleratorSpec& accelerator) {
    return accelerator.memory_usable.value_or(accelerator.memory);
}

void validate(const AcceleratorSpec& a, std::vector<Problem>& problems) {
    Checker check(problems, "cluster.accelerator.");
    check.positive("memory", a.memory.value());
    check.positive("memory_bandwidth", a.memory_bandwidth.value());
    bool any = false;
    for (const auto& peak : a.peak) {
        if (!peak)
            continue;
        any = true;
        check.positive("peak", peak->value());
    }
    if (!any)
        check.add("peak", "names no dense matrix rate");
}

}  // namespace traincost
