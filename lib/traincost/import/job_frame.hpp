// YAML files around a script: SkyPilot's tasks, MosaicML's runs, jobs of Kubernetes. They say how many GPUs
// and nodes the script gets, set variables, and may hold its configuration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

struct JobFrame {
    std::string script;                        ///< every line where it stands in the file
    Setting machines;                          ///< nodes, gpus_per_node, gpus, as a Slurm header states them
    std::map<std::string, std::string> known;  ///< variables that the frame sets
    std::optional<Setting> parameters;         ///< the configuration that the script is given as a file
};

/// The frame that `text` is; nothing where it is none. `file` must outlive it.
std::optional<JobFrame> job_frame(std::string_view text, const std::string& file);

}  // namespace traincost
