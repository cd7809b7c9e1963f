#include "traincost/import/launch_references.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"

namespace traincost {

namespace {

bool is_configuration_file(std::string_view name) {
    return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".toml") ||
           name.ends_with(".py");
}

}  // namespace

const Setting* unseen_configuration(const Setting& command) {
    const auto named = [&](std::string_view key) {
        const Setting* at = command.peek(key);
        return at != nullptr && at->is_scalar() && as_word(*at) ? at : nullptr;
    };
    for (const std::string_view key : {"config", "config_file", "job.config_file"}) {
        if (const Setting* at = named(key)) {
            return at;
        }
    }
    // Hydra's flag; "--config_name" is a model of transformers, and a path may be a model's or a folder's.
    if (const Setting* at = named("config_name");
        at != nullptr && (at->name == "--config-name" || is_configuration_file(at->text))) {
        return at;
    }
    if (const Setting* at = named("config_path"); at != nullptr && is_configuration_file(at->text)) {
        return at;
    }
    const Setting* words = command.peek("$positional");
    for (std::size_t i = 0; words != nullptr && i < words->items.size(); ++i) {
        const std::string& text = words->items[i].text;
        if (is_configuration_file(text) && !text.ends_with("base.yml")) {
            return &words->items[i];
        }
    }
    return nullptr;
}

bool names_file(const Setting& command, const std::string& file) {
    const auto names = [&](const Setting& word) {
        return word.is_scalar() && !file.empty() && base_of(word.text) == file;
    };
    const Setting* words = command.peek("$positional");
    return (words != nullptr && std::any_of(words->items.begin(), words->items.end(), names)) ||
           std::any_of(command.members.begin(), command.members.end(),
                       [&](const SettingMember& m) { return !m.key.starts_with("$") && names(m.value); });
}

namespace {

/// A word of a command in whose place any number of arguments may stand.
bool is_unknown_word(const Setting& word) {
    return word.text == "\x01";
}

/// Whether it is a switch of Megatron's, behind which a word is no value of it: "--bf16 ${MORE[@]}".
bool is_switch_before_unknown(const SettingMember& m) {
    static constexpr std::array<std::string_view, 6> names = {
        "bf16", "fp16", "swiglu", "sequence_parallel", "qk_layernorm", "group_query_attention"};
    static constexpr std::array<std::string_view, 6> begins = {"use_",    "no_",      "disable_",
                                                               "enable_", "overlap_", "untie_"};
    return is_unknown_word(m.value) &&
           (std::find(names.begin(), names.end(), m.key) != names.end() ||
            std::any_of(begins.begin(), begins.end(),
                        [&](std::string_view begin) { return m.key.starts_with(begin); }));
}

}  // namespace

bool hides_arguments(const Setting& root) {
    const Setting* words = root.peek("$positional");
    return root.has("$sourced") &&
           ((words != nullptr && std::any_of(words->items.begin(), words->items.end(), is_unknown_word)) ||
            std::any_of(root.members.begin(), root.members.end(), is_switch_before_unknown));
}

void refer_to_arguments(const Setting& root, FactSheet& sheet) {
    const Setting* words = root.peek("$positional");
    for (std::size_t i = 0; words != nullptr && i < words->items.size(); ++i) {
        if (is_unknown_word(words->items[i])) {
            sheet.remark(words->items[i], "arguments that are not in these files");
        }
    }
}

void refer_to_defaults(const Setting& root, FactSheet& sheet) {
    const Setting* defaults = root.at("defaults");
    if (defaults == nullptr || !defaults->is_list()) {
        return;
    }
    const auto refer = [&](const Setting& name) {
        name.read = true;
        if (name.is_scalar() && !says_nothing(name) && name.text != "_self_") {
            const std::string base = base_of(name.text);
            sheet.remark(name, "give " + base + (base.find(".y") == base.npos ? ".yaml" : "") +
                                   " too; its content is unknown");
        }
    };
    for (const Setting& item : defaults->items) {
        refer(item);
        for (const auto& member : item.members) {
            if (member.key.find("hydra") == member.key.npos && !member.key.starts_with("optional")) {
                refer(member.value);
            }
        }
    }
}

void drop_answered(LaunchReading& reading, const std::vector<std::string>& names) {
    std::erase_if(reading.unread, [&](const UnreadSetting& unread) {
        return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
            const std::string base = base_of(name);
            return !base.empty() && unread.why.starts_with("give " + base + " too");
        });
    });
}

}  // namespace traincost
