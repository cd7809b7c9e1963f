#include "traincost/capi/commands.hpp"

#include <array>
#include <utility>

#include "traincost/ask/questions/catalogue_question.hpp"
#include "traincost/ask/questions/days_question.hpp"
#include "traincost/ask/questions/estimate_question.hpp"
#include "traincost/ask/questions/params_question.hpp"
#include "traincost/base/flag_values.hpp"
#include "traincost/base/text.hpp"
#include "traincost/capi/page_answers.hpp"
#include "traincost/capi/question_members.hpp"
#include "traincost/report/answers/days_answer.hpp"
#include "traincost/report/answers/params_answer.hpp"
#include "traincost/report/methods/method_form.hpp"
#include "traincost/report/render.hpp"
#include "traincost/report/tables/catalogue_tables.hpp"
#include "traincost/report/tables/record_tables.hpp"

namespace traincost {

namespace {

/// The published calculators and their fields.
std::string method_fields() {
    JsonWriter out;
    out.begin_object().member("schema_version", 1).key("methods").begin_array();
    for (const Method& method : methods()) {
        out.begin_object().member("name", method.name).member("summary", method.summary);
        out.key("fields").begin_array();
        for (const MethodField& field : method.form().fields) {
            out.begin_object().member("key", field.flag.substr(2)).member("flag", field.flag);
            out.member("kind", field.type.empty() ? "switch" : "value").member("type", field.type);
            out.member("help", field.help).end_object();
        }
        out.end_array().end_object();
    }
    out.end_array().end_object();
    return out.text();
}

}  // namespace

std::string answer_fields(JsonObject& object, const Sources&) {
    object.finish();
    return fields_answer();
}

std::string answer_read(JsonObject& object, const Sources& sources) {
    std::vector<LaunchFile> files;
    for (const JsonNode& node : object.at("files").items())
        files.push_back(node.is_string() ? LaunchFile{node.string(), sources.text_of(node.string())}
                                         : file_in(node));
    const auto select = object.find("select");
    const std::string name = select ? select->string() : "";
    object.finish();
    if (files.empty())
        throw Error(ErrorKind::usage, "files: is empty");
    return read_answer(files, name, sources);
}

std::string answer_scale(JsonObject& object, const Sources&) {
    const Flops compute{parse_number(flag_text(object.at("flops")), Range::positive)};
    object.finish();
    return scale_answer(compute);
}

std::string answer_params(JsonObject& object, const Sources& sources) {
    ParamsQuestion question{.model = object.at("model").string()};
    const std::pair<std::string_view, std::int64_t ParamsQuestion::*> degrees[] = {
        {"tp", &ParamsQuestion::tp},
        {"pp", &ParamsQuestion::pp},
        {"vp", &ParamsQuestion::vp},
        {"ep", &ParamsQuestion::ep},
        {"etp", &ParamsQuestion::etp}};
    for (const auto& [key, degree] : degrees)
        take(object, key, question.*degree, positive_count);
    object.finish();
    return text_of(ask(question, sources));
}

/// A published calculator's own output: its fields are the members.
std::string answer_method(JsonObject& object, const Sources& sources) {
    constexpr std::array<std::string_view, 1> formats = {"table"};
    const auto name = object.find("method");
    if (!name) {
        object.finish();
        return method_fields();
    }
    const auto format = object.find("format");
    if (format)
        format->one_of(formats);
    MethodForm form = method_named(name->string()).form();
    for (const MethodField& field : form.fields) {
        if (const auto node = object.find(std::string_view(field.flag).substr(2)))
            field.set(field.type.empty() ? (node->boolean() ? "true" : "false") : list_text(*node));
    }
    object.finish();
    const MethodAnswer answer = form.answer(sources);
    if (!format)
        return json_of(answer);
    JsonWriter out;
    out.begin_object().member("schema_version", 1).member("yes", answer.yes);
    out.member("text", render(answer, Format::table, TextStyle{})).end_object();
    return out.text();
}

std::string answer_days(JsonObject& object, const Sources& sources) {
    DaysQuestion question;
    take(object, "params", question.parameters, positive_parameters);
    take(object, "tokens", question.tokens, positive_parameters);
    take(object, "gpus", question.gpus, positive_count);
    take(object, "gpu", question.gpu, [](const std::string& text) { return text; });
    take(object, "tflops", question.tflops, positive_number);
    take(object, "mfu", question.mfu,
         [](const std::string& text) { return parse_fraction(text, Range::positive); });
    take(object, "seq", question.sequence, positive_count);
    take(object, "global-batch", question.global_batch, positive_count);
    object.finish();
    return text_of(ask(question, sources));
}

std::string answer_list(JsonObject& object, const Sources& sources) {
    ListQuestion question;
    if (const auto kind = object.find("kind"))
        question.kind = kind->string();
    if (const auto filter = object.find("filter"))
        question.filter = filter->string();
    object.finish();
    return text_of(ask(question, sources), sources.catalogue());
}

std::string answer_show(JsonObject& object, const Sources& sources) {
    ShowQuestion question{.name = object.at("name").string()};
    if (const auto kind = object.find("kind"))
        question.kind = kind->string();
    object.finish();
    return text_of(ask(question, sources), sources.catalogue());
}

}  // namespace traincost
