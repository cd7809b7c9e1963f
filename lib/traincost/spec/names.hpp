#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "traincost/spec/data_type.hpp"
#include "traincost/spec/model.hpp"
#include "traincost/spec/run.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// The names of an enumeration in order of its values, as files and the command line spell them.
template <class Enum>
std::span<const std::string_view> enum_names();

template <class Enum>
std::string_view name_of(Enum value) {
    return enum_names<Enum>()[static_cast<std::size_t>(value)];
}

/// The value spelled `name`, or nothing.
template <class Enum>
std::optional<Enum> value_of(std::string_view name) {
    const auto names = enum_names<Enum>();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name)
            return static_cast<Enum>(i);
    }
    return std::nullopt;
}

}  // namespace traincost
