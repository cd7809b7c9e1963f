// `days` counts on with a rate it was given, and models one where none was.

#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace traincost::test;

TEST_CASE("days: six lines, whoever knows the rate", "[days]") {
    const std::string run = "traincost days --params 6B --tokens 20B --gpus 8 --gpu a100";
    for (const char* rate : {" --tflops 140", " --mfu 0.45", ""}) {
        const std::string answer = run_in_process(run + rate);
        CAPTURE(answer);
        CHECK(std::count(answer.begin(), answer.end(), '\n') == 6);
        CHECK_THAT(answer, Catch::Contains("compute") && Catch::Contains("MFU") && Catch::Contains(" days"));
    }
    CHECK_THAT(run_in_process(run + " --mfu 0.45"), Catch::Contains("140 TFLOP/s"));
    CHECK_THAT(run_in_process(run), Catch::Contains("modelled: ") && Catch::Contains("(--tflops, --mfu)"));
}

TEST_CASE("days: without a rate, accelerators too small are an answer", "[days]") {
    CHECK_THAT(run_in_process("traincost days --params 500B --tokens 2T --gpus 1 --gpu a100"),
               Catch::Contains("no layout fits") && Catch::Contains("[exit 1]"));
}

TEST_CASE("days: on matrix units that take fp16 alone a modelled rate stays below their peak", "[days]") {
    const std::string answer = run_in_process("traincost days --params 1B --tokens 20B --gpus 64 --gpu t4");
    CAPTURE(answer);
    CHECK(answer.find("error") == std::string::npos);
    CHECK_THAT(answer, Catch::Contains("of 65.0 TFLOP/s"));
    CHECK_THAT(run_in_process("traincost days --params 1B --tokens 20B --gpus 64 --gpu t4 --tflops 70"),
               Catch::Contains("--tflops: exceeds the peak of t4, 65.0 TFLOP/s"));
}

TEST_CASE("days: an hour of an accelerator costs what estimate bills", "[days]") {
    for (const char* gpu : {"a100", "h100", "v100", "t4", "b200"}) {
        const std::string estimated = run_in_process(
            "traincost estimate --model llama-3.2-1b --gpus 8 --tokens 1B --gpu " + std::string(gpu));
        const std::string days = run_in_process(
            "traincost days --params 1B --tokens 1B --gpus 8 --mfu 0.3 --gpu " + std::string(gpu));
        CAPTURE(estimated, days);
        // "$2.70 per GPU-hour" and "GPU-hours at $2.70".
        const std::size_t end = estimated.find(" per GPU-hour");
        REQUIRE(end != std::string::npos);
        const std::size_t begin = estimated.rfind('$', end);
        CHECK_THAT(days, Catch::Contains("GPU-hours at " + estimated.substr(begin, end - begin) + ","));
    }
}
