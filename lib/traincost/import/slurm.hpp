// What Slurm is told in a script and what it sets.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// What the "#SBATCH" lines of a script say, or how many nodes those of PBS, LSF and Grid Engine ask for; a
/// map without members where it has none.
Setting slurm_header(std::string_view text, const std::string& file);

/// The variables that Slurm sets from such a header.
std::map<std::string, std::string> slurm_variables(const Setting& header);

}  // namespace traincost
