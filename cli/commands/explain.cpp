// `traincost explain`: the derivation of one printed number.

#include <cli/commands/commands.hpp>
#include <cli/job_flags.hpp>
#include <cli/output_options.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/explain/explain_answer.hpp>
#include <traincost/report/explain/explanation.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct ExplainFlags {
    std::string item;
    JobFlags job;
    OutputFlags output;
};

/// Whether any flag of a job was given.
bool names_job(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name(false, true);
        const bool of_job = name != "ITEM" && name.find("--json") == name.npos &&
                            name.find("--format") == name.npos && name.find("--help") == name.npos;
        if (of_job && option->count() > 0) {
            return true;
        }
    }
    return false;
}

void run_explain(const ExplainFlags& flags, bool with_job, Context& context) {
    if (!flags.item.empty()) {
        explanation_of(flags.item);  // a wrong name is said before anything about the job
    }
    const Sources sources(context.data_folder, &context.in);
    ExplainQuestion question{.item = flags.item, .job = {}};
    if (with_job) {
        question.job = draft_of(flags.job, sources);
    }
    const ExplainAnswer answer = ask(question, sources);
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, answer, sources.catalogue());
        context.out << out.text();
    } else {
        context.out << render(explain_tables(answer, sources.catalogue()), flags.output.format,
                              context.style);
    }
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("explain", "Derivation of a number: equation, symbols with values, sources");
    const auto flags = std::make_shared<ExplainFlags>();
    command->add_option("ITEM", flags->item, "memory.weights, step.bubble, ...; without it, all items");
    add_job_options(*command, flags->job);
    add_output_options(*command, flags->output);
    command->callback([flags, command, &context] { run_explain(*flags, names_job(*command), context); });
}

}  // namespace traincost::cli
