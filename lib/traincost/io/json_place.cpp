#include "traincost/io/json_place.hpp"

#include <algorithm>

#include "traincost/base/error.hpp"

namespace traincost::io {

namespace {

/// How much of a given value an error shows.
constexpr std::size_t shown_characters = 60;

std::string escape_pointer(std::string_view key) {
    std::string out;
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

/// Appends the pointer of `wanted` below `value`; false where it is not there.
bool find_pointer(const JsonValue& value, const JsonValue* wanted, std::string& pointer) {
    if (&value == wanted) {
        return true;
    }
    const std::size_t length = pointer.size();
    if (const auto* items = value.array()) {
        for (std::size_t i = 0; i < items->size(); ++i) {
            pointer += "/" + std::to_string(i);
            if (find_pointer((*items)[i], wanted, pointer)) {
                return true;
            }
            pointer.resize(length);
        }
    } else if (const auto* members = value.object()) {
        for (const JsonMember& member : *members) {
            pointer += "/" + escape_pointer(member.key);
            if (find_pointer(member.value, wanted, pointer)) {
                return true;
            }
            pointer.resize(length);
        }
    }
    return false;
}

}  // namespace

void fail_at(const std::string& where, const std::string& message) {
    throw Error(ErrorKind::input, std::vector<Problem>{{.path = where, .message = message}});
}

std::string position_text(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, std::min(offset, text.size()));
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t newline = before.rfind('\n');
    const std::size_t column =
        newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1));
}

std::string shorten(std::string text) {
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < ' ') {
            c = ' ';
        }
    }
    if (text.size() > shown_characters) {
        text.resize(shown_characters);
        text += "...";
    }
    return text;
}
std::string where_text(const JsonDocument& document, const JsonValue* value) {
    std::string pointer;
    find_pointer(document.root, value, pointer);
    return pointer.empty() ? document.file : document.file + ":" + pointer;
}

}  // namespace traincost::io
