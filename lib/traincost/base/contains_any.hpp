// Whether a text has one of several parts.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace traincost {

template <class Parts>
bool contains_any(std::string_view text, const Parts& parts) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

inline bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return contains_any<std::initializer_list<std::string_view>>(text, parts);
}

}  // namespace traincost
