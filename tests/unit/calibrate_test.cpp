#include "traincost/fit/calibrate.hpp"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "traincost/cost/estimate.hpp"
#include "traincost/io/bench/calibration_json.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/specs/stack_claim.hpp"

using namespace traincost;

namespace {

RunRecord record(int i) {
    RunRecord r{};
    r.id = "made-" + std::to_string(i);
    r.model = {.name = "made",
               .family = "llama",
               .layers = 8 + 4 * (i % 3),
               .hidden = 1024 * (1 + i % 2),
               .heads = 16,
               .kv_heads = 16,
               .head_dim = 64 * (1 + i % 2),
               .ffn = 4096,
               .gated_mlp = true,
               .vocab = 32000,
               .tied_embeddings = false,
               .positional = "rope",
               .attention = "mha"};
    r.cluster = {.accelerator = "h100-sxm5-80gb", .accelerators = 8, .per_node = 8};
    r.run = {.stack = "nanotron",
             .precision = "bf16-mixed",
             .optimizer = "adamw",
             .sequence = 1024,
             .micro_batch = 1 + i % 4,
             .global_batch = 8 * (1 + i % 4),
             .recompute = "none"};
    r.run.parallel.dp = 8;
    r.run.parallel.zero = 1;
    return r;
}

/// Records "measured" on a stack whose constant has another value than the catalogue's.
std::vector<SourcedRecord> made_records(const RecordCatalogue& look_up, const FitConstant& constant,
                                        double value) {
    std::vector<SourcedRecord> records;
    for (int i = 0; i < 24; ++i) {
        RunRecord r = record(i);
        Job job = *job_of(r, look_up).job;
        constant.set(job, value);
        r.measured.step_time_s = estimate(job).step.total.value();
        records.push_back({std::move(r), "made"});
    }
    return records;
}

const FitConstant& named(std::string_view name) {
    for (const FitConstant& constant : fit_constants()) {
        if (constant.name == name)
            return constant;
    }
    throw std::runtime_error("no such constant");
}

}  // namespace

TEST_CASE("a constant the records were made with is found again", "[calibrate]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    const std::vector<SourcedRecord> records = made_records(look_up, named("host.per_step_s"), 0.1);
    CalibrationOptions options;
    options.constants = {"host.per_step_s"};
    const std::vector<Calibration> calibrations = calibrate(records, job, options);
    REQUIRE(calibrations.size() == 1);
    const Calibration& c = calibrations[0];
    CHECK(c.subject == "nanotron");
    REQUIRE(c.constants.size() == 1);
    CHECK(c.constants[0].bound);
    CHECK(c.constants[0].after == Approx(0.1).epsilon(0.02));
    CHECK(c.held_out.mape < 0.01);
    CHECK(c.before.mape > c.fitted.mape);

    const StackSpec stack = calibrated(catalogue.stack("nanotron"), c);
    CHECK(stack.host.per_step.value() == c.constants[0].after);
}

TEST_CASE("a constant the records have no bearing on stays as it was", "[calibrate]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    const std::vector<SourcedRecord> records = made_records(look_up, named("host.per_step_s"), 0.1);
    CalibrationOptions options;
    options.constants = {"experts.overlap"};  // dense models have no experts
    const Calibration c = calibrate(records, job, options).at(0);
    CHECK_FALSE(c.constants[0].bound);
    CHECK(c.constants[0].after == c.constants[0].before);
}

TEST_CASE("the written stack record is read back with the fitted constant", "[calibrate][json]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    CalibrationOptions options;
    options.constants = {"host.per_step_s"};
    const std::vector<Calibration> calibrations =
        calibrate(made_records(look_up, named("host.per_step_s"), 0.1), job, options);
    const std::string text = calibrated_stack_record(catalogue.document(Room::stacks, "nanotron"),
                                                     calibrations, std::vector<std::string>{"made"});
    const JsonDocument document = parse_json(text, "nanotron.json");
    JsonObject object{JsonNode(document)};
    JsonObject host(object.at("host"));
    CHECK(claimed_value(host.at("per_step_s")).number() == Approx(0.1).epsilon(0.02));
    const auto claim = claim_of(document, "host.per_step_s");
    REQUIRE(claim);
    CHECK(claim->kind == ClaimKind::fitted);
    CHECK(claim->n == 24);
    CHECK(claim->sources == 1);
    CHECK(claim->held_out_error.value_or(1.0) < 0.01);
    CHECK(claim->why == "records of made");
}

TEST_CASE("a few records move a constant part of the way", "[calibrate]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    std::vector<SourcedRecord> records = made_records(look_up, named("host.per_step_s"), 0.1);
    const auto moved = [&](std::size_t n) {
        const std::vector<SourcedRecord> some(records.begin(),
                                              records.begin() + static_cast<std::ptrdiff_t>(n));
        const std::vector<Calibration> of = calibrate(some, job, {.constants = {"host.per_step_s"}});
        REQUIRE(of.size() == 1);
        return of.front().constants.front();
    };
    const FittedConstant one = moved(1);
    const FittedConstant five = moved(5);
    CHECK(one.after > one.before);
    CHECK(five.after > one.after);
    CHECK(five.after < 0.1);
    records.resize(5);
    CHECK(calibrate(records, job, {.constants = {}, .least_records = 6}).empty());
}

TEST_CASE("a clock the records were made at is found again from several stacks", "[calibrate][slow]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    std::vector<SourcedRecord> records = made_records(look_up, named("sustained_factor"), 1.3);
    CalibrationOptions options;
    options.constants = {"sustained_factor"};
    const Calibration c = calibrate(records, job, options).at(0);
    CHECK(c.of == Subject::accelerator);
    CHECK(c.subject == "h100-sxm5-80gb");
    CHECK(c.constants[0].after == Approx(1.3).epsilon(0.02));
    CHECK(c.held_out.mape < 0.01);
    CHECK(calibrate(records, job, {}).at(0).of == Subject::stack);  // unnamed, it is no stack's constant
}

TEST_CASE("a constant that all sources agree on carries over to one left out", "[calibrate]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    std::vector<SourcedRecord> records = made_records(look_up, named("host.per_step_s"), 0.1);
    for (std::size_t i = 0; i < records.size(); ++i)
        records[i].source = i % 3 == 0 ? "one" : i % 3 == 1 ? "two" : "three";
    CalibrationOptions options;
    options.constants = {"host.per_step_s", "experts.overlap"};
    const std::vector<CrossValidation> validations = cross_validate(records, job, options, "source");
    REQUIRE(validations.size() == 1);
    const CrossValidation& v = validations[0];
    CHECK(v.names == std::vector<std::string_view>{"host.per_step_s"});  // dense models have no experts
    REQUIRE(v.groups.size() == 3);
    for (const LeftOutGroup& group : v.groups) {
        CHECK(group.as_is.n == 8);
        CHECK(group.refitted.mape < 0.01);
        CHECK(group.constants.at(0) == Approx(0.1).epsilon(0.02));
    }
    CHECK(v.as_is.n == 24);
    CHECK(v.as_is.mape > 0.2);
}

TEST_CASE("a constant that is one source's own fails the others", "[calibrate]") {
    const Catalogue catalogue;
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const JobOf job = [&](const RunRecord& r) { return job_of(r, look_up); };
    std::vector<SourcedRecord> records = made_records(look_up, named("host.per_step_s"), 0.1);
    const std::vector<SourcedRecord> others = made_records(look_up, named("host.per_step_s"), 0.005);
    for (std::size_t i = 0; i < records.size(); i += 2) {
        records[i] = others[i];
        records[i].source = "other";
    }
    CalibrationOptions options;
    options.constants = {"host.per_step_s"};
    const CrossValidation v = cross_validate(records, job, options, "source").at(0);
    CHECK(v.refitted.mape > 0.2);
    CHECK(cross_validate(records, job, options, "accelerator").empty());  // all are of one
}
