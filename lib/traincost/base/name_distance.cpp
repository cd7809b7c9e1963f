#include "traincost/base/name_distance.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace traincost {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

int replacement_cost(char a, char b) {
    if (a == b) {
        return 0;
    }
    return is_digit(a) && is_digit(b) ? cost_of_character * 3 / 2 : cost_of_character;
}

/// As `edit_distance`, where a digit for another costs more than a letter.
int typing_cost(std::string_view a, std::string_view b) {
    constexpr int one = cost_of_character;
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), current(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        current[j] = static_cast<int>(j) * one;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(previous);
        previous.swap(current);
        current[0] = static_cast<int>(i) * one;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int replaced = previous[j - 1] + replacement_cost(a[i - 1], b[j - 1]);
            current[j] = std::min({replaced, previous[j] + one, current[j - 1] + one});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                current[j] = std::min(current[j], before[j - 2] + one);
            }
        }
    }
    return current[b.size()];
}

std::vector<std::string_view> words_of(std::string_view text) {
    constexpr std::string_view separators = "-_/ :";
    std::vector<std::string_view> words;
    while (true) {
        const auto begin = text.find_first_not_of(separators);
        if (begin == text.npos) {
            return words;
        }
        text.remove_prefix(begin);
        const auto end = std::min(text.find_first_of(separators), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
}

/// A word more costs one letter, a word with a digit two; nothing where `name` has a word that was not typed.
std::optional<int> cost_of_more_words(std::string_view typed, std::string_view name) {
    const std::vector<std::string_view> wanted = words_of(name);
    std::size_t next = 0;
    int cost = 0;
    for (const std::string_view word : words_of(typed)) {
        if (next < wanted.size() && wanted[next] == word) {
            ++next;
        } else {
            cost +=
                std::any_of(word.begin(), word.end(), is_digit) ? 2 * cost_of_character : cost_of_character;
        }
    }
    // One short word is too little to know a name by.
    return next == wanted.size() && wanted.size() > 1 ? std::optional(cost) : std::nullopt;
}

}  // namespace

NameDistance name_distance(std::string_view typed, std::string_view name) {
    const auto differ = std::mismatch(typed.begin(), typed.end(), name.begin(), name.end());
    const int prefix = static_cast<int>(differ.first - typed.begin());
    const int typing = typing_cost(typed, name);
    const int words = cost_of_more_words(typed, name).value_or(typing);
    return {.cost = std::min(typing, words), .prefix = prefix};
}

}  // namespace traincost
