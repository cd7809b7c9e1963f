#include "traincost/io/specs/launch_rules_json.hpp"

#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

template <class Enum>
Enum named(const JsonNode& node) {
    return static_cast<Enum>(node.one_of(enum_names<Enum>()));
}

UsualOn usual_on(const JsonNode& node) {
    JsonObject object(node);
    UsualOn usual{object.at("vendor").string(), object.at("rank").integer(1), {}};
    if (const auto tasks = object.find("tasks")) {
        for (const JsonNode& task : tasks->items())
            usual.tasks.push_back(named<Tuning>(task));
    }
    object.finish();
    return usual;
}

std::int64_t zero_stage(const JsonNode& node) {
    const std::int64_t stage = node.integer(0);
    if (stage > 3)
        node.fail(std::to_string(stage) + "; must be at most 3");
    return stage;
}

}  // namespace

LaunchRules launch_rules_from_json(const JsonNode& node) {
    JsonObject object(node);
    LaunchRules rules{};
    if (const auto usual = object.find("usual_on")) {
        for (const JsonNode& item : usual->items())
            rules.usual_on.push_back(usual_on(item));
    }
    if (const auto zero = object.find("zero"))
        rules.zero = zero_stage(*zero);
    if (const auto most = object.find("most_zero"))
        rules.most_zero = zero_stage(*most);
    if (const auto recompute = object.find("recompute")) {
        JsonObject by_task(*recompute);
        for (const std::string_view task : enum_names<Tuning>()) {
            if (const auto kind = by_task.find(task))
                rules.recompute.emplace_back(*value_of<Tuning>(task), named<Recompute>(*kind));
        }
        by_task.finish();
    }
    if (const auto share = object.find("offload_activations")) {
        rules.offload_activations = share->number();
        if (!(*rules.offload_activations >= 0.0 && *rules.offload_activations <= 1.0))
            share->fail("must be a share of 0 to 1");
    }
    rules.why = object.at("why").string();
    object.finish();
    return rules;
}

LaunchRules launch_rules(const Catalogue& catalogue, std::string_view stack) {
    if (!catalogue.find(Room::stacks, stack))
        return {};
    const JsonDocument document = catalogue.stack_document(stack);
    const JsonValue* launch = document.root.find("launch");
    return launch != nullptr ? launch_rules_from_json(JsonNode(document, *launch)) : LaunchRules{};
}

std::vector<std::pair<std::string, LaunchRules>> usual_launch_rules(const Catalogue& catalogue) {
    std::vector<std::pair<std::string, LaunchRules>> all;
    for (const CatalogueEntry& entry : catalogue.entries(Room::stacks)) {
        const JsonDocument document = catalogue.document(Room::stacks, entry.id);
        const JsonValue* launch = document.root.find("launch");
        if (launch == nullptr)
            continue;
        LaunchRules rules = launch_rules_from_json(JsonNode(document, *launch));
        if (!rules.usual_on.empty())
            all.emplace_back(entry.id, std::move(rules));
    }
    return all;
}

PublishedRecipe recipe_from_json(const JsonNode& node) {
    JsonObject object(node);
    PublishedRecipe recipe{};
    if (const auto sequence = object.find("sequence"))
        recipe.sequence = sequence->integer(1);
    if (const auto tokens = object.find("tokens_per_step"))
        recipe.tokens_per_step = tokens->integer(1);
    if (const auto precision = object.find("precision")) {
        precision->one_of(precision_names());
        recipe.precision = precision->string();
    }
    if (const auto stack = object.find("stack"))
        recipe.stack = stack->string();
    if (const auto vendor = object.find("vendor"))
        recipe.vendor = vendor->string();
    recipe.source = object.at("source").string();
    object.finish();
    return recipe;
}

std::optional<PublishedRecipe> published_recipe(const Catalogue& catalogue, std::string_view model) {
    if (!catalogue.find(Room::models, model))
        return std::nullopt;
    const JsonDocument document = catalogue.document(Room::models, model);
    const JsonValue* recipe = document.root.find("recipe");
    return recipe != nullptr ? std::optional(recipe_from_json(JsonNode(document, *recipe))) : std::nullopt;
}

}  // namespace traincost
