// Runs of the nanotron sweep that reserved nearly all the memory their accelerators have: an allocator that
// gives back and asks again makes steps longer (issue 10: 2.9 to 8.8 times were measured in runs not shown).

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/cost/estimate.hpp"
#include "traincost/fit/records/record_job.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/records.hpp"

using namespace traincost;

TEST_CASE(
    "steps of runs that reserved more than 70 of 79.1 GiB are met within 40 %, half of them within 10 %",
    "[allocator]") {
    const auto file = std::filesystem::path(SOURCE_FOLDER) / "tests" / "published" / "near_limit.jsonl";
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    constexpr double near_limit = 70.0 * 1073741824.0;
    std::vector<double> errors;
    for (const RunRecord& record : read_records(file.string()).records) {
        INFO(record.id);
        REQUIRE(record.measured.memory_bytes.value_or(0.0) > near_limit);
        const RecordJob job = job_of(record, look_up);
        REQUIRE(job.job);
        const double error =
            std::abs(estimate(*job.job).step.total.value() / *record.measured.step_time_s - 1.0);
        CHECK(error < 0.4);
        errors.push_back(error);
    }
    REQUIRE(errors.size() == 10);
    std::sort(errors.begin(), errors.end());
    CHECK(errors[errors.size() / 2] < 0.1);
}
