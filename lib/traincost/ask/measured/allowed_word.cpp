#include "traincost/ask/measured/allowed_word.hpp"

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

std::size_t word_among(std::string_view option, const std::string& word,
                       std::span<const std::string_view> words) {
    std::string all;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == word)
            return i;
        all += (all.empty() ? "" : ", ") + std::string(words[i]);
    }
    throw Error(ErrorKind::usage, std::string(option) + ": unknown value '" + word + "'; allowed: " + all +
                                      did_you_mean(word, words));
}

}  // namespace traincost
