// Names that a part of them may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace traincost {

/// The end of an error message: "; did you mean 't5-3b' or 't5-11b'?" of the ids that have `name` in them, a
/// few of many with the command that lists them, "traincost list models"; nothing where none has.
std::string meant_by_part(std::string_view name, std::span<const std::string> ids, const std::string& list);

}  // namespace traincost
