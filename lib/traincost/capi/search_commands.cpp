#include "traincost/capi/commands.hpp"

#include "traincost/ask/questions/plan_question.hpp"
#include "traincost/ask/questions/recommend_question.hpp"
#include "traincost/ask/questions/search_dimensions.hpp"
#include "traincost/base/flag_values.hpp"
#include "traincost/base/text.hpp"
#include "traincost/capi/question_members.hpp"
#include "traincost/report/answers/recommend_answer.hpp"
#include "traincost/report/tables/plan_tables.hpp"
#include "traincost/spec/draft/job_values.hpp"

namespace traincost {

namespace {

SearchQuestion search_of(JsonObject& object, const Sources& sources) {
    SearchQuestion question;
    JobDraft job{};
    const JobInput input = input_of(object, sources, job, true);
    const ReadDraft read = files_of(input, sources);
    question.job = overlaid(overlaid(read.draft, job), input.said);
    question.said = input.said;
    question.of_file = !input.files.empty() || !input.inlined.empty() || object.find("job").has_value();
    for (const DimensionField& field : dimension_fields()) {
        if (const auto node = object.find(field.flag.substr(2))) {
            try {
                field.say(question.dimensions, list_text(*node));
            } catch (const Error& error) {
                throw at_flag(field.flag, error);
            }
        }
    }
    take(object, "clusters", question.clusters, names_of);
    take(object, "stacks", question.stacks, names_of);
    take(object, "min-gpus", question.min_gpus, positive_count);
    take(object, "max-gpus", question.max_gpus, positive_count);
    take(object, "deadline", question.deadline,
         [](const std::string& text) { return parse_duration(text, Range::positive); });
    take(object, "budget", question.budget,
         [](const std::string& text) { return parse_dollars(text, Range::positive); });
    take(object, "objective", question.objective, objective_from);
    take(object, "top", question.top, positive_count);
    take(object, "threads", question.threads, positive_count);
    take_switch(object, "full-space", question.full_space);
    take_switch(object, "exhaustive", question.exhaustive);
    take_switch(object, "allow-risky", question.allow_risky);
    return question;
}

}  // namespace

std::string answer_plan(JsonObject& object, const Sources& sources) {
    PlanQuestion question;
    JobDraft job{};
    const JobInput input = input_of(object, sources, job);
    const ReadDraft read = files_of(input, sources);
    question.job = overlaid(overlaid(read.draft, job), input.said);
    question.pins = input.said;
    if (const auto top = object.find("top"))
        question.top = top->integer(1);
    if (const auto risky = object.find("allow-risky"))
        question.allow_risky = risky->boolean();
    object.finish();
    return text_of(ask(question, sources), sources.residuals());
}

std::string answer_recommend(JsonObject& object, const Sources& sources) {
    RecommendQuestion question{.search = search_of(object, sources)};
    take(object, "tie", question.tie, [](const std::string& text) { return parse_fraction(text); });
    take_switch(object, "each-cluster", question.each_cluster);
    object.finish();
    return text_of(ask(question, sources), sources.residuals());
}

}  // namespace traincost
