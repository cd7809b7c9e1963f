#include "traincost/import/settings/python_config.hpp"

#include <algorithm>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python_registry.hpp"
#include "traincost/import/settings/python_trainer.hpp"

namespace traincost {

namespace {

/// Switches that are off where nobody gives them say nothing.
void drop_switches_off(Setting& options) {
    std::erase_if(options.members,
                  [](const SettingMember& m) { return m.value.is_default && m.value.text == "false"; });
}

}  // namespace

Setting read_python_config(std::string_view text, const std::string& file, std::string_view select,
                           const KnowsSettings& knows) {
    PythonRegistry registry(text, file);
    if (makes_trainer_arguments(text)) {
        if (auto root = trainer_arguments(registry.scopes(), file, select)) {
            root->file = &file;
            name_settings(*root);
            return std::move(*root);
        }
    }
    if (select.empty()) {
        if (auto root = registry.built()) {
            root->file = &file;
            name_settings(*root);
            return std::move(*root);
        }
    }
    if (auto root = program_configuration(registry, file, select, knows)) {
        root->file = &file;
        name_settings(*root);
        return std::move(*root);
    }
    const std::vector<std::string> names = registry.names();
    std::string name(select);
    if (name.empty()) {
        name = names.size() == 1 ? names.front() : registry.outermost();
    }
    if (names.empty()) {
        Setting root = registry.globals();
        name_settings(root);
        return root;
    }
    std::string list;
    for (const std::string& each : names) {
        list += (list.empty() ? "" : ", ") + each;
    }
    if (name.empty()) {
        throw Error(
            ErrorKind::input,
            std::vector<Problem>{
                {.path = file, .message = "has several configurations; choose one with --select: " + list}});
    }
    if (!registry.has(name)) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{
                        {.path = file,
                         .message = "has no configuration '" + name + "'" + did_you_mean(name, names) +
                                    (did_you_mean(name, names).empty() ? "; it has " + list : "")}});
    }
    Setting root = registry.call(name);
    root.file = &file;
    const bool options = std::any_of(root.members.begin(), root.members.end(),
                                     [](const SettingMember& m) { return m.value.is_default; });
    if (options && !root.has("$class")) {  // the program's own options, not a framework's configuration
        drop_switches_off(root);
        place_at(root, "$program") = scalar_setting(base_of(file), root);
    }
    name_settings(root);
    return root;
}

}  // namespace traincost
