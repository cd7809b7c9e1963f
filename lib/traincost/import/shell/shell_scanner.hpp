// The words of a shell script as they are written: quotes, brackets, blanks and comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/shell/shell_syntax.hpp"

namespace traincost {

/// Reads a text from its beginning on, character by character or word by word.
class ShellScanner {
public:
    ShellScanner(const ShellText& text, const std::vector<const std::string*>& files)
        : text_(text), files_(files) {
    }

protected:
    static constexpr int deepest_block = 60;

    static bool is_blank(char c);
    std::size_t size() const {
        return text_.chars.size();
    }
    char now() const {
        return at_ < size() ? text_.chars[at_] : '\0';
    }
    char after(std::size_t n = 1) const {
        return at_ + n < size() ? text_.chars[at_ + n] : '\0';
    }
    ShellPlace place(std::size_t at) const;
    [[noreturn]] void fail(std::size_t at, const std::string& message) const;
    // Blanks, comments and continued lines.
    void skip_blanks();
    bool blank_to_line_end(std::size_t i) const;
    void skip_separators();
    // Past what is quoted or in brackets, from the opening character.
    void skip_single_quotes();
    void skip_double_quotes();
    void skip_inside_quotes();
    void skip_backticks();
    /// Past what is quoted here: a character behind a backslash, quotes or backticks. False where nothing is.
    bool skip_quoted();
    // From "(" or "{" past its partner.
    void skip_brackets();
    /// How long "<what is to be filled in>" is that begins here; 0 where a redirection does.
    std::size_t placeholder_length() const;
    /// The raw word that begins here; empty where none does.
    ShellText word();
    std::string_view peek_word() const;

    const ShellText& text_;
    const std::vector<const std::string*>& files_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace traincost
