// `traincost estimate`: one configuration in depth.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/launch_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

namespace traincost::cli {

namespace {

struct EstimateFlags {
    SaidJob job{};
    EstimateView view{};
    std::string launch{};
};

CommandFields fields(EstimateFlags& flags) {
    return file_fields(flags.job)
        .add(fields_of(flags.job))
        .add(fields_of(flags.view))
        .add(launch_format_fields(flags.launch), "Output");
}

void run(EstimateFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    ReadDraft read = read_draft(flags.job, sources);
    say_all(context, "assumed ", take_stack_of(flags.launch, sources.catalogue(), read.draft));
    const EstimateQuestion question{std::move(read.draft), std::move(read.notes), true, flags.view.verbose};
    const EstimateAnswer answer = ask(question, sources);
    say_never_ends(context, answer.never_ends);
    context.answer(answer.yes());
    if (!flags.launch.empty()) {
        write_launch({flags.launch, {}, flags.view.output.json}, answer.job, sources, context);
        return;
    }
    print(printed_answer(answer, flags.view), flags.view.output, context);
}

}  // namespace

void add_estimate(CLI::App& command, Context& context) {
    declare<EstimateFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
