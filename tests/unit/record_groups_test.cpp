#include <traincost/base/error.hpp>
#include <traincost/fit/record_groups.hpp>
#include <traincost/io/bench/record_groups_data.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

namespace {

RecordGroups groups_from(const std::string& groups, const std::string& more = "") {
    const JsonDocument document = parse_json(
        R"({"schema": "record-groups/1", "id": "x", "groups": [)" + groups + "]" + more + "}", "groups.json");
    return record_groups_from_json(JsonNode(document));
}

/// A record of some source on sixteen accelerators, tensor-parallel in twos.
SourcedRecord record() {
    SourcedRecord sourced{};
    sourced.record.id = "some-source-0001";
    sourced.record.cluster.accelerators = 16;
    sourced.record.run.stack = "some-stack";
    sourced.record.run.parallel.tp = 2;
    sourced.record.measured.memory_bytes = 71.0 * 1073741824.0;
    sourced.source = "some-file";
    return sourced;
}

bool contains(const std::string& conditions, const RecordFacts& facts = {}) {
    return contains(groups_from(R"({"name": "g", )" + conditions + "}").tables.at(0), record(), facts);
}

std::string problem_of(const std::string& groups, const std::string& more = "") {
    try {
        groups_from(groups, more);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("a group holds the records that meet all of when, and not all of unless", "[record]") {
    CHECK(contains(R"("when": {})"));
    CHECK(contains(R"("when": {"id": {"begins": ["other-", "some-source-"]}, "tp": 2})"));
    CHECK_FALSE(contains(R"("when": {"id": {"begins": "source-"}})"));
    CHECK_FALSE(contains(R"("when": {"source": "some-file", "gpus": {"above": 16}})"));
    CHECK(contains(R"("when": {"gpus": {"above": 15, "below": 17}})"));
    CHECK_FALSE(contains(R"("when": {}, "unless": {"stack": "some-stack", "tp": {"above": 1}})"));
    CHECK(contains(R"("when": {}, "unless": {"stack": "some-stack", "tp": {"above": 2}})"));
}

TEST_CASE("groups ask for what was measured, and for what is stated", "[record]") {
    CHECK(contains(R"("when": {"memory_GiB": {"above": 70, "below": 72}})"));
    RecordFacts facts{};
    CHECK_FALSE(contains(R"("when": {"mfu": {"below": 0.5}})", facts));  // not known
    facts.measured_mfu = 0.4;
    CHECK(contains(R"("when": {"mfu": {"below": 0.5}})", facts));
    CHECK(contains(R"("when": {"zero": {"stated": false}})"));
    CHECK_FALSE(contains(R"("when": {"zero": {"above": 0}})"));
}

TEST_CASE("a record is of all, its stack, accelerator, file and groups", "[record]") {
    const RecordGroups groups =
        groups_from(R"({"name": "twos", "when": {"tp": 2}}, {"name": "threes", "when": {"tp": 3}})");
    CHECK(groups_of(record(), {}, groups) == std::vector<std::string>{"all", "stack:some-stack",
                                                                      "accelerator:", "source:some-file",
                                                                      "table:twos"});
}

TEST_CASE("a file of groups that is wrong says where and what is allowed, in one line", "[record]") {
    CHECK(problem_of(R"({"name": "g"})") == "groups.json:/groups/0: missing key 'when'");
    CHECK(problem_of(R"({"name": "", "when": {}})") ==
          "groups.json:/groups/0/name: empty; must be what tables call the group");
    CHECK(problem_of(R"({"name": "g", "when": {}}, {"name": "g", "when": {}})") ==
          "groups.json:/groups/1: two groups are called 'g'");
    CHECK(problem_of(R"({"name": "g", "when": {}, "unles": {}})") ==
          "groups.json:/groups/0/unles: unknown key 'unles'; did you mean 'unless'?");
    CHECK(problem_of(R"({"name": "g", "when": {"id": {"begin": "x"}}})")
              .starts_with("groups.json:/groups/0/when/id/begin: unknown key 'begin'"));
    CHECK(problem_of(R"({"name": "g", "when": {"stack": {"above": 3}}})")
              .starts_with("groups.json:/groups/0/when/stack: 'stack' is not a number; allowed: a word"));
    const std::string unknown = problem_of("", R"(, "layouts": {"name": "l", "when": {"gpu": 8}})");
    CHECK(unknown.starts_with("groups.json:/layouts/when/gpu: unknown fact 'gpu' of a record; allowed: "));
    CHECK(unknown.ends_with("; did you mean 'gpus'?"));
    CHECK(unknown.find('\n') == std::string::npos);
}

TEST_CASE("the catalogue's groups are named once, and one source's layouts compete", "[record]") {
    const RecordGroups groups = read_record_groups(Catalogue());
    CHECK(groups.tables.size() == 13);
    REQUIRE(groups.layouts);
    CHECK_FALSE(groups.layouts->when.empty());
    CHECK_FALSE(groups.layouts_note.empty());
    for (const RecordGroup& group : groups.tables) {
        INFO(group.name);
        CHECK_FALSE(group.when.empty());
    }
}
