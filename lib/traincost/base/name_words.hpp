// The words of a name, against lists of words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

using NameWords = std::vector<std::string>;
using WordList = std::initializer_list<std::string_view>;

inline bool is_word_of(WordList list, std::string_view word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Whether one of `words` is in the list.
inline bool has_word(const NameWords& words, WordList list) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return is_word_of(list, w); });
}

/// Whether all of them are.
inline bool only_words(const NameWords& words, WordList list) {
    return std::all_of(words.begin(), words.end(), [&](const std::string& w) { return is_word_of(list, w); });
}

}  // namespace traincost
