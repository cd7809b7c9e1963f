#include <algorithm>

#include "traincost/base/flag_values.hpp"
#include "traincost/export/exporters.hpp"
#include "traincost/report/commands/command_tree.hpp"
#include "traincost/report/commands/question_fields.hpp"
#include "traincost/spec/draft/job_fields.hpp"
#include "traincost/spec/draft/job_values.hpp"

namespace traincost {

namespace {

const char* title_of(FieldGroup group) {
    switch (group) {
        case FieldGroup::job:
            return "Job";
        case FieldGroup::numerics:
            return "Precision and kernels";
        case FieldGroup::parallelism:
            return "Parallelism";
        case FieldGroup::operation:
            return "Operation";
        case FieldGroup::network:
            break;
    }
    return "Network";
}

/// Between each two of them `separator`.
template <class Names>
std::string joined_names(const Names& names, const char* separator) {
    std::string text;
    for (const auto& name : names) {
        text += (text.empty() ? "" : separator) + std::string(name);
    }
    return text;
}

std::vector<std::string> format_words(Charts charts, Pages pages) {
    std::vector<std::string> names(format_names().begin(), format_names().end());
    if (charts == Charts::yes) {
        names.emplace_back("svg");
    }
    if (pages == Pages::yes) {
        names.emplace_back("html");
    }
    return names;
}

std::string format_meaning(bool drawn, bool paged) {
    const std::string words = "Output format: text table, CSV";
    if (drawn) {
        return words + ", Markdown" + (paged ? ", SVG chart or HTML page" : ", or SVG chart");
    }
    return words + (paged ? ", Markdown or HTML page" : " or Markdown");
}

std::string launch_format_from(const std::string& text) {
    std::vector<std::string> names;
    for (const ExportFormat& format : export_formats()) {
        names.emplace_back(format.name);
    }
    if (std::find(names.begin(), names.end(), text) == names.end()) {
        throw Error(ErrorKind::usage, "unknown value '" + text + "'; allowed: " + joined_names(names, ", ") +
                                          did_you_mean(text, names));
    }
    return text;
}

}  // namespace

CommandFields fields_of(OutputWish& wish, Charts charts, Pages pages) {
    const std::vector<std::string> words = format_words(charts, pages);
    const auto set = [&wish, words](const std::string& text) {
        if (std::find(words.begin(), words.end(), text) == words.end()) {
            throw Error(ErrorKind::usage, "unknown value '" + text + "'; allowed: " +
                                              joined_names(words, ", ") + did_you_mean(text, words));
        }
        wish.svg = text == "svg";
        wish.html = text == "html";
        wish.format = format_from(text).value_or(Format::table);
    };
    CommandFields fields;
    fields.toggle("--json", wish.json, "JSON output: base units, full resolved input");
    fields
        .add({"--format", joined_names(words, "|"),
              format_meaning(charts == Charts::yes, pages == Pages::yes), set})
        .excludes = "--json";
    if (pages == Pages::yes) {
        fields.text("-o,--output", wish.file, "FILE", "File for the HTML page; default: standard output");
    }
    return CommandFields().add(fields, "Output");
}

CommandFields fields_of(SaidJob& job) {
    CommandFields fields;
    fields.text("--job", job.file, "FILE|-", "Job file (JSON); other flags override it").group =
        title_of(FieldGroup::job);
    for (const JobField& field : job_fields()) {
        if (!field.flag.empty()) {
            const bool toggle = field.type.empty();
            const auto say = [&job, &field, toggle](const std::string& text) {
                field.parse(job.said, toggle ? "on" : text, std::string(field.flag));
            };
            fields.add({std::string(field.flag), std::string(field.type), std::string(field.help), say})
                .group = title_of(field.group);
        }
    }
    return fields;
}

CommandFields fields_of(EstimateView& view) {
    CommandFields fields;
    fields.toggle("-v,--verbose", view.verbose,
                  "All tables: memory, time, computation, communication by kind of collective and pass, the "
                  "timeline's numbers, stack constants, assumptions; default: the summary only");
    return fields.add(fields_of(view.output, Charts::no, Pages::yes));
}

CommandFields file_fields(SaidJob& job) {
    CommandFields fields;
    fields.texts("FILE", job.files, "TEXT",
                 "Launch files of other frameworks, job files and models, in any order; flags override them");
    fields.text("--select", job.select, "NAME",
                "Job to take, if the files describe several: a function, or a branch of a script");
    return fields;
}

CommandFields fields_of(ReadQuestion& question) {
    CommandFields fields;
    fields
        .texts("FILE", question.files, "TEXT",
               "Launch files of one job in any order, or parts of one training log in order; - is "
               "standard input")
        .required = true;
    fields.text("--select", question.select, "NAME",
                "Job to take, if the files describe several: a function, or a branch of a script");
    return fields;
}

CommandFields launch_format_fields(std::string& format, bool required) {
    std::vector<std::string_view> names;
    for (const ExportFormat& each : export_formats()) {
        names.push_back(each.name);
    }
    CommandFields fields;
    fields
        .value("--to", format, joined_names(names, "|"), launch_format_from,
               "Print the job as launch files of this framework")
        .required = required;
    return fields;
}

}  // namespace traincost
