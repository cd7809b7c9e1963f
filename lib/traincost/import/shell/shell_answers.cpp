// What a script computes by itself: $(( )), tests, and the few commands whose output is plain.

#include <algorithm>
#include <cctype>
#include <limits>

#include "traincost/base/text.hpp"
#include "traincost/import/shell/shell_state.hpp"

namespace traincost {

namespace {

/// Evaluates an expression of whole numbers and variables, by precedence.
class Arithmetic {
public:
    Arithmetic(std::string_view text,
               const std::function<std::optional<std::int64_t>(std::string_view)>& variable)
        : text_(text), variable_(variable) {
    }
    std::optional<std::int64_t> value() {
        const auto x = binary(0);
        skip();
        if (x && at_ < text_.size() && text_[at_] == '?') {
            ++at_;
            const auto yes = binary(0);
            skip();
            if (at_ >= text_.size() || text_[at_] != ':') {
                return std::nullopt;
            }
            ++at_;
            const auto no = binary(0);
            skip();
            return at_ == text_.size() ? (*x != 0 ? yes : no) : std::nullopt;
        }
        return at_ == text_.size() ? x : std::nullopt;
    }

private:
    struct Operator {
        std::string_view sign;
        int level;
    };
    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
            ++at_;
        }
    }
    std::optional<Operator> next_operator() {
        static constexpr Operator all[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4},
                                           {"<<", 5}, {">>", 5}, {"**", 8}, {"<", 4},  {">", 4},  {"+", 6},
                                           {"-", 6},  {"*", 7},  {"/", 7},  {"%", 7}};
        skip();
        for (const Operator& one : all) {
            if (text_.substr(at_).starts_with(one.sign)) {
                return one;
            }
        }
        return std::nullopt;
    }
    std::optional<std::int64_t> binary(int level) {
        if (++depth_ > 50) {
            return std::nullopt;
        }
        auto left = unary();
        while (left) {
            const auto op = next_operator();
            if (!op || op->level <= level) {
                break;
            }
            at_ += op->sign.size();
            const auto right = binary(op->level);
            if (!right) {
                left = std::nullopt;
                break;
            }
            left = applied(op->sign, *left, *right);
        }
        --depth_;
        return left;
    }
    static std::optional<std::int64_t> applied(std::string_view sign, std::int64_t a, std::int64_t b) {
        constexpr std::int64_t largest = std::int64_t{1} << 53;
        std::int64_t out = 0;
        if (sign == "+") {
            out = a + b;
        } else if (sign == "-") {
            out = a - b;
        } else if (sign == "*") {
            if (__builtin_mul_overflow(a, b, &out)) {
                return std::nullopt;
            }
        } else if (sign == "/" || sign == "%") {
            if (b == 0) {
                return std::nullopt;
            }
            out = sign == "/" ? a / b : a % b;
        } else if (sign == "**") {
            out = 1;
            for (std::int64_t i = 0; i < b; ++i) {
                if (__builtin_mul_overflow(out, a, &out)) {
                    return std::nullopt;
                }
            }
        } else if (sign == "<<" || sign == ">>") {
            if (b < 0 || b > 52 || a < 0 || a > largest >> 12) {
                return std::nullopt;
            }
            out = sign == "<<" ? (b > 40 && a > 1 ? largest + 1 : a << b) : a >> b;
        } else {
            out = sign == "||"   ? (a != 0 || b != 0)
                  : sign == "&&" ? (a != 0 && b != 0)
                  : sign == "==" ? a == b
                  : sign == "!=" ? a != b
                  : sign == "<=" ? a <= b
                  : sign == ">=" ? a >= b
                  : sign == "<"  ? a < b
                                 : a > b;
        }
        return out > largest || out < -largest ? std::nullopt : std::optional(out);
    }
    std::optional<std::int64_t> unary() {
        skip();
        if (at_ >= text_.size()) {
            return std::nullopt;
        }
        const char c = text_[at_];
        if (c == '-' || c == '+' || c == '!') {
            ++at_;
            const auto x = ++depth_ > 50 ? std::nullopt : unary();
            --depth_;
            return !x         ? x
                   : c == '-' ? std::optional(-*x)
                   : c == '!' ? std::optional<std::int64_t>(*x == 0 ? 1 : 0)
                              : x;
        }
        if (c == '(') {
            ++at_;
            const auto x = binary(0);
            skip();
            if (at_ >= text_.size() || text_[at_] != ')') {
                return std::nullopt;
            }
            ++at_;
            return x;
        }
        std::size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
                text_[at_] == '$' || text_[at_] == '{' || text_[at_] == '}')) {
            ++at_;
        }
        std::string name;
        for (const char x : text_.substr(begin, at_ - begin)) {
            if (x != '$' && x != '{' && x != '}') {
                name += x;
            }
        }
        if (name.empty()) {
            return std::nullopt;
        }
        if (std::isdigit(static_cast<unsigned char>(name[0])) == 0 || text_[begin] == '$') {
            return variable_(name);
        }
        try {
            return parse_count(name);
        } catch (const std::exception&) {
            return std::nullopt;
        }
    }

    std::string_view text_;
    const std::function<std::optional<std::int64_t>(std::string_view)>& variable_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

std::optional<std::int64_t> whole(std::string_view text) {
    try {
        return text.empty() ? std::nullopt : std::optional(parse_count(text, Range::any));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

Answer answer(bool yes) {
    return yes ? Answer::yes : Answer::no;
}

Answer compared(std::string_view sign, std::string_view a, std::string_view b) {
    if (sign == "=" || sign == "==" || sign == "!=") {
        return answer(ShellState::matches(b, a) == (sign != "!="));
    }
    const auto x = whole(a);
    const auto y = whole(b);
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

}  // namespace

std::optional<std::int64_t> ShellState::arithmetic(std::string_view expression, int depth) {
    if (depth > 20 || expression.find(unknown_mark) != std::string_view::npos) {
        return std::nullopt;
    }
    // An assignment inside, as in $((PORT = 6000 + X)) or ((N += 1)).
    const std::size_t equals = expression.find('=');
    if (equals != std::string_view::npos && equals > 0 &&
        (equals + 1 >= expression.size() || expression[equals + 1] != '=') &&
        std::string_view("=!<>").find(expression[equals - 1]) == std::string_view::npos) {
        std::string name(expression.substr(0, equals));
        std::string sum(expression.substr(equals + 1));
        if (std::string_view("+-*/%").find(name.back()) != std::string_view::npos) {
            sum = name.substr(0, name.size() - 1) + name.back() + "(" + sum + ")";
            name.pop_back();
        }
        name.erase(
            std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
            name.end());
        const auto x = arithmetic(sum, depth + 1);
        ShellText value;
        value.add(x ? std::to_string(*x) : std::string(1, unknown_mark), {});
        set(name, value);
        return x;
    }
    // What stands in ${...} or $(...) is expanded first.
    if (expression.find("${") != std::string_view::npos || expression.find("$(") != std::string_view::npos ||
        expression.find('`') != std::string_view::npos) {
        ShellText raw;
        raw.add(expression, {});
        const std::string expanded = text_of(raw, true).chars;
        return expanded == expression ? std::nullopt : arithmetic(expanded, depth + 1);
    }
    const std::function<std::optional<std::int64_t>(std::string_view)> variable =
        [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto value = value_of(name);
        if (!value || is_unknown(*value)) {
            return std::nullopt;
        }
        if (const auto x = whole(value->chars)) {
            return x;
        }
        return value->empty() ? std::optional<std::int64_t>(0) : arithmetic(value->chars, depth + 1);
    };
    return Arithmetic(expression, variable).value();
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

// $(command): only what depends on nothing but its words.
ShellText ShellState::substituted(const ShellText& command, ShellPlace place, int depth) {
    if (depth > 30) {
        return unknown(place);
    }
    std::string text = command.chars;
    // "... | bc": arithmetic of what is echoed.
    const std::size_t pipe = text.find('|');
    std::string filter;
    if (pipe != std::string::npos) {
        for (const char c : text.substr(pipe + 1)) {
            if (std::isspace(static_cast<unsigned char>(c)) == 0) {
                filter += c;
            }
        }
        text = text.substr(0, pipe);
    }
    ShellText head = command.part(0, text.size());
    std::vector<ShellText> words;
    for (std::size_t i = 0; i < head.chars.size();) {
        // Words of a simple command; what is quoted stays together.
        while (i < head.chars.size() && std::isspace(static_cast<unsigned char>(head.chars[i])) != 0) {
            ++i;
        }
        std::size_t end = i;
        char quote = '\0';
        int brackets = 0;
        while (end < head.chars.size() && (quote != '\0' || brackets > 0 ||
                                           std::isspace(static_cast<unsigned char>(head.chars[end])) == 0)) {
            const char c = head.chars[end];
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
        end = std::min(end, head.chars.size());
        if (end > i) {
            for (ShellText& word : words_of(head.part(i, end - i))) {
                words.push_back(std::move(word));
            }
        }
        i = end;
    }
    if (words.empty()) {
        return unknown(place);
    }
    const std::string program = words.front().chars;
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
    ShellText result;
    if (program == "echo" && (filter.empty() || filter == "bc" || filter == "bc-l")) {
        if (filter.empty()) {
            return joined;
        }
        const auto x = arithmetic(joined.chars);
        result.add(x ? std::to_string(*x) : std::string(1, unknown_mark), place);
        return result;
    }
    // How many items a list has.
    const bool counts = filter == "tr',''\\n'|wc-l" || filter == "tr\",\"\"\\n\"|wc-l" ||
                        filter == "awk-F,'{printNF}'" || filter == "awk-F',''{printNF}'" ||
                        filter == "awk-F\",\"'{printNF}'";
    if (program == "echo" && counts && !is_unknown(joined)) {
        result.add(std::to_string(1 + std::count(joined.chars.begin(), joined.chars.end(), ',')), place);
        return result;
    }
    if (program == "expr" && filter.empty()) {
        const auto x = arithmetic(joined.chars);
        result.add(x ? std::to_string(*x) : std::string(1, unknown_mark), place);
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
