// Reports and help fit the terminal: every transcript's command is run at two widths.

#include "support/transcript.hpp"

#include <cli/app.hpp>

#include <catch2/catch.hpp>

#include "traincost/report/commands/command_words.hpp"

#include <filesystem>
#include <sstream>
#include <string>

using namespace traincost;
using namespace traincost::test;
namespace fs = std::filesystem;

namespace {

/// Whether a program reads what the command prints, or it is laid out as the original's is.
bool for_programs(const std::string& command) {
    for (const char* flag : {"--json", "--format", "--chrome", "--report", "--shard", "--width", "merge",
                             "method fast-llm", "export launch"}) {
        if (command.find(flag) != command.npos) {
            return true;
        }
    }
    return false;
}

void check_width(const std::string& command, std::size_t width) {
    std::istringstream lines(run_in_process(command, {.width = width}));
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("! ") && display_width(line) > width) {  // errors are one line, however long
            INFO("$ " << command << "\n" << line);
            CHECK(display_width(line) <= width);
        }
    }
}

}  // namespace

TEST_CASE("no report is wider than the terminal", "[golden][width]") {
    fs::current_path(SOURCE_FOLDER);
    for (const fs::directory_entry& entry : fs::directory_iterator(SOURCE_FOLDER "/tests/golden")) {
        if (entry.path().extension() != ".txt") {
            continue;
        }
        for (const Exchange& exchange : parse_transcript(read_file(entry.path().string())).exchanges) {
            if (!for_programs(exchange.command)) {
                check_width(exchange.command, 80);
                check_width(exchange.command, 120);
            }
        }
    }
    SUCCEED();
}

TEST_CASE("no help is wider than the terminal", "[golden][width]") {
    for (const CommandWords& command : command_words()) {
        for (const char* flag : {" -h", " --help"}) {
            check_width("traincost " + std::string(command.name) + flag, 80);
            check_width("traincost " + std::string(command.name) + flag, 120);
        }
    }
    check_width("traincost", 80);
    SUCCEED();
}

TEST_CASE("the brief help is shorter, and says where the rest is", "[golden][width]") {
    const std::string brief = run_in_process("traincost estimate -h");
    CHECK(brief.size() < run_in_process("traincost estimate --help").size());
    CHECK(brief.find("All options: --help\n") != brief.npos);
    CHECK(brief.find("\n\n\n") == brief.npos);
    CHECK(run_in_process("traincost help estimate") == run_in_process("traincost estimate --help"));
    CHECK(run_in_process("traincost") == run_in_process("traincost --help"));
}

TEST_CASE("the examples of every help are understood", "[golden][width]") {
    fs::current_path(SOURCE_FOLDER);
    for (const CommandNode& command : cli::program_tree()) {
        const bool ends = command.name != "serve";  // tests/house/serve_test.cpp starts and stops it
        for (const std::string& example : command.examples) {
            if (!ends)
                continue;
            const std::string answer = run_in_process(example);
            INFO("$ " << example << "\n" << answer.substr(0, 400));
            const bool names_a_file = answer.find("no such file") != answer.npos;  // of the reader's own
            CHECK((names_a_file || answer.find("[exit 2]") == answer.npos));
            if (!for_programs(example) && command.name != "export bench" && command.name != "completion" &&
                command.name != "manual" && command.name != "guide")
                check_width(example, 80);
        }
        INFO(command.name);
        CHECK((command.name.empty() || command.has_commands || !command.examples.empty()));
    }
}

TEST_CASE("colour is asked for, and refused by name", "[golden][width]") {
    CHECK(run_in_process("traincost list stacks --color always").find("\x1b[1m") != std::string::npos);
    CHECK(run_in_process("traincost list stacks").find('\x1b') == std::string::npos);
    CHECK(run_in_process("traincost list stacks --color alway") ==
          "! traincost: error: --color: unknown value 'alway'; allowed: auto, always, "
          "never; did you mean 'always'?\n[exit 2]\n");
}
