// Tables in the format that was asked for.
#pragma once

#include <span>
#include <string>

#include "traincost/report/table.hpp"
#include "traincost/report/text_table.hpp"

namespace traincost {

/// `tables` in `format`; `style` is for text.
std::string render(std::span<const Table> tables, Format format, const TextStyle& style = {});

}  // namespace traincost
