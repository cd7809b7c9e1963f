// Timelines as rows.

#include "traincost/import/logs/recordings/timeline_rows.hpp"
#include "traincost/base/error.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace traincost;

TEST_CASE("rows of a timeline are spans of their stages, in order of stage and time", "[recording]") {
    const RecordedStep step = read_timeline_rows(
        "stage,task,chunk,micro-batch,begin,end\n"
        "10,forward,0,1,1,2\n"
        "2,backward,0,0,1.5,3\n"
        "2,forward,0,0,0,1\n"
        "\n"
        ",optimizer,,,3,4.5\r\n",
        "own.csv");
    CHECK(step.total.value() == 4.5);
    REQUIRE(step.spans.size() == 4);
    CHECK(step.spans[0].lane == "stage 2");
    CHECK(step.spans[0].name == "forward");
    CHECK(step.spans[0].micro_batch == 0);
    CHECK(step.spans[2].lane == "stage 10");
    CHECK(step.spans[3].lane == "all stages");
    CHECK_FALSE(step.spans[3].micro_batch);
    CHECK(read_timeline_rows("task,end_s,begin_s,stage\nforward,2,1,0\n", "own.csv").total.value() == 2.0);
}

TEST_CASE("rows need no stage, and phases that start are tasks that begin", "[recording]") {
    const std::string text = "phase,start,end,lane\nforward,0,1,compute\nbackward,1,3,compute\n";
    CHECK(has_timeline_rows(text));
    CHECK_FALSE(has_timeline_rows("iteration start,0\n"));
    const RecordedStep step = read_timeline_rows(text, "own.csv");
    CHECK(step.total.value() == 3.0);
    CHECK(step.spans[1].name == "backward");
    CHECK(step.spans[1].lane == "all stages");
}

TEST_CASE("what is no row of a timeline is said with its line", "[recording]") {
    const auto message = [](const std::string& text) {
        try {
            read_timeline_rows(text, "own.csv");
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    const std::string head = "stage,task,begin,end\n";
    CHECK_THAT(message("stage,begin,end\n"), Catch::Contains("own.csv:1: no column 'task'"));
    CHECK_THAT(message(head + "0,forward,0,1\nx,forward,1,2\n"), Catch::Contains("own.csv:3: stage"));
    CHECK_THAT(message(head + "70000,forward,0,1\n"), Catch::Contains("must be 0 to 65535"));
    CHECK_THAT(message(head + "0,forward,2,1\n"), Catch::Contains("own.csv:2: end: is not later"));
    CHECK_THAT(message(head + "0,forward,0\n"), Catch::Contains("own.csv:2: end"));
    CHECK_THAT(message(head), Catch::Contains("no rows"));
}
