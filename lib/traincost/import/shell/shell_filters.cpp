#include "traincost/import/shell/shell_filters.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

/// The words of a filter, without their quotes.
std::vector<std::string> words_of(std::string_view filter) {
    std::vector<std::string> words;
    bool open = false;
    char quote = '\0';
    for (const char c : filter) {
        const bool quotes = quote != '\0' ? c == quote : c == '\'' || c == '"';
        if (quote == '\0' && !quotes && std::isspace(static_cast<unsigned char>(c)) != 0) {
            open = false;
            continue;
        }
        if (!open) {
            words.emplace_back();
            open = true;
        }
        if (quotes) {
            quote = quote != '\0' ? '\0' : c;
        } else {
            words.back() += c;
        }
    }
    return words;
}

/// Where a pipe's filters part, quotes apart.
std::vector<std::string> pieces_of(std::string_view filters) {
    std::vector<std::string> pieces(1);
    char quote = '\0';
    for (const char c : filters) {
        if (quote != '\0') {
            quote = c == quote ? '\0' : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '|') {
            pieces.emplace_back();
            continue;
        }
        pieces.back() += c;
    }
    return pieces;
}

/// "\n" as the character it stands for.
std::string characters(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escaped = text[i] == '\\' && i + 1 < text.size();
        out += !escaped ? text[i] : text[i + 1] == 'n' ? '\n' : text[i + 1] == 't' ? '\t' : text[i + 1];
        i += escaped ? 1 : 0;
    }
    return out;
}

std::vector<std::string> fields_of(std::string_view line, std::string_view sign) {
    std::vector<std::string> fields;
    for (const std::string& field : split(line, sign.empty() ? ' ' : sign.front())) {
        if (!sign.empty() || !field.empty()) {
            fields.push_back(field);
        }
    }
    return fields;
}

std::optional<long> number(std::string_view text) {
    long value = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    return end.ec == std::errc{} && end.ptr == text.data() + text.size() ? std::optional(value)
                                                                         : std::nullopt;
}

std::optional<std::string> translated(const std::string& text, const std::vector<std::string>& words) {
    const bool removes = words.size() == 3 && words[1] == "-d";
    const bool keeps = words.size() == 3 && (words[1] == "-cd" || words[1] == "-dc");
    if (words.size() != 3 || (!removes && !keeps && words[1].starts_with("-"))) {
        return std::nullopt;
    }
    const std::string from = characters(removes || keeps ? words[2] : words[1]);
    const std::string to = characters(words[2]);
    if (from.find('[') != std::string::npos || from.find("a-") != std::string::npos ||
        (!removes && !keeps && to.empty())) {
        return std::nullopt;
    }
    std::string out;
    for (const char c : text) {
        const std::size_t at = from.find(c);
        const bool found = at != std::string::npos;
        if (removes || keeps) {
            out += found == keeps ? std::string(1, c) : "";
        } else {
            out += found ? to[std::min(at, to.size() - 1)] : c;
        }
    }
    return out;
}

std::optional<std::string> counted(const std::string& text, const std::vector<std::string>& words) {
    if (words.size() != 2) {
        return std::nullopt;
    }
    if (words[1] == "-l") {
        return std::to_string(std::count(text.begin(), text.end(), '\n'));
    }
    if (words[1] == "-c" || words[1] == "-m") {
        return std::to_string(text.size());
    }
    if (words[1] != "-w") {
        return std::nullopt;
    }
    std::size_t count = 0;
    bool inside = false;
    for (const unsigned char c : text) {
        count += !inside && std::isspace(c) == 0 ? 1 : 0;
        inside = std::isspace(c) == 0;
    }
    return std::to_string(count);
}

std::optional<std::string> cut_out(const std::string& text, const std::vector<std::string>& words) {
    std::string sign = "\t";
    std::optional<long> field;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string_view rest =
            std::string_view(words[i]).substr(std::min<std::size_t>(2, words[i].size()));
        const std::string value = rest.empty() && i + 1 < words.size() ? words[i + 1] : std::string(rest);
        if (words[i].starts_with("-d")) {
            sign = value;
        } else if (words[i].starts_with("-f")) {
            field = number(value);
        } else {
            return std::nullopt;
        }
        i += rest.empty() ? 1 : 0;
    }
    const std::vector<std::string> fields = fields_of(text.substr(0, text.find('\n')), sign);
    return field && *field >= 1 && static_cast<std::size_t>(*field) <= fields.size() && !sign.empty()
               ? std::optional(fields[static_cast<std::size_t>(*field) - 1])
               : std::nullopt;
}

/// "{print NF}", "{print $2}", "{print $1+1}", "{print NF-1}"
std::optional<std::string> printed(const std::string& text, std::vector<std::string> words) {
    std::string sign;
    if (words.size() == 3 && words[1].starts_with("-F")) {
        sign = words[1].substr(2);
        words.erase(words.begin() + 1);
    } else if (words.size() == 4 && words[1] == "-F") {
        sign = words[2];
        words.erase(words.begin() + 1, words.begin() + 3);
    }
    constexpr std::string_view head = "{print";
    std::string program = words.size() == 2 ? words[1] : std::string();
    std::erase(program, ' ');
    if (!program.starts_with(head) || !program.ends_with('}')) {
        return std::nullopt;
    }
    program = program.substr(head.size(), program.size() - head.size() - 1);
    const std::vector<std::string> fields = fields_of(text.substr(0, text.find('\n')), sign);
    const std::size_t plus = program.find_first_of("+-", 1);
    const std::string what = program.substr(0, plus);
    const long index = what.starts_with('$') ? number(what.substr(1)).value_or(0) : 0;
    std::string value = what == "NF" ? std::to_string(fields.size()) : std::string();
    if (index >= 1 && static_cast<std::size_t>(index) <= fields.size()) {
        value = fields[static_cast<std::size_t>(index) - 1];
    }
    if (value.empty()) {
        return std::nullopt;
    }
    if (plus == std::string::npos) {
        return value;
    }
    const auto left = number(value);
    const auto right = number(program.substr(plus + 1));
    return left && right
               ? std::optional(std::to_string(program[plus] == '+' ? *left + *right : *left - *right))
               : std::nullopt;
}

/// grep -o ',': each of them in a line of its own.
std::optional<std::string> found(const std::string& text, const std::vector<std::string>& words) {
    if (words.size() != 3 || words[1] != "-o" || words[2].size() != 1 || words[2] == ".") {
        return std::nullopt;
    }
    std::string out;
    for (const char c : text) {
        out += c == words[2].front() ? std::string{c, '\n'} : std::string();
    }
    return out;
}

}  // namespace

std::optional<std::string> filtered(std::string text, std::string_view filters) {
    text += '\n';  // what echo ends with
    for (const std::string& piece : pieces_of(filters)) {
        const std::vector<std::string> words = words_of(piece);
        const std::string program = words.empty() ? std::string() : words.front();
        std::optional<std::string> out;
        bool lines = true;
        if (program == "tr") {
            out = translated(text, words);
            lines = false;
        } else if (program == "wc") {
            out = counted(text, words);
        } else if (program == "cut") {
            out = cut_out(text, words);
        } else if (program == "awk") {
            out = printed(text, words);
        } else if (program == "grep") {
            out = found(text, words);
            lines = false;
        } else if (program == "xargs" && words.size() == 1) {
            out = text;
            lines = false;
        }
        if (!out) {
            return std::nullopt;
        }
        text = *out + (lines ? "\n" : "");
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.pop_back();
    }
    return text;
}

}  // namespace traincost
