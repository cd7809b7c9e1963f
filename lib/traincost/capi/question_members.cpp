#include "traincost/capi/question_members.hpp"

#include <algorithm>
#include <utility>

#include "traincost/ask/questions/search_dimensions.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

void take_switch(JsonObject& object, std::string_view key, bool& target) {
    if (const auto node = object.find(key))
        target = node->boolean();
}

JobInput input_of(JsonObject& object, const Sources& sources, JobDraft& job, bool chooses) {
    JobInput input{};
    if (const auto files = object.find("files"))
        for (const JsonNode& file : files->items()) {
            if (file.is_string())
                input.files.push_back(file.string());
            else
                input.inlined.push_back(file_in(file));
        }
    if (const auto select = object.find("select"))
        input.select = select->string();
    if (const auto node = object.find("job"))
        job = job_draft_from_json(*node, sources.catalogue());
    for (const JobField& field : job_fields()) {
        if (field.flag.empty())
            continue;
        const auto dimensions = dimension_fields();
        const bool chosen = std::any_of(dimensions.begin(), dimensions.end(),
                                        [&](const DimensionField& d) { return d.flag == field.flag; });
        if (chooses && chosen)
            continue;
        if (const auto node = object.find(field.flag.substr(2)))  // which outlives the object
            say_member(input.said, field, *node);
    }
    return input;
}

ReadDraft files_of(const JobInput& input, const Sources& sources) {
    return read_draft({input.files, input.select, {}, input.inlined}, sources);
}

ReadDraft draft_of(JsonObject& object, const Sources& sources) {
    JobDraft job{};
    const JobInput input = input_of(object, sources, job);
    ReadDraft read = files_of(input, sources);
    read.draft = overlaid(overlaid(std::move(read.draft), job), input.said);
    return read;
}

}  // namespace traincost
