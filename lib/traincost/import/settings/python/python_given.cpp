#include "traincost/import/settings/python/python_given.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

/// Loaders of files that hold settings, whatever their path.
bool loads_settings(std::string_view name) {
    static constexpr std::array<std::string_view, 8> known = {
        "yaml.safe_load", "yaml.load",    "yaml.full_load", "OmegaConf.load",
        "toml.load",      "tomllib.load", "tomli.load",     "yaml.unsafe_load"};
    return std::find(known.begin(), known.end(), name) != known.end();
}

/// "load_config", "read_yaml", "get_config", "Config.from_file".
bool may_load(std::string_view name) {
    const std::string last = lower(name.substr(name.rfind('.') + 1));
    const auto holds = [&](std::string_view part) { return last.find(part) != last.npos; };
    return (holds("load") || holds("read") || holds("config") || holds("cfg") || holds("yaml") ||
            holds("json") || holds("file")) &&
           !holds("dataset") && !holds("save") && !holds("dump") && !holds("write") && !holds("argument");
}

/// "load_config", "read_yaml": a loader of settings of a program's own.
bool loads_own_settings(std::string_view name) {
    const std::string last = lower(name.substr(name.rfind('.') + 1));
    const auto holds = [&](std::string_view part) { return last.find(part) != last.npos; };
    return (holds("load") || holds("read") || holds("parse")) &&
           (holds("config") || holds("cfg") || holds("yaml") || holds("settings"));
}

/// "sft.yaml" of "configs/sft.yaml", where it is given.
std::optional<std::string> given_name(const GivenSettings& given, const Setting& path) {
    if (!path.is_scalar() || !path.quoted) {
        return std::nullopt;
    }
    std::string name = base_of(path.text);
    return given.files.contains(name) ? std::optional(name) : std::nullopt;
}

bool is_known_text(const Setting& value) {
    return value.is_scalar() && value.quoted;
}

}  // namespace

Setting loaded_settings(Setting root) {
    const bool word = root.is_scalar() && !as_number(root) && !as_truth(root) && !says_nothing(root);
    root.quoted = root.quoted || word;
    if (root.is_scalar() && says_nothing(root) && !root.quoted) {
        root.kind = Setting::Kind::null;
    }
    if (const auto truth =
            root.is_scalar() && !root.quoted && !as_number(root) ? as_truth(root) : std::nullopt) {
        root.text = *truth ? "true" : "false";
    }
    for (SettingMember& m : root.members) {
        m.value = loaded_settings(std::move(m.value));
    }
    for (Setting& item : root.items) {
        item = loaded_settings(std::move(item));
    }
    return root;
}

namespace {

/// Adds what a command says by the paths of its options: "train.batch_size".
void add_flat(std::map<std::string, Setting>& flat, const Setting& options, const std::string& above) {
    for (const SettingMember& m : options.members) {
        if (m.key.starts_with('$')) {
            continue;
        }
        const std::string path = above.empty() ? m.key : above + "." + m.key;
        if (m.value.is_map()) {
            add_flat(flat, m.value, path);
        } else {
            flat[path] = m.value.is_scalar() ? loaded_settings(m.value) : Setting{};  // the last one counts
        }
    }
}

}  // namespace

void add_said(std::map<std::string, Setting>& said, const Setting& command, bool first) {
    std::map<std::string, Setting> here;
    add_flat(here, command, "");
    if (first) {
        said = std::move(here);
        return;
    }
    for (auto& [key, value] : said) {
        const auto again = here.find(key);
        value = again != here.end() && again->second.text == value.text ? std::move(value) : Setting{};
    }
    for (const auto& each : here) {
        said.try_emplace(each.first);
    }
}

bool GivenSettings::is_job(const std::string& name) const {
    const bool module = name.ends_with(".py") && modules.contains(name.substr(0, name.size() - 3));
    return module || jobs.contains(name) || std::any_of(parts.begin(), parts.end(), [&](const auto& whole) {
               return whole.second.contains(name);
           });
}

bool is_for_launcher(const Setting& root) {
    return root.has_any({"compute_environment", "distributed_type", "zero_optimization", "fsdp_config",
                         "train_micro_batch_size_per_gpu"});
}

std::optional<std::string> loaded_file(const GivenSettings& given, const std::string& called,
                                       const std::vector<Setting>& positional,
                                       const std::map<std::string, Setting>& keywords) {
    if (given.files.empty() || !may_load(called)) {
        return std::nullopt;
    }
    for (const Setting& path : positional) {
        if (auto name = given_name(given, path)) {
            return name;
        }
    }
    for (const auto& [key, path] : keywords) {
        if (auto name = given_name(given, path)) {
            return name;
        }
    }
    const bool unknown_path = !positional.empty() && !is_known_text(positional.front());
    return (loads_settings(called) || loads_own_settings(called)) && unknown_path && given.jobs.size() == 1
               ? std::optional(*given.jobs.begin())
               : std::nullopt;
}

}  // namespace traincost
