#include "traincost/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 3> names = {"table", "csv", "markdown"};

template <class Number>
Cell quantity_cell(Number x, std::string_view unit) {
    return {.text = to_text(x), .exact = to_exact(x.value()), .unit = std::string(unit), .number = true};
}

}  // namespace

Cell text_cell(std::string_view text) {
    return {.text = std::string(text)};
}

Cell count_cell(std::int64_t x) {
    return {.text = std::to_string(x), .number = true};
}

Cell short_count_cell(double x) {
    return {.text = count_text(x), .exact = to_exact(x), .number = true};
}

Cell number_cell(double x) {
    return {.text = to_significant(x), .exact = to_exact(x), .number = true};
}

Cell percent_cell(double x) {
    return {.text = percent_text(x), .exact = to_exact(x), .number = true};
}

Cell percent_cell(const std::optional<double>& x) {
    return x ? percent_cell(*x) : empty_cell();
}

Cell signed_percent_cell(double x) {
    Cell cell = percent_cell(x);
    if (x > 0.0)
        cell.text = "+" + cell.text;
    return cell;
}

Cell share_cell(double x) {
    constexpr double percent = 100.0;
    return {.text = fmt::format("{:.1f}%", finite(x) * percent), .exact = to_exact(x), .number = true};
}

Cell cell(Bytes x) {
    return quantity_cell(x, "byte");
}
Cell cell(Flops x) {
    return quantity_cell(x, "flop");
}
Cell cell(Seconds x) {
    return quantity_cell(x, "s");
}
Cell cell(Dollars x) {
    return quantity_cell(x, "USD");
}
Cell cell(ByteRate x) {
    return quantity_cell(x, "byte/s");
}
Cell cell(FlopRate x) {
    return quantity_cell(x, "flop/s");
}

Cell empty_cell() {
    return {.text = "-"};
}

std::optional<Format> format_from(std::string_view name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? std::nullopt
                                : std::optional(static_cast<Format>(std::distance(names.begin(), found)));
}

std::span<const std::string_view> format_names() {
    return names;
}

}  // namespace traincost
