// How far a name that was typed is from one that exists. Internal to base/.
//
// Names of models and accelerators differ by digits: who typed h10 left out a 0 and did not mean h20 or a10.
// And people add words: Llama-3-8B-Instruct is llama-3-8b with a word more.
#pragma once

#include <string_view>

namespace traincost {

/// What one wrong letter costs; a wrong digit costs half as much again.
inline constexpr int cost_of_character = 2;

struct NameDistance {
    int cost;
    int prefix;  ///< characters the names begin with in common

    /// Cheaper, or as cheap and alike for longer.
    bool operator<(const NameDistance& other) const {
        return cost < other.cost || (cost == other.cost && prefix > other.prefix);
    }
};

/// The less of what it costs to mistype `name` as `typed`, and of what the words cost that `typed` has more.
/// Both in lower case.
NameDistance name_distance(std::string_view typed, std::string_view name);

}  // namespace traincost
