#include <traincost/spec/draft/job_draft.hpp>
#include <traincost/spec/draft/job_fields.hpp>

#include <catch2/catch.hpp>

#include <set>

using namespace traincost;

namespace {

JobDraft draft(std::initializer_list<std::pair<const char*, const char*>> flags) {
    JobDraft d;
    for (const auto& [flag, text] : flags) {
        say(d, *job_field(flag), text, flag);
    }
    return d;
}

/// A text that the field takes.
std::string sample_of(const JobField& field) {
    if (field.choices != nullptr) {
        return std::string(field.choices()[0]);
    }
    if (field.kind == FieldKind::toggle) {
        return "on";
    }
    const std::string_view name = field.flag.empty() ? field.key : field.flag;
    if (name == "--recompute") {
        return "full:2";
    }
    if (field.key == "run.compiled_parts") {
        return "mlp,loss";
    }
    if (name == "--loss") {
        return "chunked";
    }
    if (name == "--reshard") {
        return "never";
    }
    if (name == "--reduce") {
        return "bf16";
    }
    if (name == "--lora-targets") {
        return "q,mlp";
    }
    if (field.type == "FRACTION") {
        return "0.5";
    }
    if (field.type == "TIME") {
        return "90s";
    }
    if (field.type == "RATE") {
        return "2GB/s";
    }
    return field.kind == FieldKind::text || field.kind == FieldKind::composite ? "a-name" : "3";
}

}  // namespace

TEST_CASE("every field is said, printed and said again", "[draft]") {
    for (const JobField& field : job_fields()) {
        INFO(field.key << " " << field.flag);
        JobDraft said;
        CHECK(field.where(said) == nullptr);
        CHECK_FALSE(field.print(said).has_value());
        field.parse(said, sample_of(field), "here");
        REQUIRE(field.print(said).has_value());
        CHECK(*field.where(said) == "here");
        JobDraft again;
        field.parse(again, *field.print(said), "here");
        again.sequence_as_given = said.sequence_as_given;
        CHECK(again == said);
    }
}

TEST_CASE("fields have one name each, and JSON has a key for every flag", "[draft]") {
    std::set<std::string_view> names;
    for (const JobField& field : job_fields()) {
        INFO(field.key << " " << field.flag);
        CHECK(names.insert(field.key).second);
        CHECK((field.flag.empty() || names.insert(field.flag).second));
        CHECK(field.sweepable == !field.flag.empty());
        CHECK((field.kind == FieldKind::composite) ==
              (field.assign == nullptr || field.kind == FieldKind::composite));
        CHECK_FALSE(field.help.empty());
    }
}

TEST_CASE("what is said over a file keeps the file's other words and their places", "[draft]") {
    JobDraft file = draft({{"--tp", "2"}, {"--seq", "4096"}});
    file.tp.where = "job.json:/run/parallel/tp";
    const JobDraft both = overlaid(file, draft({{"--seq", "8K"}}));
    CHECK(both.sequence.value == 8192);
    CHECK(both.sequence_as_given.value == "8K");
    CHECK(both.tp.value == 2);
    CHECK(both.tp.where == "job.json:/run/parallel/tp");
    CHECK(overlaid(file, {}) == file);
}

TEST_CASE("a new word takes the place of what says the same in another form", "[draft]") {
    const JobDraft file = draft({{"--gpu", "h100"},
                                 {"--cluster", "dgx-h100"},
                                 {"--gpus", "16"},
                                 {"--dp", "16"},
                                 {"--tuning", "full"},
                                 {"--gpu-hour-price", "2"},
                                 {"--mtbf", "llama-3-405b"},
                                 {"--grid", "france"},
                                 {"--zero", "1"},
                                 {"--stack", "deepspeed"}});
    CHECK_FALSE(overlaid(file, draft({{"--gpu", "a100"}})).cluster);
    CHECK(overlaid(file, draft({{"--cluster", "dgx-a100"}})).gpu.value == "h100");
    CHECK_FALSE(overlaid(file, draft({{"--tp", "2"}})).dp);
    CHECK(overlaid(file, draft({{"--seq", "4096"}})).dp.value == 16);
    CHECK_FALSE(overlaid(file, draft({{"--lora-rank", "8"}})).tuning);
    CHECK_FALSE(overlaid(file, draft({{"--price", "spot"}})).gpu_hour);
    CHECK_FALSE(overlaid(file, draft({{"--mtbf", "50000h"}})).failure_rate);
    CHECK_FALSE(overlaid(file, draft({{"--grid", "400"}})).grid);
    CHECK(stated_zero(overlaid(file, draft({{"--stack", "fsdp"}}))) == 3);
    CHECK(stated_zero(overlaid(file, draft({{"--stack", "nemo"}}))) == 1);
}

TEST_CASE("a count with its accelerator says both, and must not contradict another flag", "[draft]") {
    const JobDraft d = draft({{"--gpu", "8xH100"}});
    CHECK(d.gpu.value == "H100");
    CHECK(d.gpus.value == 8);
    CHECK_THROWS_WITH(draft({{"--gpu", "8xH100"}, {"--gpus", "16"}}),
                      "--gpus: '16' contradicts --gpu, which says 8");
    CHECK_THROWS_WITH(draft({{"--tp", "two"}}), Catch::StartsWith("--tp: 'two'"));
}
