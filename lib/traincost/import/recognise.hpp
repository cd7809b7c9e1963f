// What a file is, judged by its content: its name is never asked.
#pragma once

#include <cstdint>
#include <string_view>

namespace traincost {

enum class Content : std::uint8_t { json, toml, yaml, python, shell, log };

/// The syntax most of the text's first lines are written in.
Content recognise(std::string_view text);

}  // namespace traincost
