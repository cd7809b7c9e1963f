#include "traincost/import/launch_flags.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/import/launch_words.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

Setting value_of(const std::string& text, const Setting& place) {
    if (text.size() > 1 && (text.front() == '[' || text.front() == '{')) {
        try {
            Setting value = read_yaml(text, *place.file, place.line);
            value.name = place.name;
            return value;
        } catch (const Error&) {
            // a word that only looks like a list
        }
    }
    return scalar_setting(text, place);
}

}  // namespace

std::string key_of(std::string_view flag) {
    while (!flag.empty() && (flag.front() == '-' || flag.front() == '+' || flag.front() == '~')) {
        flag.remove_prefix(1);
    }
    std::string key(flag);
    std::replace(key.begin(), key.end(), '-', '_');
    return key;
}

void Flags::put(const std::string& key, const std::string& name, const Words& values, ShellPlace place) {
    Setting value;
    value.file = files_.at(place.file);
    value.line = static_cast<int>(place.line);
    value.name = name;
    if (values.size() == 1) {
        value = value_of(values[0].chars, value);
    } else if (values.empty()) {
        value = scalar_setting("true", value);
    } else {
        value.kind = Setting::Kind::list;
        for (const ShellText& each : values) {
            value.items.push_back(scalar_setting(each.chars, value));
        }
    }
    if (value.is_map()) {
        overlay(place_at(root_, key), value);
    } else if (key.find('.') == std::string::npos ||
               (name.starts_with('-') && is_plain(key.substr(0, key.find('.'))))) {
        root_.members.push_back({.key = key, .value = std::move(value)});  // of equal flags the last counts
    } else {
        keep_group(key.substr(0, key.find('.')));
        place_at(root_, key) = std::move(value);
    }
}

void Flags::put_override(const ShellText& word) {
    const std::size_t equals = word.chars.find('=');
    const std::string key = key_of(word.chars.substr(0, equals));
    put(key, word.chars.substr(0, equals), {word.part(equals + 1)}, word.place());
}

/// Whether a flag of that name has a plain value, which "--name.more" does not replace.
bool Flags::is_plain(const std::string& name) const {
    const Setting* at = root_.member(name);
    return at != nullptr && at->is_scalar();
}

/// "optimizer=adamw optimizer.lr=1": the word stays beside what is set below it.
void Flags::keep_group(const std::string& head) {
    if (is_plain(head)) {
        Setting& word = *root_.member(head);
        Setting group = word;
        word.text.clear();
        place_at(word, "$group") = std::move(group);
    }
}

std::size_t read_flags(const Words& words, std::size_t at, Flags& flags, Words* positional,
                       std::initializer_list<std::string_view> switches) {
    for (; at < words.size(); ++at) {
        const std::string& word = words[at].chars;
        if (!is_flag(word)) {
            if (positional == nullptr) {
                return at;
            }
            if (is_override(word)) {
                flags.put_override(words[at]);
            } else {
                positional->push_back(words[at]);
            }
            continue;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const std::string key = key_of(name);
        const ShellPlace place = words[at].place();
        Words values;
        if (equals != word.npos) {
            values.push_back(words[at].part(equals + 1));
        } else if (!is_one_of(name, switches)) {
            const std::size_t most = positional == nullptr ? 1 : words.size();
            const auto is_other = [](const ShellText& next) {  // an override, or options that nobody knows
                return is_override(next.chars) || next.chars == std::string(1, unknown_mark);
            };
            while (at + 1 < words.size() && values.size() < most && !is_flag(words[at + 1].chars) &&
                   !(positional != nullptr && !values.empty() && is_other(words[at + 1]))) {
                values.push_back(words[++at]);
            }
        }
        flags.put(key, name, values, place);
    }
    return at;
}

}  // namespace traincost
