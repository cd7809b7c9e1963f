// `traincost export launch`: a job as launch files of another framework.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/launch_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

namespace traincost::cli {

namespace {

struct LaunchFlags {
    SaidJob job{};
    LaunchWish launch{};
};

CommandFields fields(LaunchFlags& flags) {
    CommandFields output;
    output.text("-o,--out", flags.launch.folder, "FOLDER|-",
                "Folder for the files; default, or -: one script on standard output");
    output.toggle("--json", flags.launch.json, "JSON output: files, and fields they cannot state");
    return file_fields(flags.job)
        .add(launch_format_fields(flags.launch.format, true))
        .add(fields_of(flags.job))
        .add(output, "Output");
}

void run(LaunchFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    ReadDraft read = read_draft(flags.job, sources);
    say_all(context, "assumed ", take_stack_of(flags.launch.format, sources.catalogue(), read.draft));
    const ResolvedJob resolved = resolve(read.draft, sources);
    say_all(context, "contradiction: ", read.notes.contradictions);
    say_all(context, "not understood: ", read.notes.unread);
    say_all(context, "assumed ", to_text(resolved.assumptions));
    write_launch(flags.launch, resolved.job, sources, context);
}

}  // namespace

void add_launch(CLI::App& command, Context& context) {
    declare<LaunchFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
