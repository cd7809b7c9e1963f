#include "traincost/report/commands/usage_words.hpp"

namespace traincost {

namespace {

/// What stands before `mark` and behind it; both empty where it does not occur.
struct Parts {
    std::string_view before, behind;
};

Parts parts_of(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == text.npos)
        return {};
    return {text.substr(0, at), text.substr(at + mark.size())};
}

std::string see_help_of(const std::string& command) {
    return "; see 'traincost " + command + (command.empty() ? "" : " ") + "--help'";
}

}  // namespace

std::string in_plain_words(std::string_view text, const std::string& command) {
    // "FILE is required"
    if (const Parts needed = parts_of(text, " is required"); !needed.before.empty() && needed.behind.empty())
        return command + (command.empty() ? "" : " ") + "needs " + std::string(needed.before) +
               see_help_of(command);
    // "--gpus: At Most 1 required but received 2"
    if (const Parts many = parts_of(text, ": At Most 1 required but received "); !many.before.empty())
        return std::string(many.before) + ": is given " + std::string(many.behind) + " times; allowed: once";
    // "--model: 1 required ID|FILE|- missing"
    constexpr std::string_view missing = " missing";
    if (const Parts one = parts_of(text, ": 1 required "); !one.before.empty() && text.ends_with(missing)) {
        const std::string_view kind = one.behind.substr(0, one.behind.size() - missing.size());
        return std::string(one.before) + ": missing value: " + std::string(kind);
    }
    // "Could not convert: --allow-risky = maybe"
    if (const Parts value = parts_of(text, "Could not convert: "); !value.behind.empty()) {
        if (const Parts both = parts_of(value.behind, " = "); !both.before.empty())
            return std::string(both.before) + ": '" + std::string(both.behind) + "' is not allowed" +
                   see_help_of(command);
    }
    return std::string(text);
}

std::string in_one_line(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool control = (c >= 0 && c < ' ') || c == '\x7f';
        if (control) {
            constexpr std::string_view digits = "0123456789abcdef";
            result += std::string("\\x") + digits[static_cast<std::size_t>(c >> 4)] + digits[c & 15];
        } else {
            result += c;
        }
    }
    return result;
}

}  // namespace traincost
