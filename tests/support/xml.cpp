#include "support/xml.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace traincost::test {

namespace {

struct Entity {
    std::string_view name;
    char character;
};
constexpr std::array<Entity, 5> entities = {
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == ':' || c == '.';
}

/// A bare < or &, or a control character.
std::string content_problem(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<')
            return "a bare < in content";
        if (text[i] >= 0 && text[i] < ' ' && text[i] != '\n' && text[i] != '\t')
            return "a control character";
        if (text[i] == '&' && std::none_of(entities.begin(), entities.end(), [&](const Entity& e) {
                return text.substr(i).starts_with(e.name);
            }))
            return "a bare &";
    }
    return "";
}

/// Problem of the attributes of a tag.
std::string attribute_problem(std::string_view text) {
    std::vector<std::string> seen;
    std::size_t i = 0;
    while (true) {
        while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i])) != 0)
            ++i;
        if (i == text.size())
            return "";
        const std::size_t begin = i;
        while (i < text.size() && is_name(text[i]))
            ++i;
        std::string name(text.substr(begin, i - begin));
        if (name.empty() || text.substr(i, 2) != "=\"")
            return "an attribute without a name or quotes: " + std::string(text.substr(begin));
        if (std::find(seen.begin(), seen.end(), name) != seen.end())
            return "the attribute " + name + " is given twice";
        const std::size_t end = text.find('"', i + 2);
        if (end == text.npos)
            return "an attribute without an end";
        if (const std::string problem = content_problem(text.substr(i + 2, end - i - 2)); !problem.empty())
            return problem;
        seen.push_back(std::move(name));
        i = end + 1;
    }
}

}  // namespace

std::string xml_problem(std::string_view text) {
    if (text.starts_with("<?xml")) {
        const auto end = text.find("?>");
        if (end == text.npos)
            return "a declaration without an end";
        text.remove_prefix(end + 2);
    }
    std::vector<std::string> open;
    int roots = 0;
    while (!text.empty()) {
        const std::size_t tag = std::min(text.find('<'), text.size());
        const std::string_view between = text.substr(0, tag);
        if (const std::string problem = content_problem(between); !problem.empty())
            return problem;
        if (open.empty() && between.find_first_not_of(" \n\t") != between.npos)
            return "text outside of the root";
        if (tag == text.size())
            break;
        const std::size_t end = text.find('>', tag);
        if (end == text.npos)
            return "a tag without an end";
        std::string_view inside = text.substr(tag + 1, end - tag - 1);
        text.remove_prefix(end + 1);
        if (inside.starts_with("/")) {
            if (open.empty() || open.back() != inside.substr(1))
                return "</" + std::string(inside.substr(1)) + "> closes nothing";
            open.pop_back();
            continue;
        }
        const bool empty = inside.ends_with("/");
        if (empty)
            inside.remove_suffix(1);
        std::size_t name = 0;
        while (name < inside.size() && is_name(inside[name]))
            ++name;
        if (name == 0)
            return "a tag without a name";
        if (const std::string problem = attribute_problem(inside.substr(name)); !problem.empty())
            return problem;
        roots += open.empty() ? 1 : 0;
        if (!empty)
            open.emplace_back(inside.substr(0, name));
    }
    if (!open.empty())
        return "<" + open.back() + "> is not closed";
    return roots == 1 ? "" : std::to_string(roots) + " roots";
}

std::vector<std::string> xml_texts(std::string_view document, std::string_view name) {
    std::vector<std::string> texts;
    const std::string tag = "<" + std::string(name);
    const std::string end_tag = "</" + std::string(name) + ">";
    for (auto at = document.find(tag); at != document.npos; at = document.find(tag, at + 1)) {
        const auto begin = document.find('>', at);
        const auto end = document.find(end_tag, at);
        if (begin == document.npos || end == document.npos || is_name(document[at + tag.size()]))
            continue;
        std::string text(document.substr(begin + 1, end - begin - 1));
        for (const Entity& e : entities) {
            for (auto i = text.find(e.name); i != text.npos; i = text.find(e.name, i + 1))
                text.replace(i, e.name.size(), 1, e.character);
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace traincost::test
