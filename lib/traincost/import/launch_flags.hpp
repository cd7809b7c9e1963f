// The flags and overrides of a command as settings.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/process_flags.hpp"
#include "traincost/import/settings/setting.hpp"
#include "traincost/import/shell/shell.hpp"

namespace traincost {

/// Builds settings from flags.
class Flags {
public:
    Flags(Setting& root, const std::vector<const std::string*>& files) : root_(root), files_(files) {
        root_.kind = Setting::Kind::map;
    }

    void put(const std::string& key, const std::string& name, const Words& values, ShellPlace place);
    void put_override(const ShellText& word);

private:
    bool is_plain(const std::string& name) const;
    void keep_group(const std::string& head);

    Setting& root_;
    const std::vector<const std::string*>& files_;
};

/// Reads the flags in `words` from `at`; without `positional`, until a word that is no flag and no value.
/// `switches` take no value.
std::size_t read_flags(const Words& words, std::size_t at, Flags& flags, Words* positional,
                       std::initializer_list<std::string_view> switches);

/// "tensor_model_parallel_size" of "--tensor-model-parallel-size"; without the marks of an override.
std::string key_of(std::string_view flag);

}  // namespace traincost
