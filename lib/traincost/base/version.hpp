// The version of the library.
#pragma once

#include <string_view>

namespace traincost {

/// The version this library was built as: "major.minor.patch".
std::string_view version();

}  // namespace traincost
