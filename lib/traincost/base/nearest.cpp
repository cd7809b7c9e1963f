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

/// Whether a word or a number ends before `at`.
bool is_break(std::string_view text, std::size_t at) {
    const auto kind = [](char c) { return c >= 'a' && c <= 'z' ? 1 : c >= '0' && c <= '9' ? 2 : 0; };
    if (at == 0 || at >= text.size())
        return true;
    return kind(text[at - 1]) == 0 || kind(text[at - 1]) != kind(text[at]);
}

enum class Place { nowhere, beginning, further_on };

/// Where a name, in lower case, has the words `wanted`.
Place place_of(std::string_view wanted, std::string_view name) {
    const std::size_t at = name.find(wanted);
    if (wanted.empty() || at == name.npos || !is_break(name, at) || !is_break(name, at + wanted.size()))
        return Place::nowhere;
    return at == 0 ? Place::beginning : Place::further_on;
}

/// The one candidate that begins so; none where several do.
template <class String>
std::optional<std::string> only_one_with(std::string_view wanted, std::span<const String> candidates) {
    std::optional<std::string> found;
    for (const String& candidate : candidates) {
        if (place_of(wanted, lower(candidate)) != Place::beginning)
            continue;
        if (found)
            return std::nullopt;
        found = std::string(candidate);
    }
    return found;
}

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
    return nearest ? nearest : only_one_with(wanted, candidates);
}

std::string suggestion(const std::optional<std::string>& name) {
    return name ? fmt::format("; did you mean '{}'?", *name) : "";
}

}  // namespace

std::vector<std::string> names_with(std::string_view name, std::span<const std::string> candidates) {
    const std::string wanted = lower(name);
    std::vector<std::string> beginning;
    std::vector<std::string> further_on;
    for (const std::string& candidate : candidates) {
        const Place place = place_of(wanted, lower(candidate));
        if (place != Place::nowhere)
            (place == Place::beginning ? beginning : further_on).push_back(candidate);
    }
    return beginning.empty() ? further_on : beginning;
}

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
