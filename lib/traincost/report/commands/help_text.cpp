#include "traincost/report/commands/help_text.hpp"

#include "traincost/base/text.hpp"
#include "traincost/report/text_table.hpp"

namespace traincost {

std::string help_entry(const std::string& name, const std::string& meaning, std::size_t width) {
    std::string out;
    std::string line = "  " + name;
    if (display_width(line) + 1 > meaning_column) {
        for (const std::string& part : wrapped(name, width - 6)) {
            out += (out.empty() ? "  " : "      ") + part + '\n';
        }
        line.clear();
    }
    for (const std::string& part : wrapped(meaning, width - meaning_column)) {
        line.resize(meaning_column, ' ');
        out += line + part + '\n';
        line.clear();
    }
    return out;
}

std::string help_examples(const std::string& lines, std::size_t width) {
    if (lines.empty()) {
        return {};
    }
    std::string out = "Examples:\n";
    for (const std::string& example : split(lines, '\n')) {
        std::string line = "  ";
        for (const std::string& part : wrapped(example, width - 8)) {
            out += line + part;
            line = " \\\n      ";
        }
        out += '\n';
    }
    return out;
}

std::string without_gaps(const std::string& help) {
    std::string out;
    for (const char c : help) {
        if (c != '\n' || !out.ends_with("\n\n")) {
            out += c;
        }
    }
    return out;
}

}  // namespace traincost
