// Every transcript in tests/golden/ is run in this process and compared. UPDATE_GOLDEN=1 rewrites them.

#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

using namespace traincost;
using namespace traincost::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> transcripts() {
    std::vector<fs::path> paths;
    for (const fs::directory_entry& entry : fs::directory_iterator(SOURCE_FOLDER "/tests/golden")) {
        if (entry.path().extension() == ".txt") {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

}  // namespace

// Transcripts say what is printed, width_test.cpp how it is wrapped.
const TextStyle unwrapped{.width = 1000};

TEST_CASE("the program prints what the transcripts say", "[golden]") {
    fs::current_path(SOURCE_FOLDER);
    for (const fs::path& path : transcripts()) {
        const Transcript transcript = parse_transcript(read_file(path.string()));
        std::string rewritten = transcript.preamble;
        for (const Exchange& exchange : transcript.exchanges) {
            const std::string actual = run_in_process(exchange.command, unwrapped);
            // A blank line between two exchanges belongs to neither.
            const bool blank = exchange.expected == "\n" || exchange.expected.ends_with("\n\n");
            const std::string expected =
                blank ? exchange.expected.substr(0, exchange.expected.size() - 1) : exchange.expected;
            const bool same = matches(expected, actual);
            rewritten += exchange.source + (same ? expected : actual) + (blank ? "\n" : "");
            if (!update_wanted()) {
                INFO(path.filename().string() << ":" << exchange.line << ": $ " << exchange.command);
                INFO("expected:\n" << expected);
                INFO("actual:\n" << actual);
                CHECK(same);
            }
        }
        if (update_wanted()) {
            write_file(path.string(), rewritten);
        }
    }
}

TEST_CASE("words are split as a shell splits them", "[transcript]") {
    CHECK(split_words("a  'b c' \"d e\" f\\ g ''") == std::vector<std::string>{"a", "b c", "d e", "f g", ""});
}

TEST_CASE("three dots match anything, and only they do", "[transcript]") {
    CHECK(matches("a...c\n", "abbc\n"));
    CHECK(matches("...", ""));
    CHECK(matches("a...b...c", "axbybc"));
    CHECK_FALSE(matches("a...c\n", "abbd\n"));
    CHECK_FALSE(matches("a...b...c", "axc"));
    CHECK_FALSE(matches("ab", "abc"));
}
