#include "traincost/fit/left_out.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/records.hpp"

using namespace traincost;

namespace {

struct OwnRuns {
    Catalogue catalogue;
    RecordCatalogue look_up = record_catalogue(catalogue);
    JobOf job = [this](const RunRecord& record) { return job_of(record, look_up); };
    std::vector<SourcedRecord> records = [] {
        const std::string path = std::string(SOURCE_FOLDER) + "/tests/published/records/h200-profiled.jsonl";
        std::vector<SourcedRecord> all;
        for (RunRecord& record : read_records(path).records)
            all.push_back({std::move(record), "h200-profiled"});
        return all;
    }();
};

/// Thirty errors of a source, all of one size.
void add(std::vector<Residual>& to, const std::string& stack, const std::string& accelerators,
         const std::string& source, double error) {
    for (int i = 0; i < 30; ++i)
        to.push_back(
            {{ResidualKind::step_time, stack, accelerators, true}, source, "made", error * (i % 3 - 1)});
}

}  // namespace

TEST_CASE("an interval knows nothing of the stack and the accelerators that are left out", "[left out]") {
    const OwnRuns own;
    std::vector<Residual> residuals;
    add(residuals, "hf-transformers", "Hopper", "like it", 1.0);
    add(residuals, "megatron-core", "Hopper", "another stack", 1e-6);
    add(residuals, "megatron-core", "Ampere", "others", 1e-6);
    const Residuals table = residuals_from(residuals);
    const auto held = [&](LeftOutKinds kinds) {
        const auto rows = coverage_left_out(own.records, own.job, table, kinds);
        REQUIRE(rows.size() == 1);
        CHECK(rows.front().times == 20);
        CHECK(rows.front().memories_held == 0);
        CHECK(mean_memory_coverage(rows) == 0.0);
        return mean_time_coverage(rows);
    };
    CHECK(held({}) == 1.0);                     // as wide as what is like the runs
    CHECK(held({true, false}) == Approx(0.3));  // six of twenty ran under another stack
    CHECK(held({false, true}) == 0.0);
    CHECK(held({true, true}) == 0.0);
}

TEST_CASE("every source speaks alike in the mean coverage", "[left out]") {
    const std::vector<LeftOutCoverage> rows = {{"sweep", 1000, 1000, 0, 0}, {"paper", 2, 1, 4, 3}};
    CHECK(mean_time_coverage(rows) == 0.75);
    CHECK(mean_memory_coverage(rows) == 0.75);
    CHECK(mean_time_coverage({}) == 0.0);
}
