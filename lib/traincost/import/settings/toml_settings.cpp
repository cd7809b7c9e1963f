// TOML through toml++.

#include <sstream>
#include <stdexcept>

// toml++ asserts what some broken keys do not keep, and in a release assumes it; here that is an error like
// any other, in every build.
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? void() : throw std::invalid_argument("a key is not complete"))
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wexceptions"
#elif defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"
#endif
#include <toml++/toml.h>
#if defined(__clang__)
#pragma clang diagnostic pop
#elif defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include "traincost/base/error.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

Setting setting_of(const toml::node& node, const std::string& file, int depth) {
    if (depth > deepest_setting) {
        fail_at_line(file, static_cast<int>(node.source().begin.line),
                     "nested more than " + std::to_string(deepest_setting) + " deep");
    }
    Setting setting;
    setting.file = &file;
    setting.line = static_cast<int>(node.source().begin.line);
    if (const toml::table* table = node.as_table()) {
        setting.kind = Setting::Kind::map;
        for (const auto& [key, value] : *table) {
            setting.members.push_back(
                {.key = std::string(key.str()), .value = setting_of(value, file, depth + 1)});
        }
    } else if (const toml::array* array = node.as_array()) {
        setting.kind = Setting::Kind::list;
        for (const toml::node& item : *array) {
            setting.items.push_back(setting_of(item, file, depth + 1));
        }
    } else {
        setting.kind = Setting::Kind::scalar;
        if (const auto* text = node.as_string()) {
            setting.text = text->get();
            setting.quoted = true;
        } else if (const auto* truth = node.as_boolean()) {
            setting.text = truth->get() ? "true" : "false";
        } else if (const auto* whole = node.as_integer()) {
            setting.text = std::to_string(whole->get());
        } else {
            std::ostringstream out;
            node.visit([&](const auto& value) { out << value; });
            setting.text = out.str();
        }
    }
    return setting;
}

/// The parser builds a table for each part of a dotted key, one in the other, as deep as they go.
void refuse_deep_keys(std::string_view text, const std::string& file) {
    int line = 1, dots = 0;
    char quote = '\0';
    bool comment = false;
    for (const char c : text) {
        if (c == '\n') {
            ++line;
            dots = 0;
            quote = '\0';
            comment = false;
        } else if (comment || (c == '#' && quote == '\0')) {
            comment = true;
        } else if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '.') {
            if (++dots > deepest_setting) {
                fail_at_line(file, line, "nested more than " + std::to_string(deepest_setting) + " deep");
            }
        } else if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}') {
            dots = 0;
        }
    }
}

}  // namespace

Setting read_toml(std::string_view text, const std::string& file) {
    refuse_deep_keys(text, file);
    try {
        const toml::table table = toml::parse(text, file);
        Setting root = setting_of(table, file, 0);
        name_settings(root);
        return root;
    } catch (const toml::parse_error& error) {
        fail_at_line(file, static_cast<int>(error.source().begin.line),
                     "not valid TOML: " + std::string(error.description()));
    } catch (const std::invalid_argument& error) {
        throw Error(
            ErrorKind::input,
            std::vector<Problem>{{.path = file, .message = std::string("not valid TOML: ") + error.what()}});
    }
}

}  // namespace traincost
