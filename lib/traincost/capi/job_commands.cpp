#include "traincost/capi/commands.hpp"

#include <array>
#include <utility>

#include "traincost/ask/questions/achieved_question.hpp"
#include "traincost/ask/questions/compare_question.hpp"
#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/questions/explain_question.hpp"
#include "traincost/ask/questions/sweep_question.hpp"
#include "traincost/ask/questions/timeline_question.hpp"
#include "traincost/base/flag_values.hpp"
#include "traincost/base/text.hpp"
#include "traincost/capi/page_answers.hpp"
#include "traincost/capi/question_members.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/import/logs/recordings/recording_files.hpp"
#include "traincost/io/answers/sweep_json.hpp"
#include "traincost/io/answers/timeline_json.hpp"
#include "traincost/report/answers/achieved_answer.hpp"
#include "traincost/report/answers/estimate_answer.hpp"
#include "traincost/report/answers/launch_answer.hpp"
#include "traincost/report/explain/explain_answer.hpp"
#include "traincost/report/explain/explanation.hpp"
#include "traincost/report/workbook.hpp"

namespace traincost {

namespace {

/// A recorded step instead of a job's.
std::string answer_recording(JsonObject& object, const JsonNode& from) {
    JsonObject file(from);
    const std::string name = file.at("name").string();
    std::vector<RecordedStep> steps;
    if (const auto cells = file.find("cells")) {
        steps.push_back(step_of_output_sheet(numbers_in(*cells), name));
    } else {
        steps = read_recorded_text(file.at("text").string(), name);
    }
    file.finish();
    const auto iteration = object.find("iteration");
    const std::size_t picked = picked_step(steps, iteration ? flag_text(*iteration) : "median");
    object.finish();
    JsonWriter out;
    write_recording(out, name, steps, picked);
    return out.text();
}

}  // namespace

std::string answer_estimate(JsonObject& object, const Sources& sources) {
    ReadDraft read = draft_of(object, sources);
    object.finish();
    return text_of(ask(EstimateQuestion{std::move(read.draft), std::move(read.notes), true}, sources));
}

std::string answer_timeline(JsonObject& object, const Sources& sources) {
    if (const auto from = object.find("from"))
        return answer_recording(object, *from);
    const ReadDraft read = draft_of(object, sources);
    bool lanes = false;
    take_switch(object, "lanes", lanes);
    object.finish();
    const TimelineAnswer answer = ask(TimelineQuestion{read.draft}, sources);
    if (!lanes)
        return text_of(answer);
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    write_lane_members(out, answer.line, answer.lanes);
    out.end_object();
    return out.text();
}

std::string answer_sweep(JsonObject& object, const Sources& sources) {
    SweepQuestion question;
    JobDraft job{};
    const JobInput input = input_of(object, sources, job);
    question.file = overlaid(files_of(input, sources).draft, job);
    question.said = input.said;
    question.axes = sweep_axes(object.at("vary").strings());
    question.weighs_unstated = true;
    object.finish();
    const SweepAnswer answer = ask(question, sources);
    return sweep_json(answer.axes, answer.points, answer.sure, std::nullopt);
}

std::string answer_compare(JsonObject& object, const Sources& sources) {
    CompareQuestion question;
    for (const JsonNode& node : object.at("jobs").items()) {
        JsonObject job(node);
        const auto name = job.find("name");
        const std::string called = name ? name->string() : std::to_string(question.jobs.size() + 1);
        question.jobs.push_back({called, draft_of(job, sources).draft});
        job.finish();
    }
    object.finish();
    return text_of(ask(question, sources));
}

std::string answer_explain(JsonObject& object, const Sources& sources) {
    const ReadDraft read = draft_of(object, sources);
    ExplainQuestion question{};
    if (const auto item = object.find("item"))
        question.item =
            explanation_of(item->string()).item;  // a wrong name is said before anything of the job
    if (read.draft != JobDraft{})
        question.job = read.draft;
    take_switch(object, "operators", question.operators);
    object.finish();
    return text_of(ask(question, sources), sources.catalogue());
}

std::string answer_achieved(JsonObject& object, const Sources& sources) {
    AchievedQuestion question;
    question.job = draft_of(object, sources).draft;
    take(object, "step-time", question.step_time,
         [](const std::string& text) { return parse_duration(text, Range::positive); });
    take(object, "tokens-per-s", question.tokens_per_s, positive_number);
    take(object, "tokens-per-s-per-gpu", question.tokens_per_s_per_gpu, positive_number);
    take(object, "samples-per-s", question.samples_per_s, positive_number);
    take(object, "tokens-done", question.tokens_done,
         [](const std::string& text) { return static_cast<double>(positive_count(text)); });
    if (const auto log = object.find("log")) {
        const LaunchFile file =
            log->is_string() ? LaunchFile{log->string(), sources.text_of(log->string())} : file_in(*log);
        question.log = log_of(file);
        question.log_name = file.name;
    }
    object.finish();
    return text_of(ask(question, sources));
}

std::string answer_export(JsonObject& object, const Sources& sources) {
    const std::string format = object.at("to").string();
    const ReadDraft read = draft_of(object, sources);
    object.finish();
    const Job job = resolve(read.draft, sources).job;
    JsonWriter out;
    write_json(out, format, export_launch(format, job, checkpoint_of(job, sources.catalogue())));
    return out.text();
}

std::string answer_sheet(JsonObject& object, const Sources& sources) {
    const ReadDraft read = draft_of(object, sources);
    object.finish();
    const Job job = resolve(read.draft, sources).job;
    return text_of(workbook_of(job, estimate(job)));
}

std::string answer_report(JsonObject& object, const Sources& sources) {
    constexpr std::array<std::string_view, 1> pages = {"estimate"};
    if (const auto of = object.find("of"))
        of->one_of(pages);
    const ReadDraft read = draft_of(object, sources);
    object.finish();
    return report_answer(ask(EstimateQuestion{read.draft, read.notes, true}, sources));
}

std::string answer_methods(JsonObject& object, const Sources& sources) {
    const ReadDraft read = draft_of(object, sources);
    object.finish();
    return methods_answer(ask(EstimateQuestion{read.draft, {}}, sources));
}

}  // namespace traincost
