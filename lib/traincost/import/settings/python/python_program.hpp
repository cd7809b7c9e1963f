// The configuration that a Python program itself trains with, rather than one of a registry's. Nothing is
// run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/settings/python/python_registry.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// Whether some framework's reader knows these settings as a whole job's.
using KnowsSettings = std::function<bool(const Setting&)>;

/// What the program trains with: an object that one of its scopes makes and changes ("recipe", "config"),
/// the names of a scope that are a job together ("trainer", "data"), or what the only one of its functions
/// returns that it starts. Nothing where no reader knows any; `Error` of kind input where it holds several
/// and `select` names none.
std::optional<Setting> program_configuration(PythonRegistry& registry, const std::string& file,
                                             std::string_view select, const KnowsSettings& knows);

/// Whether one of the program's own scopes makes Lightning's trainer, or its Fabric.
bool makes_lightning_trainer(const std::vector<PythonScope>& scopes);

}  // namespace traincost
