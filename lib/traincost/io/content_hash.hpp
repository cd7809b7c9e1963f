// A short fingerprint of a text, to notice damage and mix-ups; no protection against intent.
#pragma once

#include <string>
#include <string_view>

namespace traincost {

/// 64-bit FNV-1a in sixteen hexadecimal digits [Noll91].
std::string content_hash(std::string_view text);

}  // namespace traincost
