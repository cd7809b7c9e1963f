#include "traincost/capi/answer.hpp"

#include <array>
#include <memory>

#include "traincost/ask/sources.hpp"
#include "traincost/capi/commands.hpp"
#include "traincost/capi/error_answer.hpp"

namespace traincost {

namespace {

/// What was read of the built-in data is kept between questions; a folder of the user's is read anew.
std::shared_ptr<const Sources> sources_of(const std::string& folder) {
    static const std::shared_ptr<const Sources> built_in = std::make_shared<const Sources>();
    return folder.empty() ? built_in : std::make_shared<const Sources>(folder);
}

struct Command {
    std::string_view name;
    std::string (*answer)(JsonObject&, const Sources&);
};

constexpr std::array<Command, 20> commands = {
    {{"estimate", answer_estimate}, {"plan", answer_plan},       {"recommend", answer_recommend},
     {"sweep", answer_sweep},       {"compare", answer_compare}, {"timeline", answer_timeline},
     {"fields", answer_fields},     {"read", answer_read},       {"explain", answer_explain},
     {"achieved", answer_achieved}, {"export", answer_export},   {"report", answer_report},
     {"sheet", answer_sheet},       {"scale", answer_scale},     {"method", answer_method},
     {"methods", answer_methods},   {"params", answer_params},   {"days", answer_days},
     {"list", answer_list},         {"show", answer_show}}};

std::string answered(std::string_view text) {
    const JsonDocument document = parse_json(text, "question");
    JsonObject object((JsonNode(document)));
    std::array<std::string_view, commands.size()> names{};
    for (std::size_t i = 0; i < commands.size(); ++i)
        names[i] = commands[i].name;
    const Command& command = commands[object.at("command").one_of(names)];
    const auto data = object.find("data");
    const std::shared_ptr<const Sources> sources = sources_of(data ? data->string() : "");
    return command.answer(object, *sources);
}

}  // namespace

std::string answer_json(std::string_view question) {
    try {
        return answered(question);
    } catch (const Error& error) {
        return error_answer(error.kind(), error.problems());
    } catch (const std::exception& error) {
        return error_answer(ErrorKind::internal, {{"", error.what()}});
    }
}

}  // namespace traincost
