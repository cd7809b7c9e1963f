#include "traincost/import/logs/lines/log_envelope.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

/// Appends a character of the basic plane as UTF-8; half of a pair as a question mark.
void append_utf8(std::string& text, std::uint32_t code) {
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
        text += static_cast<char>(0x80 | (code & 0x3F));
    } else if (code >= 0xD800 && code < 0xE000) {
        text += '?';
    } else {
        text += static_cast<char>(0xE0 | code >> 12);
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
        text += static_cast<char>(0x80 | (code & 0x3F));
    }
}

/// Appends what the escape at `at`, behind its backslash, stands for; returns where it ends.
std::size_t append_escaped(std::string& text, std::string_view line, std::size_t at) {
    constexpr std::size_t digits = 4;
    switch (line[at]) {
        case 'n':
            text += '\n';
            return at + 1;
        case 'r':
            text += '\r';
            return at + 1;
        case 't':
            text += '\t';
            return at + 1;
        case 'u': {
            std::uint32_t code = 0;
            const std::string_view hex = line.substr(at + 1, digits);
            const auto [stop, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
            if (hex.size() < digits || error != std::errc() || stop != hex.data() + digits) {
                return at + 1;
            }
            append_utf8(text, code);
            return at + 1 + digits;
        }
        default:
            text += line[at];
            return at + 1;
    }
}

/// The string that begins behind `at`; nothing where none does, or it does not end.
std::optional<std::string> string_behind(std::string_view line, std::size_t at) {
    at = line.find_first_not_of(' ', at);
    if (at == line.npos || line[at] != '"') {
        return std::nullopt;
    }
    std::string text;
    for (++at; at < line.size() && line[at] != '"';) {
        if (line[at] == '\\' && at + 1 < line.size()) {
            at = append_escaped(text, line, at + 1);
        } else {
            text += line[at++];
        }
    }
    return at < line.size() ? std::optional(text) : std::nullopt;
}

}  // namespace

std::optional<std::string> text_in_envelope(std::string_view line) {
    constexpr std::array<std::string_view, 4> names = {
        "\"log\":", "\"message\":", "\"msg\":", "\"textPayload\":"};
    if (!line.starts_with("{\"") || line.back() != '}') {
        return std::nullopt;
    }
    // One pass from colon to colon: most such lines are objects of many members, and have none of the names.
    std::array<std::size_t, names.size()> behind{};
    for (std::size_t at = line.find(':'); at != line.npos; at = line.find(':', at + 1)) {
        const std::string_view before = line.substr(0, at + 1);
        const char last = at > 1 && line[at - 1] == '"' ? line[at - 2] : '\0';
        if (last != 'g' && last != 'e' && last != 'd') {
            continue;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (behind[i] == 0 && before.ends_with(names[i])) {
                behind[i] = at + 1;
            }
        }
    }
    const auto first = std::find_if(behind.begin(), behind.end(), [](std::size_t at) { return at > 0; });
    return first != behind.end() ? string_behind(line, *first) : std::nullopt;
}

}  // namespace traincost
