#include <traincost/base/error.hpp>
#include <traincost/plan/sweep.hpp>
#include <traincost/report/answers/comparison.hpp>
#include <traincost/report/charts/svg.hpp>
#include <traincost/report/tables/sweep_tables.hpp>

#include <catch2/catch.hpp>

#include <algorithm>

#include "support/search_jobs.hpp"
#include "support/xml.hpp"

using namespace traincost;
using traincost::test::xml_problem;
using traincost::test::xml_texts;
using Values = std::vector<std::string>;

namespace {

Job job_of_width(std::int64_t tp) {
    const SearchRequest request = search_jobs::request(search_jobs::gpt(4, 1024, 8), search_jobs::cluster(8),
                                                       search_jobs::run(1024, 64));
    Job job = base_job(request, 0);
    job.run.parallel.tp = tp;
    job.run.parallel.dp = 8 / tp;
    job.run.micro_batch = 1;
    return job;
}

SweepPoint point_of_width(std::int64_t tp) {
    SweepPoint p{{std::to_string(tp)}};
    p.job = job_of_width(tp);
    p.estimate = estimate(*p.job);
    p.bill = bill(*p.job, *p.estimate, {});
    return p;
}

}  // namespace

TEST_CASE("an axis is a list, or a range that multiplies or adds", "[sweep]") {
    CHECK(sweep_axis("tp=1,2,4").values == Values{"1", "2", "4"});
    CHECK(sweep_axis("--tp=1").flag == "tp");
    CHECK(sweep_axis("seq=2048..16384 x2").values == Values{"2048", "4096", "8192", "16384"});
    CHECK(sweep_axis("seq=2K..9K").values.size() == 3);
    CHECK(sweep_axis("pp=2..8 +2").values == Values{"2", "4", "6", "8"});
    CHECK(sweep_axis("pp=2..8+3").values == Values{"2", "5", "8"});
    CHECK(sweep_axis("tp=1..30 x3").values == Values{"1", "3", "9", "27"});
    CHECK(sweep_axis("n=9000T..9007T x2").values.size() == 1);
    CHECK(sweep_axis("precision=bf16-mixed,fp8-mixed").values.size() == 2);
}

TEST_CASE("an axis that cannot be is refused", "[sweep]") {
    for (const char* text : {"", "tp", "=1", "tp=", "tp=1,,2", "tp=8..1", "tp=1..8 x1", "tp=1..8 x0",
                             "tp=0..8", "tp=1..1000000 +1", "tp=1..x"})
        CHECK_THROWS_AS(sweep_axis(text), Error);
}

TEST_CASE("combinations are in order, the last axis fastest, and bounded", "[sweep]") {
    const auto points = sweep_combinations({sweep_axis("a=1,2"), sweep_axis("b=x,y,z")});
    REQUIRE(points.size() == 6);
    CHECK(points[0] == Values{"1", "x"});
    CHECK(points[1] == Values{"1", "y"});
    CHECK(points[5] == Values{"2", "z"});
    CHECK_THROWS_AS(sweep_combinations({sweep_axis("a=1..10000 +1"), sweep_axis("b=1..10000 +1")}), Error);
}

TEST_CASE("a sweep over numbers is drawn as lines, over names as bars", "[sweep]") {
    std::vector<SweepPoint> points = {point_of_width(1), point_of_width(2), point_of_width(4)};
    SweepPoint invalid{{"3"}};
    invalid.problem = "does not divide";
    points.push_back(invalid);
    const std::vector<Chart> charts = sweep_charts({sweep_axis("tp=1,2,4,3")}, points);
    const auto* step = std::get_if<LineChart>(&charts.front());
    REQUIRE(step != nullptr);
    REQUIRE(step->series.size() == 1);
    REQUIRE(step->series.front().points.size() == 3);
    CHECK(step->series.front().points[1].x == 2.0);
    CHECK(step->series.front().points[1].y == points[1].estimate->step.total.value());
    CHECK(step->remarks == Values{"1 of 4 invalid combinations are left out."});
    CHECK(xml_problem(svg(charts)).empty());
    const Table table = sweep_table({sweep_axis("tp=1,2,4,3")}, points);
    CHECK(table.rows.size() == 4);
    CHECK(table.rows[3][1].text == "invalid");

    for (std::size_t i = 0; i < points.size(); ++i)
        points[i].values = {"kind-" + points[i].values[0]};
    const std::vector<Chart> bars = sweep_charts({sweep_axis("stack=kind-1,kind-2,kind-4,kind-3")}, points);
    const auto* named = std::get_if<BarChart>(&bars.front());
    REQUIRE(named != nullptr);
    CHECK(named->names == Values{"stack=kind-1", "stack=kind-2", "stack=kind-4"});
    CHECK(xml_problem(svg(bars)).empty());
}

TEST_CASE("compared jobs have ratios to the first and bars that add up to the step", "[sweep]") {
    std::vector<ComparedJob> jobs;
    for (const std::int64_t tp : {1, 2}) {
        const Job job = job_of_width(tp);
        jobs.push_back({"tp" + std::to_string(tp), job, {}, estimate(job)});
    }
    const Table table = comparison_table(jobs);
    CHECK(table.columns == Values{"", "tp1", "tp2", "ratio"});
    const auto row = [&](const std::string& name) {
        const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                        [&](const auto& cells) { return cells.front().text == name; });
        REQUIRE(found != table.rows.end());
        return *found;
    };
    CHECK(row("layout")[3].text == "*");
    CHECK(row("job")[3].text.empty());
    CHECK(std::stod(row("step")[3].exact.empty() ? row("step")[3].text : row("step")[3].exact) ==
          Approx(jobs[1].estimate.step.total / jobs[0].estimate.step.total).epsilon(1e-2));
    const std::vector<Chart> charts = comparison_charts(jobs);
    const auto* step = std::get_if<BarChart>(&charts.front());
    REQUIRE(step != nullptr);
    double sum = 0.0;
    for (const BarPart& part : step->parts)
        sum += part.values[0];
    CHECK(sum == Approx(jobs[0].estimate.step.total.value()));
    const auto* memory = std::get_if<BarChart>(&charts.back());
    REQUIRE(memory != nullptr);
    double gib = 0.0;
    for (const BarPart& part : memory->parts)
        gib += part.values[0];
    const StageMemory& peak = jobs[0].estimate.stages[static_cast<std::size_t>(jobs[0].estimate.peak_stage)];
    CHECK(gib * 1073741824.0 == Approx(peak.device.value()));
    CHECK(xml_problem(svg(charts)).empty());
}
