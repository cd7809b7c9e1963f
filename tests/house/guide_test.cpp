// `guide` on a terminal: arrow keys choose.

#include "support/shell.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace traincost::test;

TEST_CASE("guide on a terminal: the arrow keys choose, Enter takes", "[guide]") {
    // Two arrows down from the first of the accelerators, then Enter.
    const std::string text = shell_output(
        "printf '\\033[B\\033[B\\n' | script -qec 'traincost guide --dry-run --model llama-2-7b --gpus 8 "
        "--seq 4096 "
        "--global-batch 64 --tokens none --layout recommended' /dev/null");
    CHECK_THAT(text, Catch::Contains("Which accelerator?"));
    CHECK_THAT(text, Catch::Contains("traincost recommend --model llama-2-7b --gpu h200 --gpus 8 --seq 4096 "
                                     "--global-batch 64"));
}
