#include "traincost/io/content_hash.hpp"

#include <cstdint>

namespace traincost {

std::string content_hash(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const char c : text) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1099511628211ull;
    }
    std::string digits;
    for (int i = 60; i >= 0; i -= 4)
        digits += "0123456789abcdef"[(hash >> i) & 15];
    return digits;
}

}  // namespace traincost
