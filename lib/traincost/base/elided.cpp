#include <traincost/base/elided.hpp>

#include <algorithm>

namespace traincost {

std::string elided(std::string_view text, std::size_t most) {
    constexpr std::string_view gap = " ... ";
    if (text.size() <= most) {
        return std::string(text);
    }
    const auto inside = [&](std::size_t i) { return (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80; };
    std::size_t head = most * 2 / 3;
    std::size_t tail = text.size() - (most - std::min(most, head + gap.size()));
    while (head > 0 && inside(head)) {
        --head;
    }
    while (tail < text.size() && inside(tail)) {
        ++tail;
    }
    return std::string(text.substr(0, head)) + std::string(gap) + std::string(text.substr(tail));
}

}  // namespace traincost
