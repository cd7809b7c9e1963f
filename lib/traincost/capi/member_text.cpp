#include "traincost/capi/member_text.hpp"

#include <cmath>
#include <utility>

#include "traincost/base/text.hpp"

namespace traincost {

std::string flag_text(const JsonNode& node) {
    if (node.is_string())
        return node.string();
    if (const auto* on = std::get_if<bool>(&node.value().data))
        return *on ? "on" : "off";
    const double x = node.number();
    constexpr double exact = 0x1p53;
    const bool whole = std::abs(x) < exact && x == std::trunc(x);
    return whole ? std::to_string(static_cast<std::int64_t>(x)) : to_exact(x);
}

Error at_flag(std::string_view flag, const Error& error) {
    std::vector<Problem> problems = error.problems();
    const std::string prefix = std::string(flag) + ": ";
    for (Problem& problem : problems) {
        if (problem.path.empty() && problem.message.starts_with(prefix))
            problem.message.erase(0, prefix.size());
        problem.path = flag;
    }
    return {ErrorKind::usage, std::move(problems)};
}

void say_member(JobDraft& draft, const JobField& field, const JsonNode& node) {
    const std::string flag(field.flag);
    const auto* truth = std::get_if<bool>(&node.value().data);
    try {
        say(draft, field, truth == nullptr ? flag_text(node) : *truth ? "true" : "false", flag);
    } catch (const Error& error) {
        if (truth == nullptr)
            throw at_flag(flag, error);
        try {
            say(draft, field, *truth ? "on" : "off", flag);  // as flags call it that know no "true"
        } catch (const Error&) {
            throw at_flag(flag, error);
        }
    }
}

LaunchFile file_in(const JsonNode& node) {
    JsonObject file(node);
    LaunchFile in{file.at("name").string(), file.at("text").string()};
    file.finish();
    return in;
}

std::string list_text(const JsonNode& node) {
    if (!node.is_array())
        return flag_text(node);
    std::string text;
    for (const JsonNode& item : node.items())
        text += (text.empty() ? "" : ",") + flag_text(item);
    return text;
}

std::map<std::string, double> numbers_in(const JsonNode& node) {
    std::map<std::string, double> numbers;
    const auto* members = node.value().object();
    if (members == nullptr)
        node.fail("must be an object of numbers");
    for (const auto& member : *members)
        numbers[member.key] = JsonNode(node.document(), member.value).number();
    return numbers;
}

}  // namespace traincost
