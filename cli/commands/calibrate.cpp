#include <cli/commands/commands.hpp>
#include <cli/commands/kernel_calibration.hpp>
#include <cli/commands/kernel_tables.hpp>
#include <cli/commands/record_files.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/fit/calibrate.hpp>
#include <traincost/io/calibration_json.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/record_catalogue.hpp>
#include <traincost/report/table.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>

namespace traincost::cli {

namespace {

struct Options {
    std::vector<std::string> files;
    std::vector<std::string> stacks;
    CalibrationOptions fit;
    std::string out;
    std::string accelerator;
    std::string date = "unstated";
    std::string cross_validate;
    bool json = false;
};

void require_constants(const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    for (const StackConstant& constant : stack_constants())
        known.push_back(constant.name);
    for (const std::string& name : names)
        one_of("--constants", name, known);
}

Cell error_cell(const ErrorStatistics& errors) {
    return percent_cell(errors.mape);
}

std::vector<Table> tables_of(const std::vector<Calibration>& calibrations) {
    Table errors{.title = "Mean |error|",
                 .columns = {"stack", "of", "n", "before", "fitted", "held out", "bias held out"}};
    Table fitted{.title = "Constants", .columns = {"stack", "constant", "before", "after", "+-", ""}};
    for (const Calibration& c : calibrations) {
        errors.rows.push_back({text_cell(c.stack), text_cell(c.to == Fitted::time ? "time" : "memory"),
                               count_cell(c.fitted.n), error_cell(c.before), error_cell(c.fitted),
                               error_cell(c.held_out), percent_cell(c.held_out.bias)});
        for (const FittedConstant& constant : c.constants) {
            if (constant.bound) {
                fitted.rows.push_back({text_cell(c.stack), text_cell(constant.constant->name),
                                       number_cell(constant.before), number_cell(constant.after),
                                       number_cell(constant.standard_error),
                                       text_cell(constant.at_bound ? "at the end of its range" : "")});
            }
        }
    }
    fitted.remarks = {"Constants on which the records have no bearing are left out and as they were."};
    return {errors, fitted};
}

/// One stack record each, below FOLDER/stacks.
void write_records(const Options& options, const std::vector<Calibration>& calibrations,
                   std::span<const SourcedRecord> records, const Catalogue& catalogue, Context& context) {
    const std::filesystem::path folder = std::filesystem::path(options.out) / "stacks";
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    std::map<std::string, std::vector<Calibration>> by_stack;
    for (const Calibration& c : calibrations)
        by_stack[c.stack].push_back(c);
    for (const auto& [stack, of_stack] : by_stack) {
        std::set<std::string> sources;
        for (const SourcedRecord& record : records) {
            if (record.record.run.stack == stack)
                sources.insert(record.source);
        }
        std::string names;
        for (const std::string& source : sources)
            names += (names.empty() ? "" : ", ") + source;
        const std::string id = catalogue.id(Room::stacks, stack);
        const std::string path = (folder / (id + ".json")).string();
        write_file(path, calibrated_stack_record(catalogue.document(Room::stacks, stack), of_stack, names));
        context.err << "traincost: " << path << " written\n";
    }
}

void run_calibrate(const Options& options, Context& context) {
    const Catalogue catalogue(context.data_folder);
    if (are_kernel_files(options.files)) {
        require_unused(
            {{"--stack", !options.stacks.empty()}, {"--constants", !options.fit.constants.empty()}});
        constexpr std::array<std::string_view, 1> groups = {"accelerator"};
        if (!options.cross_validate.empty())
            one_of("--cross-validate", options.cross_validate, groups);
        calibrate_kernels({options.files, options.accelerator, options.out, options.date,
                           !options.cross_validate.empty(), options.json},
                          catalogue, context);
        return;
    }
    require_constants(options.fit.constants);
    std::vector<SourcedRecord> records = read_record_files(options.files, context);
    if (!options.stacks.empty()) {
        std::erase_if(records, [&](const SourcedRecord& record) {
            return std::find(options.stacks.begin(), options.stacks.end(), record.record.run.stack) ==
                   options.stacks.end();
        });
    }
    const RecordCatalogue look_up = record_catalogue(catalogue);
    const std::vector<Calibration> calibrations = calibrate(
        records, [&](const RunRecord& record) { return job_of(record, look_up); }, options.fit);
    if (calibrations.empty()) {
        context.err << "traincost: no stack has " << options.fit.least_records << " records to fit to\n";
        context.exit_code = exit_no;
    }
    if (!options.out.empty())
        write_records(options, calibrations, records, catalogue, context);
    if (options.json)
        context.out << calibration_json(calibrations);
    else if (!calibrations.empty())
        context.out << to_text(tables_of(calibrations));
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand(
        "calibrate", "Fit stack constants to measured runs, kernel models to measured kernels");
    const auto options = std::make_shared<Options>();
    command->add_option("FILE", options->files, "Run records, or measured products and collectives")
        ->required();
    command->add_option("--stack", options->stacks, "Only this stack; may be given again")
        ->type_name("STACK")
        ->take_all();
    command->add_option("--constants", options->fit.constants, "Only these constants")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    command->add_option("--least", options->fit.least_records, "Records a stack needs")->type_name("N");
    command->add_option("--most", options->fit.most_records, "Records of a stack that are used")
        ->type_name("N");
    command
        ->add_option("--accelerator", options->accelerator, "Whose kernels: where files say none or several")
        ->type_name("ID");
    command->add_option("--date", options->date, "Date to write beside fitted kernels")->type_name("DATE");
    command
        ->add_option("--cross-validate", options->cross_validate,
                     "Only the error with each group left out: accelerator")
        ->type_name("BY");
    command
        ->add_option("--out", options->out,
                     "Write stacks/ and bench/ records below FOLDER, for --data FOLDER")
        ->type_name("FOLDER");
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([options, &context] { run_calibrate(*options, context); });
}

}  // namespace traincost::cli
