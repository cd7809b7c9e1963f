#pragma once

#include <string_view>

namespace traincost::cli {

/// The page that was embedded when the program was built; empty: none was.
std::string_view embedded_page();

}  // namespace traincost::cli
