// What the commands over the catalogue have in common: list, show, check.
#pragma once

#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/report/table.hpp>

#include <CLI/CLI.hpp>

#include <string>

namespace traincost::cli {

/// How the answer is written.
struct OutputOptions {
    bool json = false;
    std::string format = "table";

    Format table_format() const {
        const auto found = format_from(format);
        if (!found) {
            throw Error(ErrorKind::usage, "--format: is '" + format + "', must be table, csv or markdown" +
                                              did_you_mean(format, format_names()));
        }
        return *found;
    }
};

inline void add_output_options(CLI::App& command, OutputOptions& options) {
    command.add_flag("--json", options.json, "Print JSON");
    command.add_option("--format", options.format, "table, csv or markdown")->type_name("FORMAT");
}

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
