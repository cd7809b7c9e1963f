#include "traincost/report/explain/equation.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "traincost/base/decimal.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

bool begins_word(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_function(std::string_view word) {
    return word == "max" || word == "min";
}

double value_of(std::string_view symbol, std::span<const SymbolValue> values) {
    const auto found =
        std::find_if(values.begin(), values.end(), [&](const SymbolValue& v) { return v.symbol == symbol; });
    if (found == values.end())
        throw Error(ErrorKind::internal, "the symbol '" + std::string(symbol) + "' has no value");
    return found->value;
}

/// Recursive descent: sum of products of factors.
class Parser {
public:
    Parser(std::string_view text, std::span<const SymbolValue> values) : text_(text), values_(values) {
    }

    double whole() {
        const double x = sum();
        if (peek() != '\0')
            fail();
        return x;
    }

private:
    [[noreturn]] void fail() const {
        throw Error(ErrorKind::internal, "the equation '" + std::string(text_) + "' cannot be read");
    }

    char peek() {
        while (at_ < text_.size() && text_[at_] == ' ')
            ++at_;
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    bool take(char c) {
        if (peek() != c)
            return false;
        ++at_;
        return true;
    }

    void require(char c) {
        if (!take(c))
            fail();
    }

    double sum() {
        double x = product();
        for (;;) {
            if (take('+')) {
                x += product();
            } else if (take('-')) {
                x -= product();
            } else {
                return x;
            }
        }
    }

    double product() {
        double x = factor();
        for (;;) {
            if (take('*')) {
                x *= factor();
            } else if (take('/')) {
                x /= factor();
            } else {
                return x;
            }
        }
    }

    double factor() {
        if (take('(')) {
            const double x = sum();
            require(')');
            return x;
        }
        const std::size_t begin = (static_cast<void>(peek()), at_);
        if (at_ < text_.size() && begins_word(text_[at_])) {
            while (at_ < text_.size() && in_word(text_[at_]))
                ++at_;
            const std::string_view word = text_.substr(begin, at_ - begin);
            return is_function(word) ? extreme(word) : value_of(word, values_);
        }
        double x = 0.0;
        const auto [end, error] = read_decimal(text_.data() + at_, text_.data() + text_.size(), x);
        if (error != std::errc{})
            fail();
        at_ = static_cast<std::size_t>(end - text_.data());
        return x;
    }

    double extreme(std::string_view function) {
        require('(');
        double x = sum();
        while (take(',')) {
            const double y = sum();
            x = function == "max" ? std::max(x, y) : std::min(x, y);
        }
        require(')');
        return x;
    }

    std::string_view text_;
    std::span<const SymbolValue> values_;
    std::size_t at_ = 0;
};

/// Calls word(text) for each symbol or function and other(text) for what stands between them.
template <class Word, class Other>
void split_words(std::string_view equation, Word word, Other other) {
    std::size_t at = 0;
    while (at < equation.size()) {
        const std::size_t begin = at;
        const bool is_word = begins_word(equation[at]);
        while (at < equation.size() && (is_word ? in_word(equation[at]) : !begins_word(equation[at])))
            ++at;
        if (is_word) {
            word(equation.substr(begin, at - begin));
        } else {
            other(equation.substr(begin, at - begin));
        }
    }
}

}  // namespace

std::vector<std::string_view> symbols_of(std::string_view equation) {
    std::vector<std::string_view> symbols;
    split_words(
        equation,
        [&](std::string_view word) {
            if (!is_function(word) && std::find(symbols.begin(), symbols.end(), word) == symbols.end())
                symbols.push_back(word);
        },
        [](std::string_view) {});
    return symbols;
}

double evaluate(std::string_view equation, std::span<const SymbolValue> values) {
    return Parser(equation, values).whole();
}

namespace {

/// Whole numbers as they are, others to six digits.
std::string number_text(double x) {
    constexpr int digits = 6;
    constexpr double largest = 1e6;
    const bool whole = std::abs(x) < largest && std::trunc(x) == x;
    return whole ? std::to_string(static_cast<long>(x)) : to_significant(x, digits);
}

}  // namespace

std::string with_numbers(std::string_view equation, std::span<const SymbolValue> values) {
    std::string text;
    split_words(
        equation,
        [&](std::string_view word) {
            text += is_function(word) ? std::string(word) : number_text(value_of(word, values));
        },
        [&](std::string_view other) { text += other; });
    return text;
}

}  // namespace traincost
