#include "traincost/ask/assumption.hpp"

namespace traincost {

std::string to_text(const Assumption& a) {
    std::string text = a.field.empty() ? a.value : a.field + ": " + a.value;
    if (!a.why.empty())
        text += ", " + a.why;
    return a.flag.empty() ? text : text + " (" + a.flag + ")";
}

std::vector<std::string> to_text(const Assumptions& assumptions) {
    std::vector<std::string> lines;
    lines.reserve(assumptions.size());
    for (const Assumption& assumption : assumptions)
        lines.push_back(to_text(assumption));
    return lines;
}

Assumption assumption_from(std::string_view line) {
    Assumption a{};
    if (const auto colon = line.find(": "); colon != line.npos) {
        a.field = line.substr(0, colon);
        line.remove_prefix(colon + 2);
    }
    if (const auto flag = line.rfind(" (--"); flag != line.npos && line.ends_with(')')) {
        a.flag = line.substr(flag + 2, line.size() - flag - 3);
        line = line.substr(0, flag);
    }
    const auto comma = line.find(", ");
    a.value = line.substr(0, comma);
    if (comma != line.npos)
        a.why = line.substr(comma + 2);
    return a;
}

}  // namespace traincost
