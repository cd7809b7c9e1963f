#pragma once

#include <string>
#include <vector>

namespace traincost {

/// Where a catalogue record's figures come from, and how sure they are.
struct Provenance {
    std::vector<std::string> sources;     ///< titles or keys of the sources
    std::string confidence;               ///< high | medium | low; empty for a user's own record
    std::vector<std::string> unverified;  ///< fields not seen in a source
    std::vector<std::string> notes;
    bool operator==(const Provenance&) const = default;
};

}  // namespace traincost
