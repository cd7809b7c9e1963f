#include "traincost/spec/accelerator.hpp"

#include <algorithm>
#include <utility>

#include "traincost/spec/check.hpp"

namespace traincost {

std::optional<FlopRate> peak_rate(const AcceleratorSpec& accelerator, DataType type) {
    const auto at = [&](DataType t) { return accelerator.peak[static_cast<std::size_t>(t)]; };
    if (const auto own = at(type))
        return own;
    switch (type) {
        case DataType::bf16:
            return peak_rate(accelerator, DataType::fp32);
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

bool emulates(const AcceleratorSpec& accelerator, DataType type) {
    const auto has = [&](DataType t) { return accelerator.peak[static_cast<std::size_t>(t)].has_value(); };
    return type == DataType::bf16 && !has(DataType::bf16) && has(DataType::fp16);
}

std::optional<FlopRate> sixteen_bit_rate(const AcceleratorSpec& accelerator) {
    return peak_rate(accelerator, emulates(accelerator, DataType::bf16) ? DataType::fp16 : DataType::bf16);
}

Bytes usable_memory(const AcceleratorSpec& accelerator) {
    return accelerator.memory_usable.value_or(accelerator.memory);
}

void validate(const AcceleratorSpec& a, std::vector<Problem>& problems) {
    // A thousand times what any package has, and a thousandth.
    constexpr double least = 1e6;  // of bytes, hertz, bytes and operations a second
    constexpr double most_bytes = 1e15;
    constexpr double fastest_bytes = 1e17;
    constexpr double fastest_flops = 1e20;
    Checker check(problems, "cluster.accelerator.");
    check.name("id", a.id);
    check.in_range("memory", a.memory, least, most_bytes);
    check.in_range("memory_usable", a.memory_usable, least, most_bytes);
    check.in_range("memory_bandwidth", a.memory_bandwidth, least, fastest_bytes);
    for (const auto& peak : a.peak)
        check.in_range("peak", peak, least, fastest_flops);
    if (std::none_of(a.peak.begin(), a.peak.end(), [](const auto& peak) { return peak.has_value(); }))
        check.add("peak", "names no dense matrix rate");
    check.in_range("vector_fp32", a.vector_fp32, least, fastest_flops);
    check.between("compute_units", a.compute_units, 0, 1'000'000);
    check.in_range("clock", a.clock_hz, least, 1e12);
    check.in_range("l2", a.l2, 1.0, most_bytes);
    for (const auto& [name, link] : {std::pair{"scale_up", &a.scale_up}, std::pair{"pcie", &a.pcie}}) {
        if (*link) {
            check.in_range(name, (*link)->per_direction, least, fastest_bytes);
            check.between(name, (*link)->links, 0, 1'000'000);
        }
    }
    check.in_range("tdp_W", a.tdp_w, 1e-3, 1e7);
    check.in_range("price", a.price, 0.0, 1e12);
}

}  // namespace traincost
