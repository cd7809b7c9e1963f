// What the few filters of a pipe that count and cut make of a text. Nothing is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace traincost {

/// The output of "tr ',' '\n' | wc -l" for `text`, without its last newline; nothing where a filter is none
/// of those known: tr, wc, cut, grep -o, awk of a field, of their number or of a sum, xargs.
std::optional<std::string> filtered(std::string text, std::string_view filters);

}  // namespace traincost
