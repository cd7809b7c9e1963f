// Tables as Markdown, for an issue or a wiki page.
#pragma once

#include <span>
#include <string>

#include "traincost/report/table.hpp"

namespace traincost {

/// Each table under its title, with the texts people read and numbers at the right.
std::string to_markdown(std::span<const Table> tables);

}  // namespace traincost
