#include "traincost/import/logs/lines/log_anchors.hpp"

#include <cstring>

namespace traincost {

namespace {

constexpr std::size_t slots =
    4096;  // small enough for the nearest cache; pairs that share one are told apart after

std::size_t slot_at(const char* text) {
    return (static_cast<std::size_t>(static_cast<unsigned char>(text[0])) * 33U ^
            static_cast<unsigned char>(text[1])) %
           slots;
}

/// Where the pair of `word` stands that is rarest in text: one with a character that is no small letter.
std::size_t rarest_pair(std::string_view word) {
    const auto rare = [](char c) { return (c < 'a' || c > 'z') && c != ' '; };
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
        if (rare(word[i]) || rare(word[i + 1])) {
            return i;
        }
    }
    return 0;
}

}  // namespace

Anchors::Anchors(std::span<const std::string_view> words)
    : words_(words.begin(), words.end()), lists_(slots, 0), candidates_(1, max_anchors) {
    std::vector<std::size_t> slot_of;
    for (const std::string_view word : words_) {
        offsets_.push_back(static_cast<std::uint8_t>(rarest_pair(word)));
        slot_of.push_back(slot_at(word.data() + offsets_.back()));
    }
    for (const std::size_t slot : slot_of) {
        if (lists_[slot] != 0) {
            continue;  // its list holds all words of the slot
        }
        lists_[slot] = static_cast<std::uint8_t>(candidates_.size());
        for (std::size_t i = 0; i < words_.size(); ++i) {
            if (slot_of[i] == slot) {
                candidates_.push_back(static_cast<std::uint8_t>(i));
            }
        }
        candidates_.push_back(max_anchors);
    }
}

void Anchors::find(std::string_view text, AnchorHits& hits) const {
    hits.found = {};
    const char* const begin = text.data();
    const std::uint8_t* const lists = lists_.data();
    const std::size_t pairs = text.empty() ? 0 : text.size() - 1;
    for (std::size_t i = 0; i < pairs; ++i) {
        if (lists[slot_at(begin + i)] != 0) {
            look(text, i, hits);
        }
    }
}

/// Looks for the words whose pair shares the slot of the one at `i`.
void Anchors::look(std::string_view text, std::size_t i, AnchorHits& hits) const {
    const std::uint8_t* word = candidates_.data() + lists_[slot_at(text.data() + i)];
    for (; *word != max_anchors; ++word) {
        const std::string_view wanted = words_[*word];
        const std::size_t offset = offsets_[*word];
        if (i < offset || wanted.size() > text.size() - (i - offset) || hits.has(*word)) {
            continue;
        }
        const char* const at = text.data() + (i - offset);
        if (at[0] == wanted[0] && at[wanted.size() - 1] == wanted.back() &&
            std::memcmp(at, wanted.data(), wanted.size()) == 0) {
            hits.found[*word / 64] |= std::uint64_t{1} << (*word % 64);
            hits.first[*word] = static_cast<std::uint32_t>(i - offset);
        }
    }
}

}  // namespace traincost
