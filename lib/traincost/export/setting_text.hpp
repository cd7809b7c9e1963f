// Settings in their order, and how YAML, TOML and JSON spell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// A word, a number or a list at the end of a path, or more settings below it.
struct SettingText {
    std::string key{};
    std::string value{};  ///< as YAML has it; quoted where the other two quote
    bool is_word = false;
    std::vector<SettingText> below{};

    /// Sets what stands at "a.b.c"; maps are made on the way.
    void word(std::string_view path, std::string_view value);
    void number(std::string_view path, std::int64_t value);
    void truth(std::string_view path, bool value);
    /// A value that all three spell the same way: "0.9", "[]", "null".
    void literal(std::string_view path, std::string_view value);

private:
    SettingText& at(std::string_view path);
};

std::string yaml_text(const SettingText& root);
/// Tables of one level, as torchtitan has them.
std::string toml_text(const SettingText& root);
std::string json_text(const SettingText& root);

/// "path=value" of every setting, as Hydra and MaxText take them.
std::vector<std::string> override_words(const SettingText& root);

}  // namespace traincost
