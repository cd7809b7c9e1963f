#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "traincost/io/json.hpp"

namespace traincost::io {

/// `Error` of kind input at `where`.
[[noreturn]] void fail_at(const std::string& where, const std::string& message);

/// "line 3, column 12"
std::string position_text(std::string_view text, std::size_t offset);

/// One line of at most 60 characters of what was given.
std::string shorten(std::string text);

/// "file:/json/pointer" of a value of the document; the file alone for its root.
std::string where_text(const JsonDocument& document, const JsonValue* value);

}  // namespace traincost::io
