// What the commands over the catalogue have in common: list, show, check.
#pragma once

#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/catalogue.hpp>

#include <string>

namespace traincost::cli {

/// The room called so, in the plural or the singular.
inline Room room_from(const std::string& name) {
    for (std::size_t i = 0; i < room_names().size(); ++i) {
        const Room room = static_cast<Room>(i);
        if (name == room_names()[i] || name == record_name(room)) {
            return room;
        }
    }
    std::string all;
    for (const std::string_view known : room_names()) {
        all += (all.empty() ? "" : ", ") + std::string(known);
    }
    throw Error(ErrorKind::usage, "unknown kind of record '" + name + "', must be one of " + all +
                                      did_you_mean(name, room_names()));
}

}  // namespace traincost::cli
