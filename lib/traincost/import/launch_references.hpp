// Files that launch files name: those nobody gave, and those that were given.
#pragma once

#include <string>
#include <vector>

#include "traincost/import/fact_sheet.hpp"

namespace traincost {

/// A configuration that a command names and nobody gave: it may hold what the command does not say.
const Setting* unseen_configuration(const Setting& command);

/// Whether a word of the command is a path of that file.
bool names_file(const Setting& command, const std::string& file);

/// Whether a command has arguments that nobody knows, behind a file that sets them and is not given: what it
/// does not say is not the default then.
bool hides_arguments(const Setting& root);

/// Notes each word of a command in whose place unknown arguments stand.
void refer_to_arguments(const Setting& root, FactSheet& sheet);

/// Hydra's list of the files that a configuration is laid over.
void refer_to_defaults(const Setting& root, FactSheet& sheet);

/// Drops what "give F too" asks for and what was given.
void drop_answered(LaunchReading& reading, const std::vector<std::string>& names);

}  // namespace traincost
