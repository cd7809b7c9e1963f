// The program as a process: what only its main function does.

#include "support/shell.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using traincost::test::shell_output;

TEST_CASE("a closed pipe is a success", "[program]") {
    CHECK(shell_output("{ sleep 0.1; traincost --help; echo exit $? >&2; } | true") == "exit 0\n");
}

TEST_CASE("an output that cannot be written is an error", "[program]") {
    if (std::filesystem::exists("/dev/full")) {
        CHECK(shell_output("traincost --help >/dev/full; echo exit $?") ==
              "traincost: error: the standard output cannot be written\nexit 3\n");
    }
}

TEST_CASE("the exit code of the command is the program's", "[program]") {
    CHECK(shell_output("traincost --version >/dev/null; echo exit $?") == "exit 0\n");
    CHECK(shell_output("traincost no-such-command 2>/dev/null; echo exit $?") == "exit 2\n");
}
