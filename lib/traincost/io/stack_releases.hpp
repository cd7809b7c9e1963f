// Releases of a stack: what older and newer ones do otherwise, inside the stack's record. To the catalogue
// each is a stack of its own, "torchtitan@2024", written over its stack or over another release. Internal to
// io/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/io/json.hpp"

namespace traincost::io {

/// One of the releases that a stack's record lists.
struct StackRelease {
    std::string id;    ///< "torchtitan@2024"
    std::string name;  ///< "2024"
    std::vector<std::string> aliases;
};

/// The releases of a stack's record, in its order; `Error` of kind input where one has no name of lower case.
std::vector<StackRelease> releases_of(const JsonDocument& stack);

/// One release as a record with a base; `Error` of kind internal where there is none of that name.
JsonDocument release_record(const JsonDocument& stack, std::string_view release);

}  // namespace traincost::io
