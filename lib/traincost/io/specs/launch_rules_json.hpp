// What records say of how things are launched: the "launch" group of stacks, the "recipe" of models.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"
#include "traincost/spec/launch_rules.hpp"

namespace traincost {

/// Reads the group; `Error` of kind input where a key is unknown or a value not allowed.
LaunchRules launch_rules_from_json(const JsonNode& node);

/// The rules of a stack, those of its base where it says none; empty where the catalogue does not know it.
LaunchRules launch_rules(const Catalogue& catalogue, std::string_view stack);

/// Every stack that says where it is usual, and its own rules.
std::vector<std::pair<std::string, LaunchRules>> usual_launch_rules(const Catalogue& catalogue);

/// Reads the "recipe" of a model record; `Error` of kind input where a key is unknown or a value not allowed.
PublishedRecipe recipe_from_json(const JsonNode& node);

/// The recipe of a model of the catalogue, if its record states one.
std::optional<PublishedRecipe> published_recipe(const Catalogue& catalogue, std::string_view model);

}  // namespace traincost
