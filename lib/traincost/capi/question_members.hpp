// The members of a question that several commands share.
#pragma once

#include <string>
#include <string_view>

#include "traincost/ask/job_input.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/base/error.hpp"
#include "traincost/capi/member_text.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// Sets `target` to what `parse` makes of a member's text, if it is there.
template <class Target, class Parse>
void take(JsonObject& object, std::string_view key, Target& target, Parse parse) {
    const auto node = object.find(key);
    if (!node)
        return;
    const std::string flag = "--" + std::string(key);
    try {
        target = parse(list_text(*node));
    } catch (const Error& error) {
        throw at_flag(flag, error);
    }
}

/// Sets `target` to a member that is true or false, if it is there.
void take_switch(JsonObject& object, std::string_view key, bool& target);

/// The members that say something of a job; what a search chooses of is no such member.
JobInput input_of(JsonObject& object, const Sources& sources, JobDraft& job, bool chooses = false);

/// The files of a question, read.
ReadDraft files_of(const JobInput& input, const Sources& sources);

/// The job that a question's files and members say, laid over each other: files, then "job", then members.
ReadDraft draft_of(JsonObject& object, const Sources& sources);

/// An answer as the text of its JSON; `beside` is what writing it needs besides.
template <class Answer, class... Beside>
std::string text_of(const Answer& answer, const Beside&... beside) {
    JsonWriter out;
    write_json(out, answer, beside...);
    return out.text();
}

}  // namespace traincost
