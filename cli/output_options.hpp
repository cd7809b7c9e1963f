// How an answer is printed.
#pragma once

#include <cli/context.hpp>
#include <traincost/report/table.hpp>

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace traincost::cli {

/// --json, --format table|csv|markdown.
struct OutputFlags {
    bool json = false;
    Format format = Format::table;
};

void add_output_options(CLI::App& app, OutputFlags& flags);

}  // namespace traincost::cli
