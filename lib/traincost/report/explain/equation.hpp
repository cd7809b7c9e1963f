// Equations written as people read them, "m * (f + b)", that can be computed and shown with numbers: what an
// explanation prints is what is tested.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// A symbol and what it stands for, in base units.
struct SymbolValue {
    std::string_view symbol;
    double value;
};

/// The symbols of an equation, in order of appearance, each once. Symbols are letters, digits and underscores
/// and begin with a letter; `max` and `min` are functions.
std::vector<std::string_view> symbols_of(std::string_view equation);

/// The value of an equation of numbers, symbols, + - * / ( ), max and min. `Error` of kind `internal` where
/// it cannot be read or a symbol has no value.
double evaluate(std::string_view equation, std::span<const SymbolValue> values);

/// The equation with each symbol replaced by its value, whole or to six digits: "8 * (0.0123 + 0.0251)".
std::string with_numbers(std::string_view equation, std::span<const SymbolValue> values);

}  // namespace traincost
