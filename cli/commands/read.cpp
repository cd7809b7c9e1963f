// `traincost read`: what the launch files and training logs of other frameworks say.

#include <cli/commands/commands.hpp>
#include <cli/output_options.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/import/importers.hpp>
#include <traincost/import/logs/log_reader.hpp>
#include <traincost/import/logs/training_log_json.hpp>
#include <traincost/import/reading_json.hpp>
#include <traincost/import/recognise.hpp>
#include <traincost/io/json.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/report/tables/estimate_tables.hpp>
#include <traincost/report/tables/training_log_tables.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <istream>
#include <iterator>
#include <memory>
#include <ostream>
#include <sstream>

namespace traincost::cli {

namespace {

struct Flags {
    std::vector<std::string> files;
    std::string select;
    OutputFlags output;
};

LaunchFile file_of(const std::string& name, Context& context) {
    if (name != "-") {
        return {name, read_text_file(name)};
    }
    std::string text(std::istreambuf_iterator<char>(context.in), {});
    return {"standard input", std::move(text)};
}

std::vector<Table> launch_tables(const LaunchReading& reading) {
    Table facts{.title = "Read as " + reading.format,
                .columns = {"fact", "value", "how", "where"},
                .rows = {},
                .remarks = {}};
    for (const auto& [fact, stated] : reading.facts) {
        facts.rows.push_back({text_cell(std::string(fact_name(fact))), text_cell(to_text(stated.value)),
                              text_cell(std::string(how_name(stated.how))), text_cell(stated.where)});
    }
    std::vector<Table> tables = {std::move(facts)};
    if (!reading.contradictions.empty()) {
        tables.push_back(remarks_table("Contradictions", reading.contradictions));
    }
    std::vector<std::string> matters;
    std::string ignored;
    for (const UnreadSetting& unread : reading.unread) {
        if (unread.matters) {
            matters.push_back(unread.where + " " + unread.key +
                              (unread.why.empty() ? "" : ": " + unread.why));
        } else {
            ignored += (ignored.empty() ? "" : ", ") + unread.key;
        }
    }
    if (!matters.empty()) {
        tables.push_back(remarks_table("Not understood, and may change memory or time", matters));
    }
    if (!ignored.empty()) {
        tables.push_back(remarks_table("Ignored", std::vector<std::string>{ignored}));
    }
    return tables;
}

/// Whether the name of a file says that it holds a log, or that it holds something else.
enum class NameSays : std::uint8_t { log, settings, nothing };

NameSays name_says(const std::string& file) {
    const std::string extension = lower(std::filesystem::path(file).extension().string());
    constexpr std::array logs = {".log", ".out", ".err", ".jsonl"};
    constexpr std::array settings = {".yaml", ".yml",   ".json",   ".toml", ".sh",
                                     ".py",   ".slurm", ".sbatch", ".cfg"};
    if (std::find(logs.begin(), logs.end(), extension) != logs.end()) {
        return NameSays::log;
    }
    return std::find(settings.begin(), settings.end(), extension) != settings.end() ? NameSays::settings
                                                                                    : NameSays::nothing;
}

void print_log(const TrainingLog& log, const Flags& flags, Context& context) {
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, log);
        context.out << out.text();
        return;
    }
    context.out << render(tables_of(log, flags.files.front()), flags.output.format, context.style);
}

void print_launch(const std::vector<LaunchFile>& files, const Flags& flags, Context& context) {
    const LaunchReading reading = read_launch_files(files, flags.select);
    if (flags.output.json) {
        JsonWriter out;
        write_json(out, reading);
        context.out << out.text();
        return;
    }
    context.out << render(launch_tables(reading), flags.output.format, context.style);
}

/// The files as parts of one log, streamed; nothing where they are none.
std::optional<TrainingLog> log_in(const std::vector<std::string>& files) {
    try {
        return read_training_logs(files);
    } catch (const Error&) {
        return std::nullopt;
    }
}

void run_read(const Flags& flags, Context& context) {
    const bool from_input = std::find(flags.files.begin(), flags.files.end(), "-") != flags.files.end();
    const NameSays says = from_input ? NameSays::nothing : name_says(flags.files.front());
    if (says == NameSays::log) {
        print_log(read_training_logs(flags.files), flags, context);
        return;
    }
    if (says == NameSays::nothing && !from_input) {
        if (const std::optional<TrainingLog> log = log_in(flags.files)) {
            print_log(*log, flags, context);
            return;
        }
    }
    std::vector<LaunchFile> files;
    for (const std::string& name : flags.files) {
        files.push_back(file_of(name, context));
    }
    if (from_input && files.size() == 1) {
        std::istringstream text(files.front().text);
        if (const std::optional<TrainingLog> log = read_training_log(text)) {
            print_log(*log, flags, context);
            return;
        }
    }
    try {
        print_launch(files, flags, context);
    } catch (const Error&) {
        const std::optional<TrainingLog> log =
            says == NameSays::settings ? log_in(flags.files) : std::nullopt;
        if (!log) {
            throw;
        }
        print_log(*log, flags, context);
    }
}

}  // namespace

void add_read(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("read", "Facts that launch files and training logs of other frameworks state");
    const auto flags = std::make_shared<Flags>();
    command
        ->add_option("FILE", flags->files,
                     "Launch files of one job in any order, or parts of one training log in theirs; - is "
                     "standard input")
        ->required();
    command
        ->add_option("--select", flags->select,
                     "Name of one job where the files describe several: a function, a branch of a script")
        ->type_name("NAME");
    add_output_options(*command, flags->output);
    command->callback([flags, &context] { run_read(*flags, context); });
}

}  // namespace traincost::cli
