#include <cli/commands/export_launch.hpp>

#include <cli/job_flags.hpp>
#include <cli/launch_output.hpp>
#include <cli/options.hpp>
#include <traincost/ask/resolve.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    LaunchOutput output;
};

void run_launch(const Flags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    ReadDraft read = read_draft_of(flags.job, sources);
    take_stack(flags.output, sources.catalogue(), read.draft, context);
    const ResolvedJob resolved = resolve(read.draft, sources);
    for (const std::string& line : read.notes.contradictions) {
        context.err << "traincost: contradiction: " << line << '\n';
    }
    for (const std::string& line : read.notes.unread) {
        context.err << "traincost: not understood: " << line << '\n';
    }
    for (const std::string& assumption : to_text(resolved.assumptions)) {
        context.err << "traincost: assumed " << assumption << '\n';
    }
    print_launch_files(flags.output, resolved.job, sources.catalogue(), context);
}

}  // namespace

void add_export_launch(CLI::App& parent, Context& context) {
    CLI::App* command = parent.add_subcommand(
        "launch", "Launch files of another framework, and the command that starts them");
    const auto flags = std::make_shared<Flags>();
    add_file_options(*command, flags->job);
    add_launch_format(*command, flags->output);
    command->get_option("--to")->required();
    name_group(*command, own_group);
    add_job_options(*command, flags->job);
    command
        ->add_option("-o,--out", flags->output.folder,
                     "Folder of the files; default, and -: one script on the standard output")
        ->type_name("FOLDER|-");
    command->add_flag("--json", flags->output.json, "Print files, and what they do not say, as JSON");
    name_group(*command, "Output");
    command->callback([flags, &context] { run_launch(*flags, context); });
}

}  // namespace traincost::cli
