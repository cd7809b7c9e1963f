// A configuration as a tree, whatever syntax it was written in: every value knows its file, line and key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

struct SettingMember;

/// One value of a configuration. A scalar keeps its text; what type it is, the reader of the key decides.
struct Setting {
    enum class Kind : std::uint8_t { null, scalar, list, map };

    Kind kind = Kind::null;
    bool quoted = false;        ///< a scalar between quotes is a string, whatever it looks like
    mutable bool read = false;  ///< a reader asked for it
    bool is_default = false;    ///< an option's value where nobody gives it another
    int line = 0;               ///< from 1
    const std::string* file = nullptr;
    std::string name;  ///< the key as the file spells it, with the keys above it: "training.seq_len"
    std::string text;  ///< of a scalar
    std::vector<Setting> items;
    std::vector<SettingMember> members;

    bool is_null() const {
        return kind == Kind::null;
    }
    bool is_scalar() const {
        return kind == Kind::scalar;
    }
    bool is_map() const {
        return kind == Kind::map;
    }
    bool is_list() const {
        return kind == Kind::list;
    }

    /// The member of that key; of several the last, as YAML readers take it; null where there is none.
    const Setting* member(std::string_view key) const;
    Setting* member(std::string_view key);
    /// The value at a path of keys joined by dots; a key that itself holds the dots is found too. What is
    /// found counts as read.
    const Setting* at(std::string_view path) const;
    /// As `at`, and counts as read by nobody.
    const Setting* peek(std::string_view path) const;
    bool has(std::string_view path) const {
        return peek(path) != nullptr;
    }
    bool has_any(std::initializer_list<std::string_view> paths) const {
        return std::any_of(paths.begin(), paths.end(), [&](std::string_view path) { return has(path); });
    }
    /// "train.yaml:12"
    std::string place() const;
    /// "train.yaml:12 training.seq_len"
    std::string where() const;
};

struct SettingMember {
    std::string key;
    Setting value;
};

/// A scalar of a file's place.
Setting scalar_setting(std::string text, const Setting& place, bool quoted = false);

/// The value of a path in `map`, made where it is not there yet.
Setting& place_at(Setting& map, std::string_view path);

/// Lays `over` on `base`: maps are merged key by key, everything else is replaced.
void overlay(Setting& base, const Setting& over);

/// The same, but what two files that one script writes ("$written") say differently is a placeholder.
void lay_over(Setting& base, const Setting& over);

/// Counts everything in `setting` as read.
void mark_read(const Setting& setting);

/// Gives every value below `root` its name: the keys that lead to it joined by dots. Names already given
/// stay.
void name_settings(Setting& root, const std::string& prefix = "");

/// A whole number: "4096", "500_000", "4096.0"; nothing for any other text.
std::optional<std::int64_t> as_whole(const Setting& setting);
/// Any finite number.
std::optional<double> as_number(const Setting& setting);
/// true/false, yes/no, on/off in YAML's spellings; nothing for any other text.
std::optional<bool> as_truth(const Setting& setting);
/// A scalar that is a word: neither null nor "None" nor a placeholder ("<NAME>", "$VAR", "{ name }").
std::optional<std::string> as_word(const Setting& setting);
/// Whether the scalar stands for nothing: null, ~, None, empty.
bool says_nothing(const Setting& setting);

}  // namespace traincost
