// $(( )): whole numbers, variables and their operators.

#include <algorithm>
#include <cctype>
#include <functional>
#include <limits>

#include "traincost/base/name_letter.hpp"
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
               (is_name_letter(text_[at_]) || text_[at_] == '$' || text_[at_] == '{' || text_[at_] == '}')) {
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

}  // namespace

std::optional<std::int64_t> ShellState::whole(std::string_view text) {
    try {
        return text.empty() ? std::nullopt : std::optional(parse_count(text, Range::any));
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

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

}  // namespace traincost
