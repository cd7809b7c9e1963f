// `traincost guide`: a job asked for question by question, answered by the command that a user would type.

#include <cli/app.hpp>
#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/menu.hpp>
#include <traincost/report/commands/question_fields.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct GuideFlags {
    GuideAnswers said{};
    bool dry_run = false;
};

CommandFields fields(GuideFlags& flags) {
    CommandFields fields = fields_of(flags.said);
    fields.toggle("--dry-run", flags.dry_run, "Print the command without running it");
    return fields;
}

void run(GuideFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    Menu menu(context);
    std::vector<std::string> command =
        guide_command(guide_answers(flags.said, sources, [&](const GuideStep& step) {
            return step.choices.empty() ? menu.text(step, sources) : menu.choose(step);
        }));
    context.out << command_text(command) << "\n";
    if (flags.dry_run) {
        return;
    }
    context.out << "\n";
    if (!context.data_folder.empty()) {
        command.insert(command.begin(), {"--data", context.data_folder});
    }
    context.exit_code = cli::run(command, context.in, context.out, context.err, context.style);
}

}  // namespace

void add_guide(CLI::App& command, Context& context) {
    declare<GuideFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
