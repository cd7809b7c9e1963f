// The grammar of a shell script, as far as launch scripts use it: commands, assignments, arrays, if, case,
// for, while, functions, here-documents. Nothing is run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// A character's origin: which file, which line.
struct ShellPlace {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
};

/// A text whose characters remember where they were written.
struct ShellText {
    std::string chars;
    std::vector<ShellPlace> places;  ///< one a character

    bool empty() const {
        return chars.empty();
    }
    ShellPlace place() const {
        return places.empty() ? ShellPlace{} : places.front();
    }
    void add(char c, ShellPlace place) {
        chars += c;
        places.push_back(place);
    }
    void add(std::string_view text, ShellPlace place) {
        chars += text;
        places.insert(places.end(), text.size(), place);
    }
    void add(const ShellText& text) {
        chars += text.chars;
        places.insert(places.end(), text.places.begin(), text.places.end());
    }
    ShellText part(std::size_t begin, std::size_t length = std::string::npos) const;
};

/// A file's text with its lines; a carriage return before a line's end is dropped.
ShellText shell_text(std::string_view text, std::uint32_t file);

struct ShellAssignment {
    std::string name;
    ShellText index;  ///< of NAME[index]=; empty otherwise
    bool append = false;
    bool array = false;
    std::vector<ShellText> words;  ///< as written: one, or the elements of an array
};

struct ShellRedirect {
    std::string sign;      ///< ">", ">>", "<", "<<", "<<<"
    ShellText target;      ///< as written; the body of a here-document
    bool literal = false;  ///< a here-document in which nothing is expanded
};

struct ShellCommand {
    enum class Kind : std::uint8_t { simple, group, condition, choice, loop_for, loop_while, function };
    Kind kind = Kind::simple;
    ShellPlace place;
    std::string sign;  ///< what joins it to the next: ";", "&&", "||", "|", "&"
    std::vector<ShellAssignment> assignments;
    std::vector<ShellText> words;  ///< as written; of a loop: its values; of a choice: its subject
    std::string name;              ///< of a loop's variable, of a function; while or until
    std::vector<ShellRedirect> redirects;
    /// group, function, loops: one body; if: condition, body, condition, body, ..., else body
    std::vector<std::vector<ShellCommand>> bodies;
    std::vector<std::vector<ShellText>> patterns;  ///< of a choice, one list a body
};

/// "export", "local" and their kin, which may stand in front of assignments.
bool is_declaration(std::string_view word);

/// The commands of a script. `Error` of kind input with file and line where a quote, a bracket or a block is
/// not closed.
std::vector<ShellCommand> parse_shell(const ShellText& text, const std::vector<const std::string*>& files);

}  // namespace traincost
