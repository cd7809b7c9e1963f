// The variables of a script that is followed, and the expansion of its words.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/shell/shell.hpp"

namespace traincost {

struct ShellVariable {
    std::vector<ShellText> items;  ///< one, or those of an array
    std::map<std::string, ShellText> keyed;
    bool array = false;
};

/// Yes, no, or nobody knows.
enum class Answer : std::uint8_t { no, yes, unknown };

/// Variables by name; nothing for one that is not set.
using ShellChanges = std::map<std::string, std::optional<ShellVariable>, std::less<>>;

class ShellState {
public:
    const ShellVariable* find(std::string_view name) const {
        const auto found = variables_.find(name);
        return found == variables_.end() ? nullptr : &found->second;
    }
    /// The words of all variables that begin with a flag: ARGS=(--a 1 --b 2), ARGS="--a 1".
    std::vector<ShellText> options() const;
    /// The variable, to be written; it is made where it is not set.
    ShellVariable& change(std::string_view name);
    void erase(std::string_view name);
    /// From here on what is changed is remembered, until `go_back`.
    void remember() {
        journals_.emplace_back();
    }
    /// Undoes what was changed since the last `remember`, and says what it had become.
    ShellChanges go_back();

    /// Sets variables for a command alone, and says what `set_back` sets again.
    std::map<std::string, std::optional<ShellVariable>> set_for_now(
        const std::vector<std::pair<std::string, ShellText>>& values);
    void set_back(const std::map<std::string, std::optional<ShellVariable>>& before);

    std::vector<ShellText> arguments;  ///< $1, $2, ... of a function or of a started script
    bool arguments_known = false;
    void shift(std::size_t count);
    /// getopts LETTERS NAME: takes the next option from the arguments; whether there was one.
    bool next_option(std::string_view letters, std::string_view name);

    /// The words that `raw` becomes: quotes removed, variables replaced, split at blanks where nothing quotes
    /// it.
    std::vector<ShellText> words_of(const ShellText& raw);
    /// As one word: of an assignment's value, of a here-document (`quoted`).
    ShellText text_of(const ShellText& raw, bool quoted = false);
    void assign(const ShellAssignment& assignment);
    void set(std::string_view name, ShellText value);

    /// The value of an arithmetic expression; nothing where a part of it is unknown.
    std::optional<std::int64_t> arithmetic(std::string_view expression, int depth = 0);
    /// The answer of `[ ... ]`, `[[ ... ]]` or `test ...`, of its words without brackets, expanded.
    Answer test(const std::vector<ShellText>& words) const;

    static bool is_unknown(const ShellText& text) {
        return text.chars.find(unknown_mark) != std::string::npos;
    }
    static ShellText unknown(ShellPlace place);
    /// The whole number that a text is.
    static std::optional<std::int64_t> whole(std::string_view text);
    /// Whether `text` is of the form `pattern`: * ? and [ ].
    static bool matches(std::string_view pattern, std::string_view text);

private:
    static constexpr std::size_t longest_value = std::size_t{1} << 17;  ///< characters

    static std::string braced_name(const std::string& chars, std::size_t at, std::size_t end);
    struct Field;
    bool append_to_itself(const ShellAssignment& assignment);
    void expand(const ShellText& raw, std::size_t begin, std::size_t end, bool quoted, Field& out, int depth);
    std::size_t expand_dollar(const ShellText& raw, std::size_t at, std::size_t end, bool quoted, Field& out,
                              int depth);
    void expand_braces(const ShellText& raw, std::size_t begin, std::size_t end, bool quoted, Field& out,
                       int depth);
    void expand_all(const std::vector<ShellText>* items, bool length, bool quoted, ShellPlace place,
                    Field& out);
    void expand_name(std::string_view name, ShellPlace place, bool quoted, Field& out);
    std::optional<ShellText> value_of(std::string_view name) const;
    std::optional<ShellText> element(const std::string& name, const std::string& index);
    const std::vector<ShellText>* items_of(std::string_view name) const;
    std::vector<ShellText> words_of_command(const ShellText& command);
    static ShellText echoed(const std::vector<ShellText>& words, ShellPlace place);
    ShellText substituted(const ShellText& command, ShellPlace place, int depth);
    std::optional<ShellText> modified(ShellText value, std::string_view name, const ShellText& raw,
                                      std::size_t at, std::size_t end, int depth);

    std::map<std::string, ShellVariable, std::less<>> variables_{};
    std::vector<ShellChanges> journals_{};  ///< of open branches: what their changes replaced
};

}  // namespace traincost
