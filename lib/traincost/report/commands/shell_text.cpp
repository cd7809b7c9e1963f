#include "traincost/report/commands/shell_text.hpp"

namespace traincost {

std::string joined_words(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

std::string in_quotes(const std::string& text, const std::string& quote) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? quote : std::string(1, c);
    }
    return out + "'";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

std::string own_words(const std::vector<const CommandNode*>& commands) {
    std::string text;
    for (const CommandNode* command : commands) {
        text += (text.empty() ? "" : " ") + command->name.substr(command->name.rfind(' ') + 1);
    }
    return text;
}

}  // namespace traincost
