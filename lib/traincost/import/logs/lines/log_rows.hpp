// Rows of a log that make up one line together: broken by terminals, folded by people, drawn by notebooks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace traincost {

/// What a launcher puts before each row: before the first name of a Megatron line, and before its own date.
std::string row_prefix(std::string_view line);

/// A further row without the launcher's prefix; nothing where it has another.
std::optional<std::string_view> without_prefix(std::string_view row, std::string_view prefix);

/// What stands behind the last bar of a line: a name whose value follows in the next row.
std::string open_field(std::string_view line);

/// "Epoch 3: 100%": the head of a progress bar whose counts stand in the next row, as notebooks show it.
bool is_head_of_bar(std::string_view line);

/// "311/311 [00:13<00:00, 23.54it/s, v_num=422]"
bool is_rest_of_bar(std::string_view line);

}  // namespace traincost
