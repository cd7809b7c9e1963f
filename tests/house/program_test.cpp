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

TEST_CASE("the server ends at a signal, and a wrong port is one line", "[program]") {
    const std::string ended = shell_output(
        "f=$(mktemp); traincost serve --port 0 >$f 2>&1 & p=$!; n=0; while ! [ -s $f ] && [ $n -lt 100 ]; do "
        "sleep 0.1; n=$((n+1)); done; kill -TERM $p 2>/dev/null; wait $p; echo exit $?; head -n 1 $f; rm -f "
        "$f");
    if (ended.find("no server") == std::string::npos) {
        INFO(ended);
        CHECK(ended.starts_with("exit 0\nhttp://127.0.0.1:"));
    }
    CHECK(shell_output("traincost serve --port 70000; echo exit $?") ==
          "traincost: error: --port: '70000' is no port; allowed: 0 (any free one) to 65535\nexit 2\n");
}
