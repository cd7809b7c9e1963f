#include "traincost/fit/uncertainty.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/fit/statistics.hpp"
#include "traincost/io/residuals_json.hpp"

using namespace traincost;

namespace {

ResidualGroupKey group(const std::string& stack, const std::string& accelerator_class, Extent extent) {
    return {ResidualKind::step_time, stack, accelerator_class, extent};
}

/// `n` residuals spread evenly over [low, high].
void add(std::vector<Residual>& to, const ResidualGroupKey& key, int n, double low, double high) {
    for (int i = 0; i < n; ++i) {
        to.push_back({key, key.stack + std::to_string(to.size()),
                      low + (high - low) * static_cast<double>(i) / static_cast<double>(n - 1)});
    }
}

}  // namespace

TEST_CASE("an interval comes from the same stack and class where they have twenty runs", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper", Extent::node), 99, 0.0, 1.0);
    add(residuals, group("nemo", "Hopper", Extent::node), 5, 2.0, 3.0);
    const Residuals table = residuals_from(residuals);

    const auto own = comparable(table, group("nanotron", "Hopper", Extent::node));
    REQUIRE(own);
    CHECK(own->quantiles->n == 99);
    CHECK(own->words == "99 runs of nanotron on Hopper, one node");
    // 99 even steps: the k/(n+1) quantile at 10 % is the tenth value.
    CHECK(own->quantiles->low == Approx(9.0 / 98.0));
    CHECK(own->quantiles->high == Approx(89.0 / 98.0));

    const auto few = comparable(table, group("nemo", "Hopper", Extent::node));
    REQUIRE(few);
    CHECK(few->words == "104 runs on Hopper");
    CHECK_FALSE(few->same_stack);
    CHECK(few->quantiles->high > 2.0);  // both stacks weigh the same, however many runs each has

    CHECK(comparable(table, group("maxtext", "TPU", Extent::node))->words == "104 runs");
    CHECK_FALSE(comparable({}, group("nemo", "Hopper", Extent::node)));
}

TEST_CASE("a record's own fold is left out of its interval", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper", Extent::node), 100, 0.0, 1.0);
    const Residuals table = residuals_from(residuals);
    std::int64_t kept = 0;
    for (int fold = 0; fold < residual_folds; ++fold)
        kept += comparable(table, group("nanotron", "Hopper", Extent::node), fold)->quantiles->n;
    CHECK(kept == 100 * (residual_folds - 1));
}

TEST_CASE("four of five of the runs an interval is made from lie inside it", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper", Extent::node), 200, -0.5, 0.3);
    const Residuals table = residuals_from(residuals);
    const auto* q = comparable(table, group("nanotron", "Hopper", Extent::node))->quantiles;
    const Interval interval = interval_80(*q, 2.0);
    int inside = 0;
    for (const Residual& residual : residuals) {
        const double measured = 2.0 * std::exp(residual.log_error);
        inside += interval.low <= measured && measured <= interval.high ? 1 : 0;
    }
    CHECK(inside == Approx(160).margin(2));
}

TEST_CASE("the probability of staying below a limit rises with the limit from 0 to 1", "[uncertainty]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper", Extent::node), 200, -0.1, 0.1);
    const Residuals table = residuals_from(residuals);
    const auto* q = comparable(table, group("nanotron", "Hopper", Extent::node))->quantiles;
    double before = 0.0;
    for (double limit = 0.5; limit < 2.0; limit += 0.01) {
        const double p = probability_below(*q, 1.0, limit);
        CHECK(p >= before);
        CHECK(p <= 1.0);
        before = p;
    }
    CHECK(probability_below(*q, 1.0, 1.0) == Approx(0.5).margin(0.01));
    CHECK(probability_below(*q, 1.0, 2.0) > 0.99);
    CHECK(probability_below(*q, 1.0, 0.5) < 0.01);
}

TEST_CASE("verdicts: fits from nine in ten, out of memory below one in ten", "[uncertainty]") {
    CHECK(verdict_of(0.95) == Verdict::fits);
    CHECK(verdict_of(0.5) == Verdict::risky);
    CHECK(verdict_of(0.05) == Verdict::out_of_memory);
}

TEST_CASE("the residual table reads back what was written, to the written digits", "[uncertainty][json]") {
    std::vector<Residual> residuals;
    add(residuals, group("nanotron", "Hopper", Extent::fabric), 30, -0.2, 0.4);
    const Residuals table = residuals_from(residuals);
    const JsonDocument document = parse_json(residuals_json(table), "residuals.json");
    const Residuals read = residuals_from_json(JsonNode(document));
    REQUIRE(read.entries.size() == table.entries.size());
    for (std::size_t i = 0; i < read.entries.size(); ++i) {
        CHECK(read.entries[i].group == table.entries[i].group);
        CHECK(read.entries[i].all.n == table.entries[i].all.n);
        CHECK(read.entries[i].all.low == Approx(table.entries[i].all.low).margin(1e-4));
    }
}
