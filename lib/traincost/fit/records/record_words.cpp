#include "traincost/fit/records/record_words.hpp"

#include <algorithm>

#include "traincost/base/decimal.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

bool says(std::string_view text, std::string_view words) {
    return text.find(words) != std::string_view::npos;
}

bool says_any(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return says(text, w); });
}

std::optional<std::int64_t> number_after(std::string_view text, std::string_view words) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos)
        return std::nullopt;
    const std::size_t digits = text.find_first_of("0123456789", at + words.size());
    if (digits == std::string_view::npos)
        return std::nullopt;
    std::int64_t number = 0;
    for (std::size_t i = digits;
         i < text.size() && text[i] >= '0' && text[i] <= '9' && number < 1'000'000'000; ++i)
        number = number * 10 + (text[i] - '0');
    return number;
}

std::int64_t every_in(std::string_view text) {
    constexpr std::string_view every = "every ";
    const std::size_t at = text.find(every);
    if (at == std::string_view::npos)
        return 1;
    const std::string_view rest = text.substr(at + every.size());
    const std::string_view what = rest.substr(0, rest.find_first_of(";,."));
    if (!says_any(what, {"block", "layer"}))
        return 1;
    if (says_any(what, {"other ", "second "}))
        return 2;
    const bool counted = what.front() >= '1' && what.front() <= '9';
    return counted ? number_after(what, "").value_or(1) : 1;
}

std::optional<double> fraction_in(std::string_view text) {
    double x = 0.0;
    const auto [end, error] = read_decimal(text.data(), text.data() + text.size(), x);
    if (error != std::errc{} || end != text.data() + text.size() || !(x >= 0.0 && x < 1.0))
        return std::nullopt;
    return x;
}

std::string_view value_after(std::string_view text, std::string_view key) {
    const std::size_t at = text.find(key);
    if (at == std::string_view::npos)
        return {};
    constexpr std::string_view marks = "\": ";
    const std::size_t begin = text.find_first_not_of(marks, at + key.size());
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_first_of("\",} ", begin) - begin);
}

std::string spelt(std::string_view word, char joint, Spellings others) {
    std::string result = lower(word);
    std::replace_if(
        result.begin(), result.end(), [](char c) { return c == ' ' || c == '-' || c == '_'; }, joint);
    const auto other =
        std::find_if(others.begin(), others.end(), [&](const auto& o) { return o.first == result; });
    return other == others.end() ? result : std::string(other->second);
}

}  // namespace traincost
