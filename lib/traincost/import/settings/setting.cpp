#include "traincost/import/settings/setting.hpp"

#include <cmath>

#include "traincost/base/decimal.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

const Setting* Setting::member(std::string_view key) const {
    for (auto m = members.rbegin(); m != members.rend(); ++m) {
        if (m->key == key) {
            return &m->value;
        }
    }
    return nullptr;
}

Setting* Setting::member(std::string_view key) {
    return const_cast<Setting*>(static_cast<const Setting*>(this)->member(key));
}

const Setting* Setting::peek(std::string_view path) const {
    if (const Setting* direct = member(path)) {
        return direct;
    }
    for (std::size_t dot = path.find('.'); dot != path.npos; dot = path.find('.', dot + 1)) {
        if (const Setting* below = member(path.substr(0, dot))) {
            if (const Setting* found = below->peek(path.substr(dot + 1))) {
                return found;
            }
        }
    }
    return nullptr;
}

const Setting* Setting::at(std::string_view path) const {
    const Setting* found = peek(path);
    if (found != nullptr) {
        found->read = true;
    }
    return found;
}

std::string Setting::place() const {
    return (file == nullptr ? std::string("-") : *file) + ":" + std::to_string(line);
}

std::string Setting::where() const {
    return place() + " " + name;
}

Setting scalar_setting(std::string text, const Setting& place, bool quoted) {
    Setting setting;
    setting.kind = Setting::Kind::scalar;
    setting.quoted = quoted;
    setting.line = place.line;
    setting.file = place.file;
    setting.name = place.name;
    setting.text = std::move(text);
    return setting;
}

Setting& place_at(Setting& map, std::string_view path) {
    map.kind = Setting::Kind::map;
    const std::size_t dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    Setting* below = map.member(head);
    if (below == nullptr) {
        map.members.push_back({.key = std::string(head), .value = {}});
        below = &map.members.back().value;
        below->file = map.file;
        below->line = map.line;
    }
    return dot == path.npos ? *below : place_at(*below, path.substr(dot + 1));
}

namespace {

/// What `base` says otherwise than `other` becomes a placeholder in `other`.
void hide_differing(Setting& other, const Setting& base) {
    for (SettingMember& m : other.members) {
        const Setting* before = base.member(m.key);
        if (before == nullptr || m.key.starts_with("$")) {
            continue;
        }
        if (m.value.is_map() && before->is_map()) {
            hide_differing(m.value, *before);
        } else if (m.value.is_scalar() && before->is_scalar() && m.value.text != before->text) {
            m.value.text = "<" + before->text + " or " + m.value.text + ">";
        }
    }
}

}  // namespace

void overlay(Setting& base, const Setting& over) {
    if (!base.is_map() || !over.is_map() || base.members.empty()) {
        base = over;
        return;
    }
    for (const SettingMember& m : over.members) {
        if (Setting* below = base.member(m.key)) {
            overlay(*below, m.value);
        } else {
            base.members.push_back(m);
        }
    }
}

void lay_over(Setting& base, const Setting& over) {
    const Setting* first = base.peek("$written");
    const Setting* second = over.peek("$written");
    if (first == nullptr || second == nullptr || first->text == second->text) {
        overlay(base, over);
        return;
    }
    Setting both = over;
    hide_differing(both, base);
    overlay(base, both);
}

void mark_read(const Setting& setting) {
    setting.read = true;
    for (const Setting& item : setting.items) {
        mark_read(item);
    }
    for (const SettingMember& m : setting.members) {
        mark_read(m.value);
    }
}

void name_settings(Setting& root, const std::string& prefix) {
    if (root.name.empty()) {
        root.name = prefix;
    }
    for (SettingMember& m : root.members) {
        name_settings(m.value, prefix.empty() ? m.key : prefix + "." + m.key);
    }
    for (std::size_t i = 0; i < root.items.size(); ++i) {
        name_settings(root.items[i], prefix + "[" + std::to_string(i) + "]");
    }
}

namespace {

std::string without_underscores(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c != '_') {
            out += c;
        }
    }
    return out;
}

}  // namespace

std::optional<double> as_number(const Setting& setting) {
    if (!setting.is_scalar() || setting.text.empty() || setting.text.front() == '_') {
        return std::nullopt;
    }
    const std::string digits = without_underscores(setting.text);
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    double x = 0.0;
    const auto [end, error] = read_decimal(begin, digits.data() + digits.size(), x);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(x)) {
        return std::nullopt;
    }
    return x;
}

std::optional<std::int64_t> as_whole(const Setting& setting) {
    constexpr double largest = 9007199254740992.0;  // 2^53: above it a double skips whole numbers
    const std::optional<double> x = as_number(setting);
    if (!x || std::abs(*x) > largest || *x != std::floor(*x)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*x);
}

std::optional<bool> as_truth(const Setting& setting) {
    if (!setting.is_scalar()) {
        return std::nullopt;
    }
    const std::string word = lower(setting.text);
    if (word == "true" || word == "yes" || word == "on" || word == "1") {
        return true;
    }
    if (word == "false" || word == "no" || word == "off" || word == "0") {
        return false;
    }
    return std::nullopt;
}

bool says_nothing(const Setting& setting) {
    if (!setting.is_scalar()) {
        return setting.is_null();
    }
    const std::string word = lower(setting.text);
    return word.empty() || (!setting.quoted && (word == "null" || word == "~")) || word == "none" ||
           word == "null";
}

std::optional<std::string> as_word(const Setting& setting) {
    if (!setting.is_scalar() || says_nothing(setting)) {
        return std::nullopt;
    }
    const std::string& text = setting.text;
    const bool placeholder = text == "???" || text.find_first_of("<>{}\x01") != text.npos ||
                             text.starts_with('$') || text.find("${") != text.npos;
    return placeholder ? std::nullopt : std::optional(text);
}

}  // namespace traincost
