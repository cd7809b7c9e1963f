// What is asked of measured runs, without a command line.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/ask/measured/calibrate_question.hpp"
#include "traincost/ask/measured/validate_question.hpp"
#include "traincost/ask/questions/merge_question.hpp"
#include "traincost/fit/statistics.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/report/answers/calibrate_answer.hpp"
#include "traincost/report/answers/validate_answer.hpp"

using namespace traincost;

namespace {

const std::string runs = SOURCE_FOLDER "/tests/published/records/h200-profiled.jsonl";
const std::string one = SOURCE_FOLDER "/tests/golden/records/one.jsonl";
const std::string kernels = SOURCE_FOLDER "/tests/golden/kernels/h200.jsonl";

void quiet(const std::string& /*line*/) {
}

ValidateAnswer answer_of(const ValidateQuestion& question) {
    return ask(question, Sources(), quiet);
}

}  // namespace

TEST_CASE("a filter keeps the rows of its records, and counts them anew", "[measured]") {
    const ValidateAnswer all = answer_of({.files = {runs, one}});
    const auto& runs_of_all = std::get<ValidatedRuns>(all.found);
    const ValidateAnswer kept = answer_of({.files = {runs, one}, .filters = {"stack=maxtext"}});
    const auto& runs_kept = std::get<ValidatedRuns>(kept.found);
    CHECK(runs_of_all.validation.evaluated > 1);
    CHECK(runs_kept.validation.evaluated == 1);
    REQUIRE_FALSE(runs_kept.validation.rows.empty());
    for (const ValidationRow& row : runs_kept.validation.rows)
        CHECK(runs_kept.records[row.record].record.id == "jax-maxtext-gpu-0001");
    CHECK_THAT(validate_text(kept, {}, "table", {}), Catch::StartsWith("1 of 1 records evaluated\n\n"));
    CHECK_THROWS_WITH(
        validate_text(kept, {}, "tabel", {}),
        "--format: unknown value 'tabel'; allowed: table, csv, markdown; did you mean 'table'?");
}

TEST_CASE("words that are not known are said before any file is read", "[measured]") {
    const std::vector<std::string> nowhere = {"no-such-file.jsonl"};
    CHECK_THROWS_WITH(answer_of({.files = nowhere, .metric = "tim"}),
                      Catch::StartsWith("--metric: unknown value 'tim'; allowed: step_time, "));
    CHECK_THROWS_WITH(answer_of({.files = nowhere, .filters = {"stack"}}),
                      "--filter: 'stack'; must be KEY=VALUE");
    CHECK_THROWS_WITH(answer_of({.files = nowhere, .view = {.worst = -1}}),
                      "--worst: -1; must be at least 1");
    CHECK_THROWS_WITH(answer_of({.files = nowhere, .leave = {"source"}, .view = {.rows = true}}),
                      Catch::StartsWith("--leave: prints a separate table"));
}

TEST_CASE("what speaks of runs is refused of kernels", "[measured]") {
    CHECK_THROWS_WITH(answer_of({.files = {kernels}, .metric = "memory"}),
                      "--metric: applies to run records; the files contain kernels");
    CHECK(std::holds_alternative<KernelErrors>(answer_of({.files = {kernels}}).found));
    CHECK_THROWS_WITH(ask(CalibrateQuestion{.files = {kernels}, .stacks = {"pytorch"}}, Sources(), quiet),
                      "--stack: applies to run records; the files contain kernels");
}

TEST_CASE("runs left out have as many intervals as there are runs", "[measured]") {
    const ValidateAnswer answer = answer_of({.files = {runs}, .leave = {"source", "stack"}});
    const auto& left = std::get<ValidatedLeftOut>(answer.found);
    CHECK(left.kinds.stack);
    CHECK_FALSE(left.kinds.accelerator);
    REQUIRE(left.coverage.size() == 1);
    CHECK(left.coverage[0].source == "h200-profiled");
    CHECK(left.coverage[0].times > 0);
    CHECK_FALSE(left.unstated);
    CHECK_FALSE(left.medians);
}

// Their recomputation is not stated: what lets them run is assumed.
TEST_CASE("errors of sources left out begin with those of the validation", "[measured]") {
    const std::vector<std::string> files = {SOURCE_FOLDER "/tests/published/records/automodel.jsonl"};
    const ValidateAnswer validated = answer_of({.files = files, .metric = "step_time"});
    std::vector<double> errors;
    for (const ValidationRow& row : std::get<ValidatedRuns>(validated.found).validation.rows)
        errors.push_back(row.error);
    const ValidateAnswer answer = answer_of({.files = files, .leave = {"source"}});
    const auto& medians = std::get<ValidatedLeftOut>(answer.found).medians;
    REQUIRE(medians);
    REQUIRE(medians->size() == 1);
    CHECK(medians->front().times == static_cast<std::int64_t>(errors.size()));
    CHECK(medians->front().time_as_it_stands == Approx(error_statistics(errors).median_ape));
}

TEST_CASE("the table of residuals is made where it is asked for", "[measured]") {
    CHECK(answer_of({.files = {runs}}).residuals.empty());
    const ValidateAnswer anew = answer_of({.files = {runs}, .new_residuals = true});
    CHECK_THAT(anew.residuals, Catch::Contains("h200-profiled"));
}

TEST_CASE("a calibration holds its records where they are asked for", "[measured]") {
    const Sources sources;
    const CalibrateAnswer plain = ask(CalibrateQuestion{.files = {one}}, sources, quiet);
    CHECK(plain.yes());
    CHECK(plain.records().empty());
    CHECK(nothing_fitted_text(plain).empty());
    const CalibrateAnswer written = ask(CalibrateQuestion{.files = {one}, .records = true}, sources, quiet);
    REQUIRE(written.records().size() == 1);
    CHECK(written.records()[0].room == "stacks");
    CHECK(written.records()[0].id == "maxtext-gpu");
    CHECK_THAT(written.records()[0].text, Catch::Contains("gemm_factor"));

    const CalibrateAnswer nothing =
        ask(CalibrateQuestion{.files = {one}, .stacks = {"none"}}, sources, quiet);
    CHECK_FALSE(nothing.yes());
    CHECK(nothing_fitted_text(nothing) == "no stack has 1 record to fit to");
    CHECK(calibrate_tables(nothing).empty());
    const CalibrateAnswer crossed =
        ask(CalibrateQuestion{.files = {one}, .cross_validate = "source"}, sources, quiet);
    CHECK_FALSE(crossed.yes());
    CHECK(nothing_fitted_text(crossed) == "no stack has enough records in two groups to fit to");
}

TEST_CASE("a file that is no shard cannot be merged", "[measured]") {
    CHECK_THROWS(ask(MergeQuestion{{SOURCE_FOLDER "/tests/golden/job.json"}, false, {}}));
}
