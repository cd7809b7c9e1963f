// Which of a fixed set of words a line holds: all in one pass over its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace traincost {

inline constexpr std::size_t max_anchors = 64;

/// The words found in a line.
struct AnchorHits {
    std::uint64_t found = 0;                       ///< one bit a word
    std::array<std::uint32_t, max_anchors> first;  ///< where each found word stands first

    bool has(std::size_t word) const {
        return (found >> word & 1U) != 0;
    }
};

/// Finds words of at least two characters: every pair of neighbouring bytes is looked up in a table of the
/// words that hold it, each under its rarest pair.
class Anchors {
public:
    /// At most `max_anchors` words.
    explicit Anchors(std::span<const std::string_view> words);

    /// The words in `text`; only their first places. `hits.first` is set for found words only.
    void find(std::string_view text, AnchorHits& hits) const;

private:
    void look(std::string_view text, std::size_t i, AnchorHits& hits) const;

    std::vector<std::string_view> words_;
    std::vector<std::uint8_t> offsets_;     ///< of each word: where its pair stands in it
    std::vector<std::uint8_t> lists_;       ///< of each pair: where its list begins; 0: no word has it
    std::vector<std::uint8_t> candidates_;  ///< lists of words, each closed by `max_anchors`
};

}  // namespace traincost
