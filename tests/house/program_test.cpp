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
              "traincost: error: standard output cannot be written\nexit 3\n");
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
          "traincost: error: --port: '70000' is not a port; allowed: 0 (any free port) to 65535\nexit 2\n");
}

TEST_CASE("numbers too large or small for a finite answer are refused in a line with what is allowed",
          "[program]") {
    for (const std::string command :
         {"scale --flops 1e24 --params 1e308", "scale --flops 1e24 --inference-tokens 1e308",
          "scale --flops 1e24 --tokens-per-param 1e-308", "scale --gpu-hours 1e308 --gpu h100 --mfu 40%",
          "scale --budget 1e308 --gpu h100 --mfu 40% --gpu-hour-price 1e-300",
          "days --params 9000T --tokens 9000T --gpus 1 --gpu h100 --mfu 1e-300",
          "days --params 7B --tokens 1T --gpus 8 --gpu h100 --mfu 140%",
          "method chinchilla-grid --days 1e308", "method fast-llm --tflops 1e-308",
          "method fast-llm --after-train --step-time 1e-308s", "method iiis-sheet --bus 1e308",
          "method lightning --tokens 1B --peak 5 --utilization 5e-324",
          "method llm-bench --tokens-per-s 1e308", "method flagperf --samples-per-s 1e308",
          "method six-nd --params 7B --tokens 1T --tflops 1e-308"}) {
        CAPTURE(command);
        CHECK(shell_output("traincost " + command + " 2>&1 >/dev/null | grep -c allowed; traincost " +
                           command + " >/dev/null 2>&1; echo exit $?") == "1\nexit 2\n");
    }
    for (const std::string command :
         {"scale --flops 1e40 --params 1e40 --inference-tokens 1e40 --tokens-per-param 1e12",
          "scale --flops 1e-3 --params 1e-3 --inference-tokens 1e40 --tokens-per-param 1e-9",
          "days --params 9000T --tokens 9000T --gpus 1 --gpu h100 --mfu 1e-9",
          "method chinchilla-grid --days 1e30 --tflops 1e30",
          "method six-nd --params 9000T --tokens 9000T --gpus 9000T --tflops 1e-30"}) {
        CAPTURE(command);
        CHECK(shell_output("traincost " + command + " >/dev/null; echo exit $?") == "exit 0\n");
    }
}
