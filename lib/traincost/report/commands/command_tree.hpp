// A program's commands and options as plain values: what completions and the manual are made from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// What a value is, as far as a shell can complete it.
enum class ValueKind : std::uint8_t {
    none,     ///< an option without a value
    text,     ///< anything
    word,     ///< one of `words`
    record,   ///< an id of the catalogue's folder `room`; with `file` also a file
    file,     ///< a file
    folder,   ///< a folder
    setting,  ///< one of `words`, each followed by "=" and values
};

/// An option, or a positional argument.
struct OptionNode {
    std::vector<std::string> names;  ///< "-v", "--verbose"; of a positional its name, "FILE"
    std::string value;               ///< "COUNT", "on|off"; empty: none
    std::string meaning;
    std::string group;  ///< heading it stands under in the help
    std::string environment{};
    bool several = false;  ///< takes more than one value
    ValueKind kind = ValueKind::text;
    std::vector<std::string> words{};
    std::string room{};
    bool file = false;
    bool operator==(const OptionNode&) const = default;
};

/// The heading, in the help, of options that no other heading has.
inline constexpr const char* own_group = "Command options";

/// A command; the first is the program itself.
struct CommandNode {
    std::string name;  ///< "export sheet"; empty: the program
    std::string group;
    std::string summary;
    std::vector<OptionNode> options{};
    std::vector<OptionNode> positionals{};
    std::vector<std::string> examples{};
    bool has_commands = false;
    bool operator==(const CommandNode&) const = default;
};

/// Says of an option what its names, its value's form ("ID|FILE", "on|off", "0..3") and the list of a job's
/// fields tell of its values: `kind`, `words`, `room`, `file`.
void describe_value(OptionNode& node);

/// The words of the command that are the names of its own commands: "sheet", "bench".
std::vector<const CommandNode*> commands_of(const std::vector<CommandNode>& tree, std::string_view name);

}  // namespace traincost
