#include "traincost/methods/printed.hpp"

#include <fmt/format.h>

namespace traincost {

std::string python_round_text(double x, int digits) {
    std::string text = fmt::format("{:.{}f}", x, digits);
    while (text.ends_with('0') && text[text.size() - 2] != '.') {
        text.pop_back();
    }
    return text == "-0.0" ? "0.0" : text;
}

std::string fixed_text(double x, int digits) {
    return fmt::format("{:.{}f}", x, digits);
}

}  // namespace traincost
