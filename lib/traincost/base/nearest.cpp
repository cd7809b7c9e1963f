#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "traincost/base/name_distance.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

template <class String>
std::optional<std::string> nearest_of(std::string_view name, std::span<const String> candidates) {
    // Distances take time of both lengths' product, and nobody mistypes so long a name.
    constexpr std::size_t longest = 100;
    if (name.size() > longest) {
        return std::nullopt;
    }
    const std::string wanted = lower(name);
    // A third of the characters may be wrong, and of a short name one, be it a digit.
    NameDistance best{.cost = (std::max(1, static_cast<int>(wanted.size()) / 3) + 1) * cost_of_character,
                      .prefix = 0};
    std::optional<std::string> nearest;
    for (const String& candidate : candidates) {
        if (candidate.size() > longest) {
            continue;
        }
        const NameDistance here = name_distance(wanted, lower(candidate));
        if (here < best) {
            best = here;
            nearest = std::string(candidate);
        }
    }
    return nearest;
}

std::string suggestion(const std::optional<std::string>& name) {
    return name ? fmt::format("; did you mean '{}'?", *name) : "";
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
    return nearest_of(name, candidates);
}

std::optional<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates) {
    return nearest_of(name, candidates);
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    return suggestion(nearest(name, candidates));
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
    return suggestion(nearest(name, candidates));
}

}  // namespace traincost
