// Texts of any length in messages of bounded length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace traincost {

/// `text` where it has at most `most` bytes, else its two ends with " ... " between them, no character of
/// UTF-8 cut.
std::string elided(std::string_view text, std::size_t most);

}  // namespace traincost
