// YAML, JSON and TOML texts as settings. A text that is not of the syntax is an `Error` of kind input with
// file and line.
#pragma once

#include <string>
#include <string_view>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// Launch files beyond these are refused before they can do harm.
inline constexpr std::size_t largest_launch_file = std::size_t{16} << 20;  ///< bytes
inline constexpr std::size_t most_settings = 200'000;                      ///< aliases expanded
inline constexpr int deepest_setting = 64;

/// `file` must outlive the settings; `first_line` is where the text begins in it (1: the whole file).
Setting read_yaml(std::string_view text, const std::string& file, int first_line = 1);
Setting read_json_settings(std::string_view text, const std::string& file, int first_line = 1);
Setting read_toml(std::string_view text, const std::string& file);

/// Throws the `Error` of an input: "file:line: message".
[[noreturn]] void fail_at_line(const std::string& file, int line, const std::string& message);

}  // namespace traincost
