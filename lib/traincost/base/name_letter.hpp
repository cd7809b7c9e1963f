// Which characters make a name in a program.
#pragma once

namespace traincost {

/// A letter of a name as shells and Python spell it: ASCII letters, digits, the underscore.
constexpr bool is_name_letter(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace traincost
