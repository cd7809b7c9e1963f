#include "traincost/spec/data_type.hpp"

#include <array>
#include <utility>

#include "traincost/spec/names.hpp"

namespace traincost {

Bytes bytes_per_element(DataType type) {
    constexpr double nf4_bits =
        4.0 + 8.0 / 64.0 +
        32.0 / (64.0 * 256.0);  // codes + 8-bit scales + second-level scales [Dettmers23, §3]
    switch (type) {
        case DataType::fp32:
        case DataType::tf32:
            return Bytes{4.0};
        case DataType::bf16:
        case DataType::fp16:
            return Bytes{2.0};
        case DataType::fp8:
        case DataType::int8:
            return Bytes{1.0};
        case DataType::mxfp8:
            return Bytes{1.0 + 1.0 / 32.0};
        case DataType::fp4:
            return Bytes{0.5 + 1.0 / 16.0};
        case DataType::nf4:
            return Bytes{nf4_bits / 8.0};
    }
    return Bytes{4.0};
}

std::string_view to_string(DataType type) {
    return name_of(type);
}

std::optional<DataType> data_type_from(std::string_view name) {
    return value_of<DataType>(name);
}

namespace {

using enum DataType;

constexpr std::array<std::pair<std::string_view, Precision>, 17> recipes{{
    // weights, gradients, master, moments, compute, gemm, reduce, autocast, base
    {"bf16-mixed", {bf16, fp32, fp32, fp32, bf16, bf16, fp32, false, std::nullopt}},
    {"fp16-mixed", {fp16, fp16, fp32, fp32, fp16, fp16, fp16, false, std::nullopt}},
    {"bf16-amp", {fp32, fp32, std::nullopt, fp32, bf16, bf16, fp32, true, std::nullopt}},
    {"fp16-amp", {fp32, fp32, std::nullopt, fp32, fp16, fp16, fp32, true, std::nullopt}},
    {"fp16-base-bf16", {fp16, fp32, std::nullopt, fp32, bf16, bf16, fp32, true, std::nullopt}},
    {"bf16-base-fp16", {bf16, fp32, std::nullopt, fp32, fp16, fp16, fp32, true, std::nullopt}},
    {"bf16-pure", {bf16, bf16, std::nullopt, bf16, bf16, bf16, bf16, false, std::nullopt}},
    {"fp16-pure", {fp16, fp16, std::nullopt, fp16, fp16, fp16, fp16, false, std::nullopt}},
    {"fp8-mixed", {bf16, fp32, fp32, fp32, bf16, fp8, fp32, false, std::nullopt}},
    {"mxfp8-mixed", {bf16, fp32, fp32, fp32, bf16, mxfp8, fp32, false, std::nullopt}},
    {"fp4-mixed", {bf16, fp32, fp32, fp32, bf16, fp4, fp32, false, std::nullopt}},
    {"tf32", {fp32, fp32, std::nullopt, fp32, fp32, tf32, fp32, false, std::nullopt}},
    {"fp32", {fp32, fp32, std::nullopt, fp32, fp32, fp32, fp32, false, std::nullopt}},
    {"nf4-base", {bf16, bf16, std::nullopt, bf16, bf16, bf16, bf16, false, nf4}},
    {"nf4-base-fp16", {fp16, fp16, std::nullopt, fp16, fp16, fp16, fp16, false, nf4}},
    {"nf4-base-amp", {fp32, fp32, std::nullopt, fp32, fp32, bf16, fp32, true, nf4}},
    {"nf4-base-fp32", {fp32, fp32, std::nullopt, fp32, fp32, fp32, fp32, false, nf4}},
}};

constexpr auto recipe_names = [] {
    std::array<std::string_view, recipes.size()> names{};
    for (std::size_t i = 0; i < recipes.size(); ++i)
        names[i] = recipes[i].first;
    return names;
}();

}  // namespace

bool multiplies_narrow(const Precision& precision) {
    return bytes_per_element(precision.gemm) < bytes_per_element(DataType::bf16);
}

std::optional<Precision> precision_from(std::string_view name) {
    for (const auto& [recipe, precision] : recipes) {
        if (recipe == name)
            return precision;
    }
    return std::nullopt;
}

std::span<const std::string_view> precision_names() {
    return recipe_names;
}

}  // namespace traincost
