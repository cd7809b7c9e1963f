// `traincost check`: valid files go to the output, the problems of the others into one error.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <traincost/report/answers/check_answer.hpp>
#include <traincost/report/printed_answer.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct CheckFlags {
    std::vector<std::string> files{};
    bool json = false;
};

CommandFields fields(CheckFlags& flags) {
    CommandFields fields;
    fields
        .texts("FILE", flags.files, "TEXT",
               "Catalogue records, run records (.jsonl), Hugging Face configs, or a folder of overrides")
        .required = true;
    fields.toggle("--json", flags.json, "Print JSON");
    return fields;
}

void run(CheckFlags& flags, Context& context) {
    const std::vector<CheckedFile> files =
        check_files(flags.files, Sources(context.data_folder, &context.in));
    const std::vector<Problem> problems = problems_of(files);
    if (flags.json) {
        context.out << json_text(files);
        context.exit_code = problems.empty() ? exit_yes : exit_usage;
        return;
    }
    context.out << valid_files_text(files);
    throw_if_any(problems);
}

}  // namespace

void add_check(CLI::App& command, Context& context) {
    declare<CheckFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
