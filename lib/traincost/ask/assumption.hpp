// What an answer takes for granted because nobody said it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace traincost {

struct Assumption {
    std::string field;  ///< in the words of the reader: "sequence parallelism"
    std::string value;  ///< "on"
    std::string why;    ///< "the habit of megatron-core"; empty: nothing else was to be had
    std::string flag;   ///< that says otherwise: "--sequence-parallel"; empty: none does
    bool operator==(const Assumption&) const = default;
};

using Assumptions = std::vector<Assumption>;

/// "dropout: 0, the habit of torchtitan (--dropout)".
std::string to_text(const Assumption& assumption);
std::vector<std::string> to_text(const Assumptions& assumptions);

/// The assumption that a reader wrote as one line; `to_text` gives the line back.
Assumption assumption_from(std::string_view line);

}  // namespace traincost
