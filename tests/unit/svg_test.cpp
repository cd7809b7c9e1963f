#include <traincost/report/charts/chart_scale.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/tables/scaling_tables.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "support/xml.hpp"

using namespace traincost;
using traincost::test::xml_problem;
using traincost::test::xml_texts;

namespace {

bool has(const std::vector<std::string>& texts, const std::string& wanted) {
    return std::any_of(texts.begin(), texts.end(),
                       [&](const std::string& text) { return text.find(wanted) != text.npos; });
}

LineChart lines() {
    return {
        .title = "Time & memory <by> \"tp\"",
        .x = {"tp", true},
        .y = {"step time, s", false},
        .series = {{"zero=0", {{1, 8.0}, {2, 5.0}, {4, 3.5, true}}}, {"zero=1 & more", {{1, 9.0}, {2, 6.0}}}},
        .rules = {{7.0, "limit"}},
        .remarks = {"Hollow marker: does not fit."}};
}

}  // namespace

TEST_CASE("the XML check finds what is wrong", "[svg]") {
    CHECK(xml_problem("<a><b x=\"1\"/>t</a>").empty());
    CHECK(!xml_problem("<a><b></a></b>").empty());
    CHECK(!xml_problem("<a>").empty());
    CHECK(!xml_problem("<a x=1/>").empty());
    CHECK(!xml_problem("<a x=\"1\" x=\"2\"/>").empty());
    CHECK(!xml_problem("<a>1 & 2</a>").empty());
    CHECK(!xml_problem("<a/><b/>").empty());
}

TEST_CASE("a line chart is well-formed XML with its title, axes, units, legend and values", "[svg]") {
    const std::vector<Chart> charts = {lines()};
    const std::string drawing = svg(charts);
    INFO(drawing);
    CHECK(xml_problem(drawing).empty());
    const std::vector<std::string> texts = xml_texts(drawing, "text");
    for (const char* words : {"Time & memory <by> \"tp\"", "tp", "step time, s", "zero=0", "zero=1 & more",
                              "limit", "Hollow marker: does not fit.", "10"})
        CHECK(has(texts, words));
    const std::vector<std::string> titles = xml_texts(drawing, "title");
    CHECK(titles.size() == 5);  // one a point
    CHECK(has(titles, "zero=0: tp 4; step time, s 3.5"));
    // The point that cannot be had is empty.
    CHECK(drawing.find("fill=\"#FFFFFF\" stroke=\"#0072B2\"") != drawing.npos);
}

TEST_CASE("bars add up, and each part says its value", "[svg]") {
    const std::vector<Chart> charts = {BarChart{.title = "Step",
                                                .label = "seconds",
                                                .names = {"a.json", "b.json"},
                                                .parts = {{"gemm", {3.0, 4.0}}, {"bubble", {1.0, 0.0}}}}};
    const std::string drawing = svg(charts);
    CHECK(xml_problem(drawing).empty());
    CHECK(has(xml_texts(drawing, "text"), "a.json: 4"));
    CHECK(has(xml_texts(drawing, "text"), "b.json: 4"));
    CHECK(has(xml_texts(drawing, "text"), "seconds"));
    CHECK(xml_texts(drawing, "title") == std::vector<std::string>{"gemm: 3", "bubble: 1", "gemm: 4"});
}

TEST_CASE("a chart without points, with one, or with strange names is drawn all the same", "[svg]") {
    LineChart none = lines();
    none.series.clear();
    none.rules.clear();
    LineChart one = lines();
    one.series = {
        {std::string("\x01\x02 \xC3\xA9 and a name that is longer than any legend can be"), {{3, 3}}}};
    for (const LineChart& chart : {none, one}) {
        const std::vector<Chart> charts = {chart};
        const std::string drawing = svg(charts);
        INFO(drawing);
        CHECK(xml_problem(drawing).empty());
        CHECK(drawing.find("nan") == drawing.npos);
        CHECK(drawing.find("inf") == drawing.npos);
    }
    CHECK(xml_problem(svg({})).empty());
}

TEST_CASE("ticks are round, inside the scale, and few", "[svg]") {
    for (const auto& [low, high] :
         {std::pair{0.0, 1.0}, {3.0, 97.0}, {95.0, 103.0}, {1e-4, 2e-4}, {5.0, 5.0}}) {
        const ChartScale scale = chart_scale({low, high}, false, 0.0, 100.0);
        const std::vector<double> marks = ticks(scale);
        CHECK(marks.size() >= 3);
        CHECK(marks.size() <= 8);
        CHECK(scale.at(scale.low) == Approx(0.0).margin(1e-9));
        CHECK(scale.at(scale.high) == Approx(100.0));
        for (const double mark : marks) {
            CHECK(scale.at(mark) >= -1e-6);
            CHECK(scale.at(mark) <= 100.0 + 1e-6);
        }
    }
    const ChartScale compute = chart_scale({1e18, 1e27}, true, 0.0, 100.0);
    CHECK(ticks(compute).size() >= 4);
    CHECK(ticks(compute).size() <= 11);
    CHECK(compute.at(std::sqrt(compute.low * compute.high)) == Approx(50.0));
}

TEST_CASE("ticks are written short", "[svg]") {
    CHECK(tick_text(0.0) == "0");
    CHECK(tick_text(0.05) == "0.05");
    CHECK(tick_text(250.0) == "250");
    CHECK(tick_text(20'000.0) == "20K");
    CHECK(tick_text(1.5e9) == "1.5B");
    CHECK(tick_text(1e21) == "1e21");
    CHECK(tick_text(2e-5) == "2e-5");
}

TEST_CASE("the drawing of a budget has every law, and the optimum where the table has it", "[svg]") {
    const ScalingBudget question{
        .compute = Flops{5.76e23}, .ratio = 20.0, .parameters = 70e9, .inference_tokens = 1e13};
    const std::string drawing = svg(scaling_charts(question));
    CHECK(xml_problem(drawing).empty());
    const std::vector<std::string> texts = xml_texts(drawing, "text");
    for (const char* words : {"Loss of 5.76e23 FLOP", "loss, nats per token", "parameters N", "Chinchilla 1",
                              "Chinchilla 2", "Chinchilla 3", "Besiroglu", "fixed ratio", "the given size",
                              "over-trained", "training compute, FLOP", "the budget"})
        CHECK(has(texts, words));
    CHECK(has(xml_texts(drawing, "title"), "Chinchilla 3: parametric loss: parameters N 3.21"));
}
