// Steps that were recorded elsewhere.

#include "traincost/import/logs/recordings/step_recording.hpp"
#include "traincost/base/error.hpp"
#include "traincost/report/charts/recording_chart.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace traincost;

namespace {

/// Two iterations, and a third that does not end; evaluation has a forward pass without a backward pass.
const std::string csv =
    "iteration start,0\n"
    "warmup start,0.1\n"
    "forward start,0.2\n"
    "backward start,0.3\n"
    "forward start,0.4\n"
    "backward start,0.5\n"
    "cooldown start,0.6\n"
    "allreduce start,0.7\n"
    "iteration end,0.8\n"
    "iteration start,9\r\n"
    "warmup start,1\r\n"
    "iteration end,2\r\n"
    "\n"
    "iteration start,9\n"
    "warmup start,1\n";

}  // namespace

TEST_CASE("benchmark.csv: a row's value is the duration of the phase that the row before names",
          "[recording]") {
    const std::vector<RecordedStep> steps = read_benchmark_csv(csv, "benchmark.csv");
    REQUIRE(steps.size() == 2);
    const struct {
        const char* name;
        double time;
    } phases[] = {{"start", 0.1},   {"warmup", 0.2},   {"forward", 0.3},  {"backward", 0.4},
                  {"forward", 0.5}, {"backward", 0.6}, {"cooldown", 0.7}, {"allreduce", 0.8}};
    REQUIRE(steps[0].spans.size() == std::size(phases));
    double begin = 0.0;
    for (std::size_t i = 0; i < std::size(phases); ++i) {
        CHECK(steps[0].spans[i].name == phases[i].name);
        CHECK(steps[0].spans[i].begin.value() == Approx(begin));
        begin += phases[i].time;
        CHECK(steps[0].spans[i].end.value() == Approx(begin));
    }
    // The sum of all rows but the first.
    CHECK(steps[0].total.value() == Approx(3.6));
    CHECK(steps[1].total.value() == Approx(3.0));
}

TEST_CASE("an iteration is picked by its number, as the median or as the slowest", "[recording]") {
    const std::vector<RecordedStep> steps = read_benchmark_csv(csv, "benchmark.csv");
    CHECK(picked_step(steps, "1") == 0);
    CHECK(picked_step(steps, "median") == 1);
    CHECK(picked_step(steps, "slowest") == 0);
    CHECK_THROWS_WITH(picked_step(steps, "3"), "--iteration: 3; the file has 2 iterations");
    CHECK_THROWS_WITH(picked_step(steps, "fastest"),
                      "--iteration: unknown value 'fastest'; allowed: 1 to 2, median, slowest");
}

TEST_CASE("benchmark.csv: what is no row is said with its line", "[recording]") {
    CHECK_THROWS_WITH(read_benchmark_csv("iteration start,0\nwarmup start\n", "b.csv"),
                      Catch::StartsWith("b.csv:2: expected"));
    CHECK_THROWS_WITH(read_benchmark_csv("iteration start,-1\n", "b.csv"),
                      Catch::StartsWith("b.csv:1: seconds"));
    CHECK_THROWS_WITH(read_benchmark_csv("a,0\n", "b.csv"), Catch::Contains("no iteration"));
    CHECK_THROWS_WITH(read_benchmark_csv("", "b.csv"), Catch::Contains("no iteration"));
}

TEST_CASE("a Chrome trace is cut at its profiler steps, its lanes named", "[recording]") {
    const std::string trace = R"({"traceEvents": [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "rank 0"}},
        {"ph": "M", "pid": 1, "tid": 7, "name": "thread_name", "args": {"name": "stream 7"}},
        {"ph": "X", "pid": 1, "tid": 1, "name": "ProfilerStep#3", "ts": 1000, "dur": 500},
        {"ph": "X", "pid": 1, "tid": 1, "name": "ProfilerStep#4", "ts": 1500, "dur": 700},
        {"ph": "X", "pid": 1, "tid": 7, "name": "gemm", "ts": 1600, "dur": 100},
        {"ph": "X", "pid": 1, "tid": 7, "name": "gemm", "ts": 1100, "dur": 50},
        {"ph": "C", "pid": 1, "name": "memory", "ts": 1, "args": {"GiB": 1}}]})";
    const std::vector<RecordedStep> steps = read_chrome_trace(trace, "trace.json");
    REQUIRE(steps.size() == 2);
    CHECK(steps[1].total.value() == Approx(700e-6));
    REQUIRE(steps[1].spans.size() == 1);
    CHECK(steps[1].spans[0].lane == "rank 0, stream 7");
    CHECK(steps[1].spans[0].begin.value() == Approx(100e-6));
    CHECK_THROWS_WITH(read_chrome_trace("{}", "t.json"), "t.json: no traceEvents");
    CHECK_THROWS_WITH(read_chrome_trace("[]", "t.json"), Catch::Contains("no slice"));
}

TEST_CASE("recorded steps are drawn on one scale", "[recording]") {
    const std::vector<RecordedStep> steps = read_benchmark_csv(csv, "benchmark.csv");
    const std::vector<NamedRecording> named = {{"first", steps[0]}, {"second", steps[1]}};
    const Table table = recording_table(named, 36);
    REQUIRE(table.rows.size() == 2);
    CHECK(table.rows[0][2].text == "SWWFFFBBBBfffffbbbbbbCCCCCCCAAAAAAAA");
    CHECK(table.rows[1][2].text == "SSSSSSSSSSWWWWWWWWWWWWWWWWWWWW      ");
    CHECK(phase_table(steps[0]).rows.size() == 6);
    CHECK(recording_svg(named).find("second") != std::string::npos);
}
