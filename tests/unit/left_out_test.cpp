#include "traincost/fit/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
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

TEST_CASE("a source's error counts once in the mean however many runs it has", "[left out]") {
    const auto off = [](double error) { return std::log1p(error); };
    const std::vector<LeftOutError> errors = {{"paper", Fitted::time, off(0.1), off(-0.3), true},
                                              {"sweep", Fitted::time, off(0.02), off(0.02), false},
                                              {"sweep", Fitted::time, off(-0.06), off(-0.06), false},
                                              {"sweep", Fitted::time, off(0.04), off(0.04), false},
                                              {"sweep", Fitted::memory, off(0.5), off(0.5), false}};
    const std::vector<LeftOutMedians> rows = medians_left_out(errors);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].source == "paper");
    CHECK(rows[0].refitted);
    CHECK(rows[0].memories == 0);
    CHECK(rows[1].times == 3);
    CHECK(rows[1].time_left_out == Approx(0.04));
    CHECK_FALSE(rows[1].refitted);
    const LeftOutMedians mean = mean_over_sources(rows);
    CHECK(mean.time_as_it_stands == Approx(0.07));
    CHECK(mean.time_left_out == Approx(0.17));
    CHECK(mean.memory_left_out == Approx(0.5));  // of the one source that states memory
    CHECK(mean_over_sources({}).time_left_out == 0.0);
}

TEST_CASE("a source left out of the fit says nothing of its stack's constants", "[left out]") {
    const OwnRuns own;
    std::vector<SourcedRecord> records = own.records;
    for (SourcedRecord& record : records)
        record.source = "known";
    // The same runs twice as slow: fitted to them, constants grow; without them nothing changes.
    const std::size_t n = records.size();
    for (std::size_t i = 0; i < n; ++i) {
        SourcedRecord slow = records[i];
        slow.source = "slow";
        if (slow.record.measured.step_time_s)
            *slow.record.measured.step_time_s *= 2.0;
        records.push_back(std::move(slow));
    }
    const std::vector<LeftOutMedians> rows = medians_left_out(errors_without_source(records, own.job, {}));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].source == "known");
    CHECK(rows[0].refitted);
    CHECK(rows[0].time_left_out > 2.0 * rows[0].time_as_it_stands);  // fitted to the slow ones alone
    CHECK(rows[1].time_left_out == Approx(0.5).margin(0.1));         // fitted to the others alone
    const auto alone = medians_left_out(errors_without_source(std::span(records).first(n), own.job, {}));
    REQUIRE(alone.size() == 1);
    CHECK_FALSE(alone.front().refitted);
    CHECK(alone.front().time_left_out == alone.front().time_as_it_stands);
}

TEST_CASE("a rate of tokens is a step time", "[left out]") {
    const OwnRuns own;
    std::vector<SourcedRecord> rates = own.records;
    for (SourcedRecord& sourced : rates) {
        RunRecord& record = sourced.record;
        const double tokens = static_cast<double>(record.run.global_batch * record.run.sequence);
        record.measured.tokens_per_s_per_accelerator =
            tokens / *record.measured.step_time_s / static_cast<double>(record.cluster.accelerators);
        record.measured.step_time_s.reset();
        record.measured.tflops_per_accelerator.reset();
    }
    const auto times = medians_left_out(errors_without_source(own.records, own.job, {}));
    const auto same = medians_left_out(errors_without_source(rates, own.job, {}));
    REQUIRE(same.size() == 1);
    CHECK(same.front().times == times.front().times);
    CHECK(same.front().time_as_it_stands == Approx(times.front().time_as_it_stands));
}

TEST_CASE("constants that no record bears on stay where they were before records", "[left out]") {
    const OwnRuns own;
    const std::vector<SourcedRecord>& records = own.records;
    CalibrationOptions options;
    options.base_of = [&](const std::string&) {
        StackSpec base = own.job(records.front().record).job->stack;
        base.device.gemm_factor = 1.5;
        return std::optional(base);
    };
    const std::vector<LeftOutError> without = errors_without_source(records, own.job, options);
    REQUIRE_FALSE(without.empty());
    for (const LeftOutError& error : without) {
        CHECK_FALSE(error.refitted);
        if (error.to == Fitted::time)
            CHECK(error.left_out > error.as_it_stands);  // the base's slower products
    }
}

TEST_CASE("constants that rest on no run are refitted to none", "[left out]") {
    const OwnRuns own;
    std::vector<SourcedRecord> records = own.records;
    for (std::size_t i = 0; i < records.size(); ++i)
        records[i].source = i % 2 == 0 ? "even" : "odd";
    CalibrationOptions options;
    options.rests_on_runs = [](const std::string&, std::string_view) { return false; };
    const std::vector<LeftOutError> counted = errors_without_source(records, own.job, options);
    REQUIRE_FALSE(counted.empty());
    for (const LeftOutError& error : counted) {
        CHECK(error.left_out == error.as_it_stands);
        CHECK(error.refitted);  // others ran this stack too
    }
    // One that rests on runs is refitted, though it is none of those that are fitted unasked.
    options.rests_on_runs = [](const std::string&, std::string_view constant) {
        return constant == "host.per_checkpoint_s";
    };
    options.base_of = [&](const std::string&) {
        StackSpec base = own.job(records.front().record).job->stack;
        base.host.per_checkpoint = Seconds{9e-3};
        return std::optional(base);
    };
    const std::vector<LeftOutError> fitted = errors_without_source(records, own.job, options);
    CHECK(std::any_of(fitted.begin(), fitted.end(),
                      [](const LeftOutError& e) { return e.left_out != e.as_it_stands; }));
}

TEST_CASE("runs of a release that states no constant of its own say something of its stack", "[left out]") {
    const OwnRuns own;
    std::vector<SourcedRecord> records = own.records;
    for (SourcedRecord& record : records)
        record.source = record.record.run.stack;
    std::set<std::string> stacks;
    for (const SourcedRecord& record : records)
        stacks.insert(own.job(record.record).job->stack.id);
    REQUIRE(stacks.size() > 1);
    CalibrationOptions options;
    const auto refitted = [&] {
        const std::vector<LeftOutError> errors = errors_without_source(records, own.job, options);
        return std::any_of(errors.begin(), errors.end(), [](const LeftOutError& e) { return e.refitted; });
    };
    CHECK_FALSE(refitted());
    options.stated_by = [](const std::string&) { return std::string("pytorch"); };
    CHECK(refitted());
}
