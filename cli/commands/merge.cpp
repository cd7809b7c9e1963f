// `traincost merge`: the answer of a search from its shards' files.

#include <cli/app.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output_options.hpp>
#include <traincost/io/answers/shard_json.hpp>
#include <traincost/io/answers/sweep_json.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace traincost::cli {

namespace {

void merge_sweep(const std::vector<std::string>& files, const std::string& format, Context& context) {
    if (!format.empty()) {
        throw Error(ErrorKind::usage, "--format: the shards of a sweep merge to JSON");
    }
    std::vector<JsonDocument> shards;
    for (const std::string& file : files) {
        shards.push_back(read_json_file(file));
    }
    context.out << merged_sweep(shards);
}

void run_merge(const std::vector<std::string>& files, bool json, const std::string& format,
               Context& context) {
    const JsonDocument first = read_json_file(files.front());
    if (is_sweep(first)) {
        merge_sweep(files, format, context);
        return;
    }
    const ShardFile shard = shard_from_json(JsonNode(first));
    std::vector<std::string> arguments = {"traincost"};
    if (!context.data_folder.empty()) {
        arguments.push_back("--data=" + context.data_folder);
    }
    arguments.emplace_back("recommend");
    arguments.insert(arguments.end(), shard.arguments.begin(), shard.arguments.end());
    const auto absent = [&](const std::string& flag) {
        return std::none_of(shard.arguments.begin(), shard.arguments.end(),
                            [&](const std::string& a) { return a.starts_with(flag); });
    };
    if (json && absent("--json")) {
        arguments.emplace_back("--json");
    }
    if (!format.empty() && absent("--format")) {
        arguments.push_back("--format=" + format);
    }
    for (const std::string& file : files) {
        arguments.push_back("--from-shard=" + file);
    }
    arguments.erase(arguments.begin());
    context.exit_code = run(arguments, context.in, context.out, context.err);
}

}  // namespace

void add_merge(CLI::App& app, Context& context) {
    CLI::App* command = app.add_subcommand("merge", "Combined answer of a sharded search or sweep");
    struct MergeFlags {
        std::vector<std::string> files;
        OutputFlags output;
    };
    const auto flags = std::make_shared<MergeFlags>();
    command
        ->add_option("files", flags->files,
                     "Output of 'recommend --shard I/N' or 'sweep --json --shard I/N', one file per shard")
        ->required()
        ->type_name("FILE");
    add_output_options(*command, flags->output);
    command->callback([flags, &context] {
        const std::string format =
            flags->output.format == Format::table
                ? ""
                : std::string(format_names()[static_cast<std::size_t>(flags->output.format)]);
        run_merge(flags->files, flags->output.json, format, context);
    });
}

}  // namespace traincost::cli
