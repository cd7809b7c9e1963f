// Every console block of the documentation is run and compared. UPDATE_GOLDEN=1 rewrites the blocks.
//
// A block begins with ```console. Its lines "$ traincost …" and "$ ./bootstrap run …" are run by a shell in
// the root of the project, with the program of this build; the lines that follow are what must be printed,
// where "..." stands for anything. Other commands are shown and not run.

#include "house/sources.hpp"
#include "support/shell.hpp"
#include "support/transcript.hpp"

#include <catch2/catch.hpp>
#include <traincost/base/text.hpp>
#include <traincost/export/exporters.hpp>
#include <traincost/import/importers.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace traincost::test;
namespace fs = std::filesystem;

namespace {

struct Page {
    std::string path;  // from the root of the project
    std::string text;
};

std::vector<Page> pages() {
    std::vector<Page> all;
    if (fs::exists(SOURCE_FOLDER "/README.md")) {
        all.push_back({.path = "README.md", .text = read_file(SOURCE_FOLDER "/README.md")});
    }
    for (const SourceFile& file : source_files("docs", {".md"})) {
        all.push_back({.path = file.path, .text = file.text});
    }
    return all;
}

// The cells of a row between separators, without the blanks and quotation marks around them.
std::vector<std::string> cells_of(const std::string& row, char separator) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : row) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == separator && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    for (std::string& cell : cells) {
        cell.erase(cell.find_last_not_of(' ') + 1);
        cell.erase(0, cell.find_first_not_of(' '));
    }
    return cells;
}

// "n error%" of every row of the file beside the accuracy page: its mean error, or how many verdicts are
// right.
std::set<std::string> measured_figures(const std::string& path) {
    std::istringstream lines(read_file(path));
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> columns = cells_of(line, ',');
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
    };
    std::set<std::string> figures;
    while (std::getline(lines, line)) {
        const std::vector<std::string> cells = cells_of(line, ',');
        for (const char* name : {"mean_error", "verdict_right"}) {
            if (const std::string& share = cells.at(column(name)); !share.empty())
                figures.insert(cells.at(column("n")) + " " + traincost::percent_text(std::stod(share)));
        }
    }
    return figures;
}

// The shell command of an exchange; empty where it is not ours to run.
std::string runnable(const std::string& command) {
    for (const std::string_view start : {"traincost", "./bootstrap run"}) {
        if (command == start || command.starts_with(std::string(start) + " ")) {
            return "traincost" + command.substr(start.size());
        }
    }
    return {};
}

// Runs the exchanges of one block; the block as it is after the run.
std::string checked_block(const Page& page, std::string_view block, int first_line) {
    const Transcript transcript = parse_transcript(block, first_line);
    std::string rewritten = transcript.preamble;
    for (const Exchange& exchange : transcript.exchanges) {
        const std::string command = runnable(exchange.command);
        const std::string actual = command.empty() ? exchange.expected : shell_output(command);
        const bool same = matches(exchange.expected, actual);
        rewritten += exchange.source + (same ? exchange.expected : actual);
        if (!update_wanted()) {
            INFO(page.path << ":" << exchange.line << ": $ " << exchange.command);
            INFO("expected:\n" << exchange.expected);
            INFO("actual:\n" << actual);
            CHECK(same);
        }
    }
    return rewritten;
}

}  // namespace

TEST_CASE("the documentation shows what the program prints", "[documentation]") {
    fs::current_path(SOURCE_FOLDER);
    constexpr std::string_view begin_mark = "```console\n";
    constexpr std::string_view end_mark = "```\n";
    for (const Page& page : pages()) {
        std::string rewritten;
        std::size_t done = 0;
        for (auto begin = page.text.find(begin_mark); begin != page.text.npos;
             begin = page.text.find(begin_mark, done)) {
            begin += begin_mark.size();
            const auto end = page.text.find(end_mark, begin);
            INFO(page.path << ": a console block has no end");
            REQUIRE(end != page.text.npos);
            const auto line = 1 + std::count(page.text.begin(),
                                             page.text.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
            rewritten += page.text.substr(done, begin - done);
            rewritten += checked_block(page, std::string_view(page.text).substr(begin, end - begin),
                                       static_cast<int>(line));
            done = end;
        }
        rewritten += page.text.substr(done);
        if (update_wanted() && rewritten != page.text) {
            write_file(page.path, rewritten);
        }
    }
}

TEST_CASE("the figures of the README are those of the accuracy page", "[documentation]") {
    const std::string readme = read_file(SOURCE_FOLDER "/README.md");
    const std::set<std::string> measured = measured_figures(SOURCE_FOLDER "/docs/accuracy.csv");
    const std::size_t table = readme.find("| step time of |");
    REQUIRE(table != std::string::npos);
    int figures = 0;
    std::istringstream lines(readme.substr(table, readme.find("\n\n", table) - table));
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = cells_of(line, '|');
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            if (cells[i + 1].find('%') == std::string::npos)
                continue;
            CAPTURE(line);
            CHECK(measured.count(cells[i] + " " + cells[i + 1].substr(0, cells[i + 1].find('%') + 1)) == 1);
            ++figures;
        }
    }
    CHECK(figures == 18);
    const std::string page = read_file(SOURCE_FOLDER "/docs/accuracy.md");
    const std::size_t evaluated = page.find(" records are evaluated");
    REQUIRE(evaluated != std::string::npos);
    const std::string count = page.substr(page.rfind('\n', evaluated) + 1);
    std::string shown = count.substr(0, count.find(' '));
    shown.insert(shown.size() - 3, ",");
    CHECK(readme.find("on " + shown + " published and own runs") != std::string::npos);
}

TEST_CASE("the README counts the formats that are read and written", "[documentation]") {
    const std::string readme = read_file(SOURCE_FOLDER "/README.md");
    const std::string read =
        "Launch files in " + std::to_string(traincost::launch_formats().size()) + " formats are read as jobs";
    const std::string written =
        "jobs are written as launch files in " + std::to_string(traincost::export_formats().size()) + " (";
    CHECK(readme.find(read) != std::string::npos);
    CHECK(readme.find(written) != std::string::npos);
}

TEST_CASE("every source that is met badly has a diagnosis", "[documentation]") {
    const std::string diagnoses = read_file(SOURCE_FOLDER "/data/bench/diagnoses.json");
    std::istringstream lines(read_file(SOURCE_FOLDER "/docs/accuracy.csv"));
    int sources = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = cells_of(line, ',');
        constexpr std::size_t median = 5;
        constexpr double badly = 0.15;
        if (cells.size() <= median || cells[0] != "source" || cells[median].empty())
            continue;
        ++sources;
        INFO(line);
        if (std::stod(cells[median]) > badly)
            CHECK(diagnoses.find("\"source\": \"" + cells[1] + "\"") != std::string::npos);
    }
    CHECK(sources > 100);
}
