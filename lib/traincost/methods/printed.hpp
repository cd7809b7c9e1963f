// Numbers as the published Python and JavaScript programs print them. Internal to methods/ and to what prints
// its results.
#pragma once

#include <string>
#include <vector>

namespace traincost {

/// `round(x, digits)` of Python: to the nearest decimal, ties to even.
double python_round(double x, int digits);

/// `round(x, digits)` as Python prints it: correctly rounded, trailing zeros dropped, at least one decimal
/// ("0.3", "5.0", "12.89"), an exponent from 10^16 on. `digits` ≥ 1.
std::string python_round_text(double x, int digits);

/// `x` as Python prints a float: "6.048e+18", "40.0", "0.25".
std::string python_text(double x);

/// `x` with exactly `digits` decimals, as Python's f"{x:.2f}" prints it: ties to even.
std::string decimals_text(double x, int digits);

/// `x` ≥ 0 with exactly `digits` decimals, as JavaScript's toFixed prints it: ties upwards.
std::string fixed_text(double x, int digits);

/// `x` as a spreadsheet program shows and keeps it: 15 significant digits.
std::string spreadsheet_text(double x);

/// `x` as Python's tabulate prints it in a column with fractions: 6 significant digits, no trailing zeros.
std::string grid_number(double x);

/// Cells by row; the first row is the header.
using TextRows = std::vector<std::vector<std::string>>;

/// The rows as Python's tabulate prints them in its format "grid": columns of numbers align at the point.
std::string grid_text(const TextRows& rows);

/// The rows as tabulate prints them in its format "pretty": everything centred.
std::string pretty_text(const TextRows& rows);

}  // namespace traincost
