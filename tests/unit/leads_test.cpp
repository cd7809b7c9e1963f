#include <traincost/fit/leads.hpp>

#include <catch2/catch.hpp>

#include <cmath>

using namespace traincost;

namespace {

LayoutRun run(const char* group, const char* layout, double predicted, double measured) {
    return {group, layout, "a", predicted, measured};
}

}  // namespace

TEST_CASE("errors that layouts share leave their leads exact", "[leads]") {
    const std::vector<LayoutRun> runs = {run("m", "1", 1.0, 1.5), run("m", "2", 1.08, 1.62)};
    const std::vector<LeadError> errors = lead_errors(runs);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].stack.empty());
    CHECK(errors[0].groups == 1);
    CHECK(errors[0].pairs == 1);
    CHECK(errors[0].overstated == Approx(0.0).margin(1e-12));
}

TEST_CASE("four pairs in five have leads overstated by no more, each group weighing the same", "[leads]") {
    std::vector<LayoutRun> runs;
    // Predicted 5 % apart; measured apart by 5, 4, 3, 2 and 1 %.
    for (int i = 0; i < 5; ++i) {
        const std::string group = std::to_string(i);
        runs.push_back({group, "1", "a", 1.0, 1.0});
        runs.push_back({group, "2", "a", 1.05, 1.05 - 0.01 * i});
    }
    CHECK(lead_errors(runs)[0].overstated == Approx(std::log(1.05 / 1.02)));
}

TEST_CASE("layouts far behind, alone or twice measured make no pair", "[leads]") {
    const std::vector<LayoutRun> runs = {run("m", "1", 1.0, 1.0), run("m", "1", 1.0, 1.1),
                                         run("m", "2", 1.2, 0.9), run("n", "1", 1.0, 2.0)};
    CHECK(lead_errors(runs).empty());
    CHECK_FALSE(lead_error(lead_errors(runs), "a"));
}

TEST_CASE("a stack with enough groups has its own leads, another those of all", "[leads]") {
    std::vector<LayoutRun> runs;
    for (int i = 0; i < 12; ++i) {
        const std::string group = std::to_string(i);
        const std::string stack = i < comparable_groups ? "many" : "few";
        runs.push_back({group, "1", stack, 1.0, 1.0});
        runs.push_back({group, "2", stack, 1.05, i < comparable_groups ? 1.04 : 0.9});
    }
    const std::vector<LeadError> errors = lead_errors(runs);
    CHECK(lead_error(errors, "many")->groups == comparable_groups);
    CHECK(lead_error(errors, "few")->groups == 12);
    CHECK(lead_error(errors, "unknown")->stack.empty());
}

TEST_CASE("the bias of choosing is what the layout predicted fastest misses beyond its group", "[leads]") {
    const std::vector<LayoutRun> runs = {run("m", "1", 1.0, 1.2),   run("m", "2", 1.1, 1.1),
                                         run("m", "3", 1.2, 1.2),   run("n", "1", 2.0, 2.0),
                                         run("n", "2", 3.0, 3.0),   run("alone", "1", 1.0, 9.0),
                                         run("twice", "1", 1.0, 1), run("twice", "1", 1.1, 5)};
    const auto bias = selection_bias(runs);
    REQUIRE(bias);
    CHECK(bias->groups == 2);
    CHECK(bias->mean == Approx(std::log(1.2) / 2.0));
    CHECK(bias->upper == Approx(std::log(1.2)));
    CHECK_FALSE(selection_bias(std::vector<LayoutRun>{run("m", "1", 1.0, 1.2)}));
}
