#include "traincost/io/bench/record_groups_data.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/io/bench/bench_file.hpp"
#include "traincost/io/bench/record_condition.hpp"
#include "traincost/io/json_place.hpp"

namespace traincost {

namespace {

std::string listed(std::span<const std::string_view> names) {
    std::string all;
    for (const std::string_view name : names)
        all += (all.empty() ? "" : ", ") + std::string(name);
    return all;
}

/// Conditions on known facts, on numbers where they are bounds.
std::vector<RecordCondition> conditions_from(const JsonNode& node) {
    std::vector<RecordCondition> conditions = record_conditions_from(node);
    const auto known = group_facts();
    for (const RecordCondition& condition : conditions) {
        const JsonNode at(node.document(), *node.value().find(condition.fact));
        if (std::find(known.begin(), known.end(), condition.fact) == known.end())
            at.fail("unknown fact '" + io::shorten(condition.fact) +
                    "' of a record; allowed: " + listed(known) + did_you_mean(condition.fact, known));
        if ((condition.above || condition.below) && !is_number_fact(condition.fact))
            at.fail("'" + condition.fact + "' is not a number; allowed: a word, a list of words, " +
                    "\"begins\", \"says\", \"says_not\" and \"stated\"");
    }
    return conditions;
}

RecordGroup group_from(JsonObject& in) {
    RecordGroup group{};
    const JsonNode name = in.at("name");
    group.name = name.string();
    if (group.name.empty())
        name.fail("empty; must be what tables call the group");
    group.when = conditions_from(in.at("when"));
    if (const auto unless = in.find("unless"))
        group.unless = conditions_from(*unless);
    return group;
}

}  // namespace

RecordGroups record_groups_from_json(const JsonNode& node) {
    JsonObject in(node);
    in.skip("schema");
    in.at("id").string();
    RecordGroups groups;
    for (const JsonNode& item : in.at("groups").items()) {
        JsonObject one(item);
        RecordGroup group = group_from(one);
        one.finish();
        const auto same = [&](const RecordGroup& other) { return other.name == group.name; };
        if (std::any_of(groups.tables.begin(), groups.tables.end(), same))
            item.fail("two groups are called '" + io::shorten(group.name) + "'");
        groups.tables.push_back(std::move(group));
    }
    if (const auto layouts = in.find("layouts")) {
        JsonObject one(*layouts);
        groups.layouts = group_from(one);
        if (const auto note = one.find("note"))
            groups.layouts_note = note->string();
        one.finish();
    }
    in.finish();
    return groups;
}

RecordGroups read_record_groups(const Catalogue& catalogue) {
    const JsonDocument document = bench_file(catalogue, "record-groups");
    return record_groups_from_json(JsonNode(document));
}

}  // namespace traincost
