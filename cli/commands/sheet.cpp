// `traincost export sheet`: a job as a spreadsheet.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/sheets/workbook_file.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct SheetFlags {
    SaidJob job{};
    std::string file{};
};

CommandFields fields(SheetFlags& flags) {
    CommandFields fields;
    fields.text("--output", flags.file, "FILE", "File to write, ending in .xlsx").required = true;
    return fields.add(fields_of(flags.job));
}

void run(SheetFlags& flags, Context& context) {
    const Sources sources(context.data_folder, &context.in);
    const ResolvedJob resolved = resolve(draft_of(flags.job, sources), sources);
    if (!flags.file.ends_with(".xlsx")) {
        throw Error(ErrorKind::usage, "--output: '" + flags.file + "' must end in .xlsx");
    }
    const Estimate e = estimate(resolved.job);
    write_workbook(flags.file, workbook_of(resolved.job, e));
    context.answer(e.fits);
    context.out << flags.file << ": sheets Input, Memory, Step, Results, Output\n";
}

}  // namespace

void add_sheet(CLI::App& command, Context& context) {
    declare<SheetFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
