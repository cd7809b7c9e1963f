#include "traincost/io/bench/record_condition.hpp"

#include <variant>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

std::vector<std::string> condition_texts(const JsonNode& node) {
    if (!node.is_array())
        return {condition_text(node)};
    std::vector<std::string> texts;
    for (const JsonNode& item : node.items())
        texts.push_back(condition_text(item));
    return texts;
}

RecordCondition condition_from(const std::string& fact, const JsonNode& node) {
    RecordCondition condition{.fact = fact};
    if (!node.is_object()) {
        condition.is = condition_texts(node);
        return condition;
    }
    JsonObject in(node);
    if (const auto words = in.find("begins"))
        condition.begins = condition_texts(*words);
    if (const auto words = in.find("says"))
        condition.says = condition_texts(*words);
    if (const auto words = in.find("says_not"))
        condition.says_not = condition_texts(*words);
    if (const auto above = in.find("above"))
        condition.above = above->number();
    if (const auto below = in.find("below"))
        condition.below = below->number();
    if (const auto stated = in.find("stated"))
        condition.stated = stated->boolean();
    in.finish();
    return condition;
}

}  // namespace

std::string condition_text(const JsonNode& node) {
    if (node.is_string())
        return node.string();
    if (std::holds_alternative<bool>(node.value().data))
        return node.boolean() ? "true" : "false";
    return to_exact(node.number());
}

std::vector<RecordCondition> record_conditions_from(const JsonNode& node) {
    std::vector<RecordCondition> conditions;
    for (const JsonMember& member : *JsonObject(node).node().value().object())
        conditions.push_back(condition_from(member.key, JsonNode(node.document(), member.value)));
    return conditions;
}

}  // namespace traincost
