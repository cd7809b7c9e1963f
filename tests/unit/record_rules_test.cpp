#include <traincost/base/error.hpp>
#include <traincost/fit/records/record_rules.hpp>
#include <traincost/io/bench/record_rules_data.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

namespace {

RecordRules rules_of(const std::string& rules) {
    const JsonDocument document =
        parse_json(R"({"schema": "record-rules/1", "id": "x", "rules": [)" + rules + "]}", "rules.json");
    return record_rules_from_json(JsonNode(document));
}

/// A record of a LoRA run on two accelerators whose notes are `notes`.
RunRecord record_with(const std::string& notes) {
    RunRecord record{};
    record.task = "lora";
    record.notes = notes;
    record.cluster.accelerators = 2;
    record.run.stack = "some-stack";
    record.extra = {{"conf", R"({"FP8":"True"})"}};
    return record;
}

bool holds(const std::string& when, const RunRecord& record) {
    const AcceleratorSpec accelerator{};
    const RecordRules rules = rules_of(R"({"about": "a", "when": )" + when + "}");
    return rule_for(rules, "a", StatedFacts(record, accelerator, nullptr, nullptr)) != nullptr;
}

}  // namespace

TEST_CASE("a condition is a word, one of several, words in a text, a bound, or what is stated", "[record]") {
    const RunRecord record = record_with("packed to 4096");
    CHECK(holds(R"({"task": "lora"})", record));
    CHECK(holds(R"({"task": ["sft", "lora"]})", record));
    CHECK_FALSE(holds(R"({"task": "lor"})", record));
    CHECK(holds(R"({"notes": {"says": ["nothing", "packed"]}})", record));
    CHECK_FALSE(holds(R"({"notes": {"says": "packed", "says_not": "4096"}})", record));
    CHECK(holds(R"({"accelerators": {"above": 1, "below": 3}})", record));
    CHECK_FALSE(holds(R"({"accelerators": {"above": 2}})", record));
    CHECK_FALSE(holds(R"({"year": {"below": 3000}})", record));
    CHECK(holds(R"({"zero": {"stated": false}, "moe": false})", record));
    CHECK(holds(R"({"compile": {"stated": false}})", record));
    CHECK(holds(R"({"extra.conf.FP8": "True"})", record));
    CHECK_FALSE(holds(R"({"extra.conf.FP4": "True"})", record));
    CHECK_FALSE(holds(R"({"extra.none": {"stated": true}})", record));
    CHECK_THROWS_AS(holds(R"({"tusk": "lora"})", record), Error);
    CHECK_THROWS_AS(holds(R"({"task": {"sais": "lora"}})", record), Error);
}

TEST_CASE("of the rules about one thing the first that holds is taken", "[record]") {
    const RecordRules rules = rules_of(R"({"about": "a", "when": {"task": "sft"}, "assume": "one"},
                                          {"about": "b", "assume": "two"},
                                          {"about": "a", "assume": "three"}, {"about": "a", "assume": "four"})");
    const RunRecord record = record_with("");
    const AcceleratorSpec accelerator{};
    const StatedFacts facts(record, accelerator, nullptr, nullptr);
    CHECK(rule_for(rules, "a", facts)->assume == "three");
    CHECK(rule_for(rules, "c", facts) == nullptr);
}

TEST_CASE("the catalogue's rules ask for known facts and set known fields", "[record]") {
    const Catalogue catalogue;
    const RunRecord record = record_with("");
    const AcceleratorSpec accelerator{};
    RunSpec run{};
    StackSpec stack{};
    const StatedFacts facts(record, accelerator, &run, &stack);
    for (const RecordRule& rule : read_record_rules(catalogue)) {
        INFO(rule.about);
        for (const RecordCondition& condition : rule.when) {
            CHECK_NOTHROW(facts(condition.fact));
        }
        for (const auto& [field, value] : rule.set) {
            if (field == "stack") {
                CHECK(catalogue.find(Room::stacks, value) == value);
            } else if (field != "attention" && field != "loss" && field != "precision") {
                CHECK_NOTHROW(set_field(run, field, value));
            }
        }
    }
    CHECK_THROWS_AS(set_field(run, "recompute", "half"), Error);
    CHECK_THROWS_AS(set_field(run, "no-field", "1"), Error);
}
