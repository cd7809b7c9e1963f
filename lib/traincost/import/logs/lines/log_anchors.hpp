// Which of a fixed set of words a line holds: all in one pass over its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace traincost {

inline constexpr std::size_t max_anchors = 96;

/// The words found in a line.
struct AnchorHits {
    std::array<std::uint64_t, 2> found{};          ///< one bit a word
    std::array<std::uint32_t, max_anchors> first;  ///< where each found word stands first

    bool has(std::size_t word) const {
        return (found[word / 64] >> (word % 64) & 1U) != 0;
    }
    bool any() const {
        return (found[0] | found[1]) != 0;
    }
    /// The bits of the words from `word` on, at most 64.
    std::uint64_t from(std::size_t word) const {
        const std::size_t low = word % 64;
        const std::uint64_t above = word < 64 && low > 0 ? found[1] << (64 - low) : 0;
        return found[word / 64] >> low | above;
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
