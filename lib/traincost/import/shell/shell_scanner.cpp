#include "traincost/import/shell/shell_scanner.hpp"

#include <algorithm>
#include <cctype>

#include "traincost/base/name_letter.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

ShellText ShellText::part(std::size_t begin, std::size_t length) const {
    ShellText text;
    begin = std::min(begin, chars.size());
    length = std::min(length, chars.size() - begin);
    text.chars = chars.substr(begin, length);
    text.places.assign(places.begin() + static_cast<std::ptrdiff_t>(begin),
                       places.begin() + static_cast<std::ptrdiff_t>(begin + length));
    return text;
}

ShellText shell_text(std::string_view text, std::uint32_t file) {
    ShellText out;
    out.chars.reserve(text.size());
    out.places.reserve(text.size());
    std::uint32_t line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            continue;
        }
        out.add(text[i] == '\x01' ? '?' : text[i], {file, line});
        line += text[i] == '\n' ? 1 : 0;
    }
    return out;
}

bool ShellScanner::is_blank(char c) {
    return c == ' ' || c == '\t';
}

ShellPlace ShellScanner::place(std::size_t at) const {
    return text_.places.empty() ? ShellPlace{} : text_.places[std::min(at, size() - 1)];
}

void ShellScanner::fail(std::size_t at, const std::string& message) const {
    const ShellPlace p = place(at);
    fail_at_line(*files_.at(p.file), static_cast<int>(p.line), message);
}

void ShellScanner::skip_blanks() {
    while (at_ < size()) {
        if (is_blank(now())) {
            ++at_;
        } else if (now() == '\\' && after() == '\n') {
            at_ += 2;
        } else if (now() == '\\' && is_blank(after()) && blank_to_line_end(at_ + 1)) {
            at_ = std::min(text_.chars.find('\n', at_), size() - 1) + 1;  // a blank after the backslash
        } else if (now() == '#') {
            at_ = std::min(text_.chars.find('\n', at_), size());
        } else {
            return;
        }
    }
}

bool ShellScanner::blank_to_line_end(std::size_t i) const {
    while (i < size() && is_blank(text_.chars[i])) {
        ++i;
    }
    return i < size() && text_.chars[i] == '\n';
}

void ShellScanner::skip_separators() {
    while (true) {
        skip_blanks();
        if (now() != '\n' && (now() != ';' || after() == ';')) {
            return;
        }
        ++at_;
    }
}

void ShellScanner::skip_single_quotes() {
    const std::size_t begin = at_;
    at_ = text_.chars.find('\'', at_ + 1);
    if (at_ == std::string::npos) {
        at_ = size();
        fail(begin, "the quote ' is not closed");
    }
    ++at_;
}

void ShellScanner::skip_double_quotes() {
    const std::size_t begin = at_++;
    while (at_ < size() && now() != '"') {
        skip_inside_quotes();
    }
    if (at_ >= size()) {
        fail(begin, "the quote \" is not closed");
    }
    ++at_;
}

void ShellScanner::skip_inside_quotes() {
    if (now() == '\\') {
        at_ += 2;
    } else if (now() == '$' && (after() == '(' || after() == '{')) {
        ++at_;
        skip_brackets();
    } else if (now() == '`') {
        skip_backticks();
    } else {
        ++at_;
    }
}

void ShellScanner::skip_backticks() {
    const std::size_t begin = at_++;
    while (at_ < size() && now() != '`') {
        at_ += now() == '\\' ? 2 : 1;
    }
    if (at_ >= size()) {
        fail(begin, "the quote ` is not closed");
    }
    ++at_;
}

bool ShellScanner::skip_quoted() {
    switch (now()) {
        case '\\':
            at_ += 2;
            return true;
        case '\'':
            skip_single_quotes();
            return true;
        case '"':
            skip_double_quotes();
            return true;
        case '`':
            skip_backticks();
            return true;
        default:
            return false;
    }
}

void ShellScanner::skip_brackets() {
    const std::size_t begin = at_;
    const char open = now();
    const char close = open == '(' ? ')' : '}';
    if (++depth_ > deepest_block) {
        fail(begin, "nested more than " + std::to_string(deepest_block) + " deep");
    }
    ++at_;
    while (at_ < size() && now() != close) {
        const char c = now();
        if (skip_quoted()) {
            continue;
        }
        if (c == open || (c == '$' && (after() == '(' || after() == '{'))) {
            at_ += c == '$' ? 1 : 0;
            skip_brackets();
        } else {
            ++at_;
        }
    }
    if (at_ >= size()) {
        fail(begin, std::string("the bracket ") + open + " is not closed");
    }
    ++at_;
    --depth_;
}

std::size_t ShellScanner::placeholder_length() const {
    std::size_t i = at_ + 1;
    const auto fits = [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("_-./: ").find(static_cast<char>(c)) != std::string_view::npos;
    };
    if (now() != '<' || i >= size() || std::isalpha(static_cast<unsigned char>(text_.chars[i])) == 0) {
        return 0;
    }
    while (i < size() && fits(static_cast<unsigned char>(text_.chars[i]))) {
        ++i;
    }
    const bool closed = i < size() && text_.chars[i] == '>' && !is_blank(text_.chars[i - 1]);
    const char next = closed && i + 1 < size() ? text_.chars[i + 1] : '\n';
    return closed && (is_blank(next) || next == '\n' || next == '/') ? i + 1 - at_ : 0;
}

ShellText ShellScanner::word() {
    const std::size_t begin = at_;
    while (at_ < size()) {
        const char c = now();
        if (skip_quoted()) {
            continue;
        }
        if (c == '$' && (after() == '(' || after() == '{')) {
            ++at_;
            skip_brackets();
        } else if (const std::size_t length = placeholder_length(); length > 0) {
            at_ += length;
        } else if (is_blank(c) || c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')' ||
                   c == '<' || c == '>') {
            break;
        } else {
            ++at_;
        }
    }
    at_ = std::min(at_, size());
    return text_.part(begin, at_ - begin);
}

std::string_view ShellScanner::peek_word() const {
    std::size_t i = at_;
    while (i < size() && (is_name_letter(text_.chars[i]) || text_.chars[i] == '-')) {
        ++i;
    }
    if (i == at_ && i < size() && (text_.chars[i] == '{' || text_.chars[i] == '}' || text_.chars[i] == '!')) {
        ++i;
    }
    const bool ends = i >= size() || is_blank(text_.chars[i]) || text_.chars[i] == '\n' ||
                      text_.chars[i] == ';' || text_.chars[i] == ')' || text_.chars[i] == '(' ||
                      text_.chars[i] == '&' || text_.chars[i] == '|' || text_.chars[i] == '#';
    return ends ? std::string_view(text_.chars).substr(at_, i - at_) : std::string_view();
}

}  // namespace traincost
