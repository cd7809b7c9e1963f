// What can be said to a command, as plain values: command lines, help, completions and the manual are made of
// it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace traincost {

/// One thing that can be said: an option, a switch, or an argument without a name.
struct CommandField {
    std::string names;  ///< "--log", "-o,--output"; of an argument what it is, "FILE"
    std::string type;   ///< of its value, "COUNT"; empty: a switch
    std::string help;
    /// Takes the text of a value, "true" of a switch. `Error` without the name where it is not allowed.
    std::function<void(const std::string&)> set;
    std::string group{};  ///< heading in the help; empty: the command's own
    bool required = false;
    bool several = false;    ///< takes values in any number, `set` once each
    bool hidden = false;     ///< not in the help
    std::string excludes{};  ///< the field that cannot be given beside this one
};

/// What a command understands, in the order of its help. Targets must live as long as the fields.
class CommandFields {
public:
    /// A value that `parse` makes of its text.
    template <class Target, class Parse>
    CommandField& value(std::string names, Target& target, std::string type, Parse parse, std::string help) {
        return add({std::move(names), std::move(type), std::move(help),
                    [&target, parse](const std::string& text) { target = parse(text); }});
    }
    CommandField& text(std::string names, std::string& target, std::string type, std::string help);
    CommandField& text(std::string names, std::optional<std::string>& target, std::string type,
                       std::string help);
    /// Values in any number.
    CommandField& texts(std::string names, std::vector<std::string>& target, std::string type,
                        std::string help);
    /// The same, where a value may be several between commas.
    CommandField& lists(std::string names, std::vector<std::string>& target, std::string type,
                        std::string help);
    CommandField& toggle(std::string names, bool& target, std::string help);

    /// In place of a field of the same name.
    CommandField& add(CommandField field);
    /// All of them, under a heading where one is given.
    CommandFields& add(const CommandFields& fields, const std::string& group = {});

    std::vector<CommandField>::const_iterator begin() const {
        return fields_.begin();
    }
    std::vector<CommandField>::const_iterator end() const {
        return fields_.end();
    }

private:
    std::vector<CommandField> fields_{};
};

/// An argument as it was given: "--tp" and "--tp=2", "--json" and "--json".
struct GivenArgument {
    std::string name;
    std::string text;
};

/// The texts of the arguments, in the order of the help, less those of `without`.
std::vector<std::string> texts_of(const std::vector<GivenArgument>& given,
                                  const std::vector<std::string>& without);

}  // namespace traincost
