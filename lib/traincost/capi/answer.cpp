#include "traincost/capi/answer.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "traincost/ask/sources.hpp"
#include "traincost/capi/commands.hpp"
#include "traincost/capi/error_answer.hpp"
#include "traincost/capi/member_text.hpp"

namespace traincost {

namespace {

/// Sources with records of the asker's, and what they were made of.
struct RecordSources {
    std::vector<RecordText> records;
    std::shared_ptr<const Sources> sources;
};

/// What was read of the built-in data is kept between questions, and what was read with the records of the
/// last question that had any; a folder of the user's alone is read anew.
std::shared_ptr<const Sources> sources_of(const std::string& folder, std::vector<RecordText> records) {
    static const std::shared_ptr<const Sources> built_in = std::make_shared<const Sources>();
    static std::mutex mutex;
    static RecordSources last;
    if (records.empty())
        return folder.empty() ? built_in : std::make_shared<const Sources>(folder);
    {
        const std::lock_guard lock(mutex);
        if (folder.empty() && last.sources && last.records == records)
            return last.sources;
    }
    auto sources = std::make_shared<const Sources>(folder, records);
    if (folder.empty()) {
        const std::lock_guard lock(mutex);
        last = {std::move(records), sources};
    }
    return sources;
}

std::vector<RecordText> records_of(JsonObject& object) {
    std::vector<RecordText> records;
    if (const auto node = object.find("records"))
        for (const JsonNode& item : node->items()) {
            LaunchFile file = file_in(item);
            records.push_back({std::move(file.name), std::move(file.text)});
        }
    return records;
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
    const std::shared_ptr<const Sources> sources = sources_of(data ? data->string() : "", records_of(object));
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
