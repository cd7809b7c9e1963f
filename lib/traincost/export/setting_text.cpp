#include "traincost/export/setting_text.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

std::string in_quotes(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "\"";
}

/// A word that YAML takes as it stands.
bool is_plain(const std::string& word) {
    constexpr std::string_view safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./";
    const bool letter =
        !word.empty() &&
        (std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ").find(word.front()) !=
         std::string_view::npos);
    constexpr std::array other = {"no", "yes", "on", "off", "null", "true", "false", "none", "y", "n"};
    return letter && word.find_first_not_of(safe) == word.npos &&
           std::find(other.begin(), other.end(), lower(word)) == other.end();
}

std::string yaml_value(const SettingText& setting) {
    return setting.is_word && !is_plain(setting.value) ? in_quotes(setting.value) : setting.value;
}

std::string quoted_value(const SettingText& setting) {
    return setting.is_word ? in_quotes(setting.value) : setting.value;
}

void add_yaml(const SettingText& setting, std::size_t depth, std::string& out) {
    out += std::string(2 * depth, ' ') + setting.key + ":";
    out += setting.below.empty() ? " " + yaml_value(setting) + "\n" : "\n";
    for (const SettingText& each : setting.below)
        add_yaml(each, depth + 1, out);
}

void add_json(const SettingText& setting, std::size_t depth, std::string& out) {
    if (setting.below.empty()) {
        out += quoted_value(setting);
        return;
    }
    out += "{\n";
    for (const SettingText& each : setting.below) {
        out += std::string(4 * (depth + 1), ' ') + in_quotes(each.key) + ": ";
        add_json(each, depth + 1, out);
        out += &each == &setting.below.back() ? "\n" : ",\n";
    }
    out += std::string(4 * depth, ' ') + "}";
}

/// A table with its own settings, then those within it.
void add_toml(const SettingText& table, const std::string& path, std::string& out) {
    const auto is_table = [](const SettingText& each) { return !each.below.empty(); };
    if (!std::all_of(table.below.begin(), table.below.end(), is_table))
        out += (out.empty() ? "[" : "\n[") + path + "]\n";
    for (const SettingText& each : table.below) {
        if (!is_table(each))
            out += each.key + " = " + quoted_value(each) + "\n";
    }
    for (const SettingText& each : table.below) {
        if (is_table(each))
            add_toml(each, path + "." + each.key, out);
    }
}

void add_overrides(const SettingText& setting, const std::string& path, std::vector<std::string>& out) {
    if (setting.below.empty())
        out.push_back(path + "=" + setting.value);
    for (const SettingText& each : setting.below)
        add_overrides(each, path.empty() ? each.key : path + "." + each.key, out);
}

}  // namespace

SettingText& SettingText::at(std::string_view path) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string_view first = path.substr(0, dot);
    auto found =
        std::find_if(below.begin(), below.end(), [&](const SettingText& each) { return each.key == first; });
    if (found == below.end())
        found = below.insert(below.end(), SettingText{.key = std::string(first)});
    return dot == path.size() ? *found : found->at(path.substr(dot + 1));
}

void SettingText::word(std::string_view path, std::string_view text) {
    SettingText& setting = at(path);
    setting.value = text;
    setting.is_word = true;
}

void SettingText::number(std::string_view path, std::int64_t x) {
    at(path).value = std::to_string(x);
}

void SettingText::truth(std::string_view path, bool yes) {
    at(path).value = yes ? "true" : "false";
}

void SettingText::literal(std::string_view path, std::string_view text) {
    at(path).value = text;
}

std::string yaml_text(const SettingText& root) {
    std::string out;
    for (const SettingText& each : root.below)
        add_yaml(each, 0, out);
    return out;
}

std::string toml_text(const SettingText& root) {
    std::string out;
    for (const SettingText& table : root.below)
        add_toml(table, table.key, out);
    return out;
}

std::string json_text(const SettingText& root) {
    std::string out;
    add_json(root, 0, out);
    return out + "\n";
}

std::vector<std::string> override_words(const SettingText& root) {
    std::vector<std::string> out;
    add_overrides(root, {}, out);
    return out;
}

}  // namespace traincost
