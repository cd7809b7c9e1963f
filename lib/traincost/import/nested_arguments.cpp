#include "traincost/import/nested_arguments.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr int deepest_table = 3;

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

/// A batch beside the steps that accumulate is what one of them takes.
bool accumulates(const Setting& table) {
    return table.has("batch_size") && table.has("gradient_accumulation_steps");
}

/// Whether the arguments of a trainer stand in a table below `setting`.
bool has_arguments(const Setting& setting, int depth) {
    return (depth > 0 && accumulates(setting)) ||
           std::any_of(setting.members.begin(), setting.members.end(), [&](const SettingMember& m) {
               return (depth > 0 && lower(m.key) == "per_device_train_batch_size" && m.value.is_scalar()) ||
                      (depth < deepest_table && m.value.is_map() && has_arguments(m.value, depth + 1));
           });
}

/// The name on a command line of what a table calls by less: the rank of an adapter, the name of a model.
std::string name_of(std::string_view table, const Setting& said, std::string_view key) {
    const std::string in = lower(table);
    const std::string name = lower(key);
    const bool adapts =
        holds(in, "lora") || holds(in, "peft") || holds(in, "adapter") || said.has("lora_alpha");
    if (adapts && (name == "r" || name == "rank")) {
        return "lora_r";
    }
    static constexpr std::array<std::string_view, 7> of_model = {
        "name", "path", "id", "name_or_path", "base_model", "pretrained_model_name_or_path", "model_name"};
    const bool model = holds(in, "model") && !holds(in, "reward");
    if (model && std::find(of_model.begin(), of_model.end(), name) != of_model.end()) {
        return "model_name_or_path";
    }
    if (name == "batch_size" && accumulates(said)) {
        return "per_device_train_batch_size";
    }
    return name == "base_model" ? "model_name_or_path" : name;
}

class Hoisting {
public:
    explicit Hoisting(const Setting& root) {
        all_.kind = Setting::Kind::map;
        all_.file = root.file;
        all_.line = root.line;
        add(root, "", 0);
    }
    Setting take() {
        return std::move(all_);
    }

private:
    void add(const Setting& table, const std::string& name, int depth) {
        for (const SettingMember& m : table.members) {
            const bool of_reader = m.key.starts_with("$") && depth > 0;  // a class, a word in a group's place
            if (of_reader || (m.value.is_map() && depth < deepest_table && !is_block(m.key))) {
                continue;
            }
            put(name_of(name, table, m.key), m.value);
        }
        for (const SettingMember& m : table.members) {
            if (m.value.is_map() && depth < deepest_table && !is_block(m.key)) {
                add(m.value, m.key, depth + 1);
            }
        }
    }
    /// Tables that the trainer itself takes.
    static bool is_block(std::string_view key) {
        return key == "fsdp_config" || key == "deepspeed" || key.ends_with("_kwargs") || key.starts_with("$");
    }
    void put(const std::string& key, const Setting& value) {
        if (key.empty() || key.front() == '_') {
            return;
        }
        Setting* before = all_.member(key);
        if (before == nullptr) {
            all_.members.push_back({.key = key, .value = value});
        } else if (before->is_scalar() && value.is_scalar() && before->text != value.text) {
            before->text = "<" + before->text + " or " + value.text + ">";
        }
    }

    Setting all_{};
};

}  // namespace

std::optional<Setting> nested_arguments(const Setting& root) {
    return has_arguments(root, 0) ? std::optional(Hoisting(root).take()) : std::nullopt;
}

}  // namespace traincost
