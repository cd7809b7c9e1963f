// Which of the catalogue's models a launch file means: by a name as hubs and frameworks spell it, or by
// dimensions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traincost/import/launch_fact.hpp"
#include "traincost/io/catalogue.hpp"

namespace traincost {

/// The catalogue's model that a hub's name or a path means: "meta-llama/Llama-3.1-8B-Instruct"; a family and
/// one of its sizes: "llama3 8B".
std::optional<std::string> model_named(const std::string& name, const Catalogue& catalogue);

/// Whether `other` is a model of the catalogue with the dimensions of `one`.
bool same_shape(const std::string& one, const std::string& other, const Catalogue& catalogue);

/// The catalogue's models of these dimensions, as far as both know them.
std::vector<std::string> models_of(const ModelDimensions& dimensions, const Catalogue& catalogue);

}  // namespace traincost
