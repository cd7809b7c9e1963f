// What own runs say about the next.

#include "traincost/fit/own_runs.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace traincost;

TEST_CASE("the next error lies between other sources' mean and the own runs'", "[own runs]") {
    const SourceSpread spread{0.1, 0.04, 0.01};
    const NextError first = next_error(spread, {});
    CHECK(first.mean == Approx(0.1));
    CHECK(first.deviation == Approx(std::sqrt(0.05)));
    // W = 0.01, B = 0.04, one run at 0.5: (0.1 * 0.01 + 0.04 * 0.5) / 0.05
    const NextError second = next_error(spread, std::vector<double>{0.5});
    CHECK(second.mean == Approx(0.42));
    CHECK(second.deviation == Approx(std::sqrt(0.01 + 0.01 * 0.04 / 0.05)));
    const NextError many = next_error(spread, std::vector<double>(1000, 0.5));
    CHECK(many.mean == Approx(0.5).margin(1e-3));
    CHECK(many.deviation == Approx(0.1).epsilon(0.01));
}

TEST_CASE("sources' spread is not that of their runs", "[own runs]") {
    const std::vector<std::vector<double>> same = {{-0.1, 0.1, -0.1, 0.1}, {0.1, -0.1, 0.1, -0.1}};
    CHECK(source_spread(same).between == 0.0);
    CHECK(source_spread(same).within > 0.01);
    const std::vector<std::vector<double>> apart = {{0.3, 0.3}, {-0.3, -0.3}};
    CHECK(source_spread(apart).between == Approx(0.18));
    CHECK(source_spread(apart).within == Approx(0.0).margin(1e-12));
    CHECK(source_spread({}).mean == 0.0);
    CHECK(next_error(source_spread({}), {}).deviation == 0.0);
}

TEST_CASE("a source that is always a third slower is met after a run of its own", "[own runs]") {
    std::vector<SourcedRecord> records;
    Validation validation{};
    for (std::size_t i = 0; i < 60; ++i) {
        const bool slow = i < 20;
        RunRecord record{};
        records.push_back({record, slow ? "slow" : i < 40 ? "right" : "fast"});
        const double measured = slow ? 1.33 : i < 40 ? 1.0 : 0.8;
        validation.rows.push_back({i, Metric::step_time, measured * (i % 2 == 0 ? 1.02 : 0.98), 1.0, 0.0});
    }
    const std::vector<OwnRunsRow> rows = own_runs_rows(validation, records, Metric::step_time);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].own_runs == 0);
    CHECK(rows[0].sources == 3);
    CHECK(rows[1].median_error < 0.5 * rows[0].median_error);
    CHECK(rows[1].width < rows[0].width);
    CHECK(rows[3].median_error < 0.05);
    CHECK(own_runs_rows(validation, records, Metric::memory).empty());
}
