// Decimal text of doubles where the standard library reads and writes it, and where it does not yet.
#pragma once

#include <charconv>

namespace traincost {

/// std::from_chars of a double: a decimal number from the front of [first, last), without sign + or blanks.
std::from_chars_result read_decimal(const char* first, const char* last, double& x);

/// std::to_chars of a finite double: the fewest digits that are read back as `x`, and the shorter of the two
/// notations. 32 characters are always enough.
std::to_chars_result write_decimal(char* first, char* last, double x);

}  // namespace traincost
