// What a script finds out by itself: tests, and the few commands whose output is plain.

#include <algorithm>
#include <cctype>

#include "traincost/base/text.hpp"
#include "traincost/import/shell/shell_filters.hpp"
#include "traincost/import/shell/shell_state.hpp"

namespace traincost {

namespace {

Answer answer(bool yes) {
    return yes ? Answer::yes : Answer::no;
}

Answer compared(std::string_view sign, std::string_view a, std::string_view b) {
    if (sign == "=" || sign == "==" || sign == "!=") {
        return answer(ShellState::matches(b, a) == (sign != "!="));
    }
    const auto x = ShellState::whole(a);
    const auto y = ShellState::whole(b);
    if (!x || !y) {
        return Answer::unknown;
    }
    return sign == "-eq"                  ? answer(*x == *y)
           : sign == "-ne"                ? answer(*x != *y)
           : sign == "-lt" || sign == "<" ? answer(*x < *y)
           : sign == "-le"                ? answer(*x <= *y)
           : sign == "-gt" || sign == ">" ? answer(*x > *y)
           : sign == "-ge"                ? answer(*x >= *y)
                                          : Answer::unknown;
}

Answer opposite(Answer a) {
    return a == Answer::unknown ? a : answer(a == Answer::no);
}

std::string without_blanks(std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
    return text;
}

}  // namespace

bool ShellState::matches(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
    while (t < text.size()) {
        bool same = p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]);
        std::size_t width = 1;
        if (p < pattern.size() && pattern[p] == '[') {
            const std::size_t close = pattern.find(']', p + 1);
            if (close != std::string_view::npos) {
                same = pattern.substr(p + 1, close - p - 1).find(text[t]) != std::string_view::npos;
                width = close - p + 1;
            }
        }
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (same) {
            p += width;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') {
        ++p;
    }
    return p == pattern.size();
}

Answer ShellState::test(const std::vector<ShellText>& words) const {
    for (const std::string_view joiner : {"||", "-o", "&&", "-a"}) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i].chars != joiner || (i == 0 && joiner.starts_with('-'))) {
                continue;
            }
            const auto cut = words.begin() + static_cast<std::ptrdiff_t>(i);
            const Answer left = test({words.begin(), cut});
            const Answer right = test({cut + 1, words.end()});
            if (joiner == "||" || joiner == "-o") {
                return left == Answer::yes || right == Answer::yes ? Answer::yes
                       : left == Answer::no && right == Answer::no ? Answer::no
                                                                   : Answer::unknown;
            }
            return left == Answer::no || right == Answer::no     ? Answer::no
                   : left == Answer::yes && right == Answer::yes ? Answer::yes
                                                                 : Answer::unknown;
        }
    }
    if (words.empty()) {
        return Answer::no;
    }
    if (words.front().chars == "!") {
        return opposite(test({words.begin() + 1, words.end()}));
    }
    if (words.size() == 1) {
        return is_unknown(words[0]) ? Answer::unknown : answer(!words[0].empty());
    }
    if (words.size() == 2) {
        const std::string& sign = words[0].chars;
        if (sign == "-z" || sign == "-n") {
            // A variable that nobody sets here and the environment may: taken as not set.
            const bool empty = words[1].empty() || words[1].chars == std::string(1, unknown_mark);
            return answer(empty == (sign == "-z"));
        }
        if (sign == "-v") {
            return answer(find(words[1].chars) != nullptr);
        }
        return Answer::unknown;  // files are not looked at
    }
    if (words.size() == 3) {
        // An argument that is not given is empty: if [ "$STAGE" == "" ]; then STAGE=0; fi
        const std::string nothing(1, unknown_mark);
        const bool equality = words[1].chars == "=" || words[1].chars == "==" || words[1].chars == "!=";
        if (equality && ((words[0].chars == nothing && words[2].empty()) ||
                         (words[2].chars == nothing && words[0].empty()))) {
            return answer(words[1].chars != "!=");
        }
        if (is_unknown(words[0]) || is_unknown(words[2])) {
            return Answer::unknown;
        }
        return compared(words[1].chars, words[0].chars, words[2].chars);
    }
    return Answer::unknown;
}

/// The words of a simple command; what is quoted stays together.
std::vector<ShellText> ShellState::words_of_command(const ShellText& command) {
    const std::string& chars = command.chars;
    const auto is_space = [&](std::size_t i) {
        return std::isspace(static_cast<unsigned char>(chars[i])) != 0;
    };
    std::vector<ShellText> words;
    for (std::size_t i = 0; i < chars.size();) {
        while (i < chars.size() && is_space(i)) {
            ++i;
        }
        std::size_t end = i;
        char quote = '\0';
        int brackets = 0;
        while (end < chars.size() && (quote != '\0' || brackets > 0 || !is_space(end))) {
            const char c = chars[end];
            if (quote != '\0') {
                quote = c == quote ? '\0' : quote;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (c == '(' || c == '{') {
                ++brackets;
            } else if (c == ')' || c == '}') {
                --brackets;
            } else if (c == '\\') {
                ++end;
            }
            ++end;
        }
        end = std::min(end, chars.size());
        if (end > i) {
            for (ShellText& word : words_of(command.part(i, end - i))) {
                words.push_back(std::move(word));
            }
        }
        i = end;
    }
    return words;
}

/// What echo prints of its words.
ShellText ShellState::echoed(const std::vector<ShellText>& words, ShellPlace place) {
    ShellText joined;
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (i == 1 && (words[i].chars == "-n" || words[i].chars == "-e")) {
            continue;
        }
        if (!joined.empty()) {
            joined.add(' ', place);
        }
        joined.add(words[i]);
    }
    return joined;
}

// $(command): only what depends on nothing but its words.
ShellText ShellState::substituted(const ShellText& command, ShellPlace place, int depth) {
    const std::size_t pipe = command.chars.find('|');
    const std::vector<ShellText> words =
        depth > 30 ? std::vector<ShellText>{} : words_of_command(command.part(0, pipe));
    if (words.empty()) {
        return unknown(place);
    }
    const std::string filter =
        pipe == std::string::npos ? std::string() : without_blanks(command.chars.substr(pipe + 1));
    const std::string& program = words.front().chars;
    ShellText joined = echoed(words, place);
    if (program == "echo" && filter.empty()) {
        return joined;
    }
    const bool computes = filter == "bc" || filter == "bc-l";
    if ((program == "echo" && computes) || (program == "expr" && filter.empty())) {
        const auto x = arithmetic(joined.chars);
        ShellText result;
        result.add(x ? std::to_string(*x) : std::string(1, unknown_mark), place);
        return result;
    }
    if (program == "echo" && !filter.empty() && !is_unknown(joined)) {
        const auto text = filtered(joined.chars, std::string_view(command.chars).substr(pipe + 1));
        ShellText result;
        result.add(text ? *text : std::string(1, unknown_mark), place);
        return result;
    }
    // Where a program lies is not looked at; what is asked for is its name.
    const bool is_command = program == "command" && words.size() == 3 && words[1].chars == "-v";
    if (filter.empty() && (is_command || (program == "which" && words.size() == 2))) {
        return words.back();
    }
    if ((program == "basename" || program == "dirname") && words.size() == 2 && !is_unknown(words[1])) {
        const std::size_t slash = words[1].chars.rfind('/');
        if (program == "basename") {
            return slash == std::string::npos ? words[1] : words[1].part(slash + 1);
        }
        return slash == std::string::npos ? unknown(place) : words[1].part(0, slash);
    }
    return unknown(place);
}

}  // namespace traincost
