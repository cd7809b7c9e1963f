// What is given beside a Python program: files of settings, where it loads them (yaml.safe_load(f),
// load_config("sft.yaml"), OmegaConf.load(path)), and the options of the commands that start it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// A file of Python beside the program.
struct GivenModule {
    const std::string* file = nullptr;
    std::string_view text{};
};

struct GivenSettings {
    std::map<std::string, Setting> files;  ///< by the name at the end of their path
    std::set<std::string> jobs;  ///< those that hold a job's settings, not a launcher's or DeepSpeed's
    std::map<std::string, std::set<std::string>> parts;  ///< the files that one is composed of
    std::set<std::string> groups;                        ///< of which Hydra chooses one option, as "model"
    std::map<std::string, GivenModule> modules;          ///< by the name they are imported by
    int deepest_import = 2;                              ///< how many modules import each other
    /// What the commands that start the program say of its options; null where they differ.
    std::map<std::string, Setting> said;

    /// Whether a program that trains with what this file says has it said.
    bool is_job(const std::string& name) const;
};

/// The settings of a file as a program holds them once it has loaded them: words are its texts.
Setting loaded_settings(Setting root);

/// Adds what a command that starts the program, the `first` or another, says of its options.
void add_said(std::map<std::string, Setting>& said, const Setting& command, bool first);

/// Whether the settings are for Accelerate or DeepSpeed, which a program hands on by their name.
bool is_for_launcher(const Setting& root);

/// The name of the given file that the call loads, where it is one. A loader whose path nobody knows loads
/// the only job's settings that are given.
std::optional<std::string> loaded_file(const GivenSettings& given, const std::string& called,
                                       const std::vector<Setting>& positional,
                                       const std::map<std::string, Setting>& keywords);

}  // namespace traincost
