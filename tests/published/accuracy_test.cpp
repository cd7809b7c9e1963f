// Predictions held against measured runs: how far they may lie apart, file by file.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <catch2/catch.hpp>

#include "traincost/ask/unstated_coverage.hpp"
#include "traincost/fit/summary.hpp"
#include "traincost/fit/validate.hpp"
#include "traincost/io/bench/record_groups_data.hpp"
#include "traincost/io/bench/residuals_json.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/records.hpp"

using namespace traincost;

namespace {

const std::filesystem::path folder = std::filesystem::path(SOURCE_FOLDER) / "tests" / "published";
const std::filesystem::path ceilings_file = folder / "accuracy_ceilings.txt";

std::vector<SourcedRecord> all_records() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "records")) {
        if (entry.path().extension() == ".jsonl")
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<SourcedRecord> records;
    for (const auto& file : files) {
        for (RunRecord& record : read_records(file.string()).records)
            records.push_back({std::move(record), file.stem().string()});
    }
    return records;
}

const std::vector<SourcedRecord>& records() {
    static const std::vector<SourcedRecord> all = all_records();
    return all;
}

const Validation& validation() {
    static const Validation result = [] {
        const Catalogue catalogue;
        const RecordCatalogue look_up = record_catalogue(catalogue);
        Validation rows = validate(
            records(), [&](const RunRecord& record) { return job_of(record, look_up); }, read_residuals());
        summarize(records(), read_record_groups(catalogue), rows);
        return rows;
    }();
    return result;
}

/// A measure of a group that must not exceed its ceiling: percent of error, or percent of wrong verdicts.
using Measures = std::map<std::string, double>;

Measures measured_errors() {
    Measures measures;
    const auto kept = [](const std::string& group) { return group == "all" || group.starts_with("source:"); };
    for (const SummaryRow& row : validation().summary) {
        if (kept(row.group))
            measures[std::string(to_string(row.metric)) + " " + row.group] = 100.0 * row.errors.mape;
    }
    for (const FitsRow& row : validation().fits) {
        if (kept(row.group))
            measures["fits " + row.group] = 100.0 * (1.0 - row.accuracy);
    }
    return measures;
}

Measures read_ceilings() {
    Measures ceilings;
    std::ifstream file(ceilings_file);
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line[0] == '#')
            continue;
        std::istringstream words(line);
        std::string metric;
        std::string group;
        double ceiling = 0.0;
        words >> metric >> group >> ceiling;
        ceilings[metric + " " + group] = ceiling;
    }
    return ceilings;
}

void write_ceilings(const Measures& measures) {
    constexpr double margin = 1.05;
    std::ofstream file(ceilings_file);
    file << "# Largest mean absolute error, in percent, of the sample in records/; of `fits` the share of "
            "wrong verdicts.\n"
            "# Written by UPDATE_GOLDEN=1 published_tests, a twentieth above what was measured.\n";
    for (const auto& [name, value] : measures)
        file << name << ' ' << std::ceil(value * margin * 10.0) / 10.0 << '\n';
}

}  // namespace

TEST_CASE("at least 95 of 100 records are evaluated, the others with a reason", "[accuracy]") {
    CHECK(static_cast<double>(validation().evaluated) >= 0.95 * static_cast<double>(validation().records));
    for (const SkippedRecord& skipped : validation().skipped)
        CHECK_FALSE(skipped.reason.empty());
    CHECK(validation().evaluated + validation().skipped.size() == validation().records);
}

TEST_CASE("no file's error rises above its ceiling", "[accuracy]") {
    const Measures measures = measured_errors();
    if (std::getenv("UPDATE_GOLDEN") != nullptr)
        write_ceilings(measures);
    const Measures ceilings = read_ceilings();
    for (const auto& [name, value] : measures) {
        INFO(name);
        REQUIRE(ceilings.contains(name));
        CHECK(value <= ceilings.at(name));
    }
}

TEST_CASE("four of five step times lie inside the interval of other runs and of other sources",
          "[accuracy][uncertainty]") {
    for (const SummaryRow& row : validation().summary) {
        if (row.metric != Metric::step_time || row.group != "all")
            continue;
        REQUIRE(row.interval_80_coverage);
        REQUIRE(row.interval_80_coverage_new_source);
        // The sample has each small file whole, which weigh little in the table: 80 % within 8.
        CHECK(*row.interval_80_coverage == Approx(0.80).margin(0.08));
        CHECK(*row.interval_80_coverage_new_source == Approx(0.80).margin(0.08));
    }
}

TEST_CASE("of the runs called nine in ten safe, nine in ten fitted", "[accuracy][uncertainty]") {
    for (const SafetyRow& row : validation().safety) {
        if (row.low < 0.9)
            continue;
        CHECK(row.n > 50);
        CHECK(row.fitted >= 0.9);
        CHECK(row.fitted_new_source >= 0.9);
    }
}

TEST_CASE("a validation does not depend on the order or number of the records around it", "[accuracy]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& record) { return job_of(record, look_up); };
    const Residuals residuals = read_residuals();
    std::vector<SourcedRecord> few(records().begin(), records().begin() + 20);
    const Validation forward = validate(few, job, residuals);
    std::reverse(few.begin(), few.end());
    const Validation backward = validate(few, job, residuals);
    REQUIRE(forward.rows.size() == backward.rows.size());
    for (const ValidationRow& row : forward.rows) {
        const auto same =
            std::find_if(backward.rows.begin(), backward.rows.end(), [&](const ValidationRow& other) {
                return other.record == few.size() - 1 - row.record && other.metric == row.metric;
            });
        REQUIRE(same != backward.rows.end());
        CHECK(same->predicted == row.predicted);
        CHECK(same->interval_80 == row.interval_80);
    }
}

namespace {

/// Errors of one metric over the records of a file.
std::vector<double> errors_of(std::string_view source, Metric metric) {
    std::vector<double> errors;
    for (const ValidationRow& row : validation().rows) {
        if (row.metric == metric && records()[row.record].source == source)
            errors.push_back(std::abs(row.error));
    }
    return errors;
}

double mean(const std::vector<double>& values) {
    double sum = 0.0;
    for (const double value : values)
        sum += value;
    return sum / static_cast<double>(values.size());
}

}  // namespace

// What the own runs' allocator says is known to the byte; what it reserves over that is not ours to know.
TEST_CASE("own H200 runs: allocated within 3 % and 10 % at worst, reserved within 6 %", "[accuracy]") {
    const std::vector<double> allocated = errors_of("h200", Metric::memory);
    REQUIRE(allocated.size() >= 30);
    CHECK(mean(allocated) <= 0.03);
    CHECK(*std::max_element(allocated.begin(), allocated.end()) <= 0.10);
    CHECK(mean(errors_of("h200", Metric::memory_reserved)) <= 0.06);
}

// Ranks 8 and 16, with and without dropout and recomputation. Known deviation: compiled, the last three, we
// are 9 to 14 % below.
TEST_CASE("own runs with adapters: allocated within 1 % eager and 15 % compiled, reserved within 10 %",
          "[accuracy]") {
    std::vector<double> allocated = errors_of("h200-lora", Metric::memory);
    REQUIRE(allocated.size() == 35);
    CHECK(*std::max_element(allocated.end() - 3, allocated.end()) <= 0.15);
    allocated.resize(32);
    CHECK(*std::max_element(allocated.begin(), allocated.end()) <= 0.01);
    CHECK(mean(errors_of("h200-lora", Metric::memory_reserved)) <= 0.10);
}

TEST_CASE("of the runs called nine-tenths safe, nine in ten fitted", "[accuracy][uncertainty]") {
    double called = 0.0;
    double fitted = 0.0;
    for (const ValidationRow& row : validation().rows) {
        if (row.metric != Metric::fits || !row.probability || verdict_of(*row.probability) != Verdict::fits)
            continue;
        called += 1.0;
        fitted += row.measured;
    }
    REQUIRE(called >= 50.0);
    CHECK(fitted / called >= 0.90);
}

TEST_CASE("intervals hold where nobody states recomputation, attention kernel and compiler", "[accuracy]") {
    const Sources sources;
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const std::vector<LeftOutCoverage> coverage = coverage_unstated(
        records(), [&](const RunRecord& record) { return job_of(record, look_up); }, sources);
    CHECK(mean_time_coverage(coverage) > 0.70);
    CHECK(mean_time_coverage(coverage) < 0.88);
    CHECK(mean_memory_coverage(coverage) > 0.70);
    CHECK(mean_memory_coverage(coverage) < 0.88);
}
