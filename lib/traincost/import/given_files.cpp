#include "traincost/import/given_files.hpp"

#include <algorithm>
#include <set>

#include "traincost/base/text.hpp"
#include "traincost/import/shell/interpolation.hpp"

namespace traincost {

namespace {

bool holds_settings(Content content) {
    return content != Content::shell && content != Content::python && content != Content::log;
}

/// "model/small.yaml" of the group "model" and its option "small", at the end of a path.
bool is_option_file(std::string_view path, const std::string& group, const std::string& option) {
    for (const std::string_view end : {".yaml", ".yml", ""}) {
        const std::string name = group + "/" + option + std::string(end);
        if (path == name || path.ends_with("/" + name)) {
            return true;
        }
    }
    return false;
}

/// Hydra's composition: the option that is chosen of each group, and what stands in the file itself.
class Composition {
public:
    Composition(std::span<const ShellFile> files, const std::vector<Content>& contents,
                const std::vector<Setting>& parsed)
        : files_(files), contents_(contents), parsed_(parsed) {
    }

    Setting of(std::size_t file, std::set<std::string>& parts, std::set<std::string>& groups) const {
        const Setting& own = parsed_[file];
        const Setting* defaults = own.peek("defaults");
        if (defaults == nullptr || !defaults->is_list()) {
            return own;
        }
        Setting root = own;
        std::erase_if(root.members, [](const SettingMember& m) { return m.key != "defaults"; });
        bool has_own = false;
        for (const Setting& item : defaults->items) {
            if (item.is_scalar() && item.text == "_self_") {
                overlay(root, own);
                has_own = true;
            }
            for (const SettingMember& m : item.members) {
                add_option(root, m, parts, groups);
            }
        }
        if (!has_own) {
            overlay(root, own);
        }
        return root;
    }

private:
    void add_option(Setting& root, const SettingMember& choice, std::set<std::string>& parts,
                    std::set<std::string>& groups) const {
        std::string group = choice.key.substr(choice.key.rfind(' ') + 1);  // "optional db", "override db"
        group.erase(0, group.starts_with('/') ? 1 : 0);
        if (!choice.value.is_scalar() || group.starts_with("hydra")) {
            return;
        }
        for (std::size_t i = 0; i < files_.size(); ++i) {
            if (holds_settings(contents_[i]) && parsed_[i].is_map() &&
                is_option_file(*files_[i].name, group, choice.value.text)) {
                std::string path = group;
                std::replace(path.begin(), path.end(), '/', '.');
                Setting& place = place_at(root, path);
                if (place.is_map()) {
                    overlay(place, parsed_[i]);
                } else {
                    place = parsed_[i];
                }
                parts.insert(base_of(*files_[i].name));
                groups.insert(group);
            }
        }
    }

    std::span<const ShellFile> files_;
    const std::vector<Content>& contents_;
    const std::vector<Setting>& parsed_;
};

}  // namespace

GivenSettings given_settings(std::span<const ShellFile> files, const std::vector<Content>& contents,
                             const std::vector<Setting>& parsed) {
    GivenSettings given;
    std::set<std::string> twice;
    const Composition composition(files, contents, parsed);
    std::set<std::string> options;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string name = base_of(*files[i].name);
        if (name.ends_with(".py")) {  // constants alone look like other formats
            given.modules[name.substr(0, name.size() - 3)] = {files[i].name, files[i].text};
        }
        if (!holds_settings(contents[i])) {
            continue;
        }
        std::set<std::string> parts;
        Setting root = composition.of(i, parts, given.groups);
        interpolate(root);
        name_settings(root);
        root = loaded_settings(std::move(root));
        if (!given.files.emplace(name, root).second) {
            twice.insert(name);
        } else if (!is_for_launcher(root)) {
            given.jobs.insert(name);
        }
        options.insert(parts.begin(), parts.end());
        given.parts[name] = std::move(parts);
    }
    for (const std::string& name : twice) {
        given.files.erase(name);
        given.jobs.erase(name);
    }
    for (const std::string& name : options) {  // parts of others
        given.jobs.erase(name);
    }
    return given;
}

std::map<std::string, Setting> said_options(const std::vector<LaunchDocuments>& scripts,
                                            const std::string& program) {
    std::map<std::string, Setting> said;
    bool first = true;
    for (const LaunchDocuments& script : scripts) {
        for (const LaunchDocument& document : script.all) {
            const Setting* started = document.root.peek("$program");
            if (document.is_command && started != nullptr && base_of(started->text) == program) {
                add_said(said, document.root, first);
                first = false;
            }
        }
    }
    return said;
}

}  // namespace traincost
