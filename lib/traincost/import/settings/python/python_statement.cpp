#include "traincost/import/settings/python/python_statement.hpp"

#include <algorithm>
#include <cctype>

#include "traincost/base/error.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

bool begins_with(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return text.starts_with(w); });
}

namespace {

/// Whether the statement begins a block, which may stand behind its colon.
bool begins_block(std::string_view text) {
    return begins_with(text,
                       {"def ", "if ", "elif ", "for ", "while ", "with ", "except ", "class ", "async "}) ||
           text == "else" || text == "try" || text == "finally" || text == "except";
}

/// Whether something stands behind it in its line.
bool has_more(std::string_view text, std::size_t at) {
    const std::size_t next = text.find_first_not_of(" \t\r", at);
    return next != text.npos && text[next] != '\n' && text[next] != '#' && text[next] != '\\';
}

/// Takes the text that begins at `i`; where it ends.
std::size_t take_text(std::string_view text, std::size_t i, const std::string& file, int& line,
                      PythonStatement& now) {
    const char c = text[i];
    const std::string quote = text.substr(i, 3) == std::string(3, c) ? std::string(3, c) : std::string(1, c);
    std::size_t end = i + quote.size();
    while (end < text.size() && text.compare(end, quote.size(), quote) != 0 &&
           (quote.size() == 3 || text[end] != '\n')) {
        end += text[end] == '\\' ? 2 : 1;
    }
    if (end >= text.size() || text.compare(end, quote.size(), quote) != 0) {
        fail_at_line(file, line, "the quote " + quote + " is not closed");
    }
    now.text += quote.size() == 3 ? '"' : c;
    now.lines.push_back(line);
    for (std::size_t k = i + quote.size(); k < end; ++k) {
        now.text += text[k] == '\n' || (quote.size() == 3 && text[k] == '"') ? ' ' : text[k];
        now.lines.push_back(line);
        line += text[k] == '\n' ? 1 : 0;
    }
    now.text += quote.size() == 3 ? '"' : c;
    now.lines.push_back(line);
    return end + quote.size() - 1;
}

}  // namespace

std::vector<PythonStatement> python_statements(std::string_view text, const std::string& file) {
    std::vector<PythonStatement> all;
    PythonStatement now;
    int line = 1, depth = 0;
    bool begun = false;
    bool in_line = false;  // behind another statement of its line
    const auto finish = [&] {
        while (!now.text.empty() && std::isspace(static_cast<unsigned char>(now.text.back())) != 0) {
            now.text.pop_back();
        }
        if (!now.text.empty()) {
            all.push_back(std::move(now));
        }
        now = {};
        begun = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '#') {
            while (i + 1 < text.size() && text[i + 1] != '\n') {
                ++i;
            }
            continue;
        }
        if (c == '"' || c == '\'') {
            begun = true;
            i = take_text(text, i, file, line, now);
            continue;
        }
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        const bool heads =
            c == ':' && depth == 0 && begins_block(now.text) && has_more(text, i + 1) && text[i + 1] != '=';
        if (heads || (c == ';' && depth == 0)) {  // "if a: b = 1", "a = 1; b = 2"
            if (heads) {
                now.text += c;
                now.lines.push_back(line);
            }
            const int indent = now.indent + (heads ? 1 : 0);
            finish();
            now.indent = indent;
            in_line = true;
        } else if (c == '\n') {
            ++line;
            if (depth <= 0) {
                depth = 0;
                finish();
                in_line = false;
            } else {
                now.text += ' ';
                now.lines.push_back(line);
            }
        } else if (c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
            ++i;
            ++line;
        } else if (!begun && (c == ' ' || c == '\t')) {
            now.indent += in_line ? 0 : c == '\t' ? 8 : 1;
        } else {
            begun = true;
            now.text += c == '\t' || c == '\r' ? ' ' : c;
            now.lines.push_back(line);
        }
    }
    if (depth > 0) {
        fail_at_line(file, line, "a bracket is not closed");
    }
    finish();
    return all;
}

}  // namespace traincost
