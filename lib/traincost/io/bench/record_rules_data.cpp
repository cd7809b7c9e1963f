#include "traincost/io/bench/record_rules_data.hpp"

#include "traincost/io/bench/bench_file.hpp"
#include "traincost/io/bench/record_condition.hpp"

namespace traincost {

namespace {

RecordRule rule_from(const JsonNode& node) {
    JsonObject in(node);
    RecordRule rule{.about = in.at("about").string()};
    if (const auto when = in.find("when"))
        rule.when = record_conditions_from(*when);
    if (const auto set = in.find("set")) {
        for (const JsonMember& member : *JsonObject(*set).node().value().object())
            rule.set.emplace_back(member.key, condition_text(JsonNode(set->document(), member.value)));
    }
    if (const auto assume = in.find("assume"))
        rule.assume = assume->string();
    if (const auto cannot = in.find("cannot"))
        rule.cannot = cannot->string();
    in.skip("why");
    in.finish();
    return rule;
}

}  // namespace

RecordRules record_rules_from_json(const JsonNode& node) {
    JsonObject in(node);
    in.skip("schema");
    in.at("id").string();
    RecordRules rules;
    for (const JsonNode& item : in.at("rules").items())
        rules.push_back(rule_from(item));
    in.finish();
    return rules;
}

RecordRules read_record_rules(const Catalogue& catalogue) {
    const JsonDocument document = bench_file(catalogue, "record-rules");
    return record_rules_from_json(JsonNode(document));
}

}  // namespace traincost
