// How an answer is printed.
#pragma once

#include <cli/context.hpp>
#include <traincost/report/render.hpp>

#include <optional>
#include <span>
#include <string>

namespace CLI {
class App;
}

namespace traincost::cli {

/// --json, --format table|csv|markdown|svg|html.
struct OutputFlags {
    bool json = false;
    bool svg = false;  ///< charts; only of commands that have them
    Format format = Format::table;
    bool html = false;   ///< a page; only of commands that have one
    std::string file{};  ///< of the page; empty: the standard output
};

/// Whether a command draws charts.
enum class Charts : bool { no, yes };

/// Whether a command writes a page.
enum class Pages : bool { no, yes };

/// Says on the error stream that training never ends, where it does not, and why.
void say_never_ends(const std::optional<std::string>& why, Context& context);

void add_output_options(CLI::App& app, OutputFlags& flags, Charts charts = Charts::no,
                        Pages pages = Pages::no);

}  // namespace traincost::cli
