// `merge`: the answer of a sharded search or sweep from its shards' files.
#pragma once

#include <string>
#include <vector>

namespace traincost {

struct MergeQuestion {
    std::vector<std::string> files;  ///< one at least
    bool json = false;
    std::string format{};  ///< a name of `format_names`; empty: text
};

/// One of the two.
struct MergeAnswer {
    std::string sweep{};  ///< JSON
    /// Of a search, the words of the command that answers it from the shards: `recommend` as it was asked,
    /// printed as this question says where it did not say how.
    std::vector<std::string> command{};
};

/// `Error` of kind input where a file is no shard or does not go with the others; of kind usage where a
/// sweep is to be anything but JSON.
MergeAnswer ask(const MergeQuestion& question);

}  // namespace traincost
