// `traincost export WHAT`: a job as a file for another program.

#include <cli/commands/commands.hpp>
#include <cli/commands/export_bench.hpp>
#include <cli/commands/export_launch.hpp>
#include <cli/job_options.hpp>
#include <cli/network_options.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/sheets/workbook_file.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    JobFlags job;
    NetworkFlags network;
    std::string file;
};

void run_sheet(const Flags& flags, Context& context) {
    const Catalogue catalogue(context.data_folder);
    ResolvedJob resolved = resolve_job(flags.job, catalogue, context);
    apply_network(flags.network, resolved.job, resolved.assumptions);
    if (!flags.file.ends_with(".xlsx")) {
        throw Error(ErrorKind::usage, "--output: '" + flags.file + "' must end in .xlsx");
    }
    const Estimate e = estimate(resolved.job);
    write_workbook(flags.file, workbook_of(resolved.job, e));
    context.exit_code = e.fits ? exit_yes : exit_no;
    context.out << flags.file << ": sheets Input, Memory, Step, Results, Output\n";
}

void add_sheet(CLI::App& parent, Context& context) {
    CLI::App* command =
        parent.add_subcommand("sheet", "Spreadsheet (.xlsx) of one configuration, with live formulas");
    const auto flags = std::make_shared<Flags>();
    command->add_option("--output", flags->file, "File to write, ending in .xlsx")
        ->type_name("FILE")
        ->required();
    add_job_options(*command, flags->job);
    add_network_options(*command, flags->network);
    command->callback([flags, &context] { run_sheet(*flags, context); });
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("export", "Job as a file for another program");
    command->require_subcommand(0, 1);
    command->callback([command] {
        if (command->get_subcommands().empty()) {
            throw Error(ErrorKind::usage, "export: no format; formats: bench, launch, sheet");
        }
    });
    add_export_bench(*command, context);
    add_export_launch(*command, context);
    add_sheet(*command, context);
}

}  // namespace traincost::cli
