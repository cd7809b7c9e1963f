// `traincost merge`: the answer of a search from its shards' files.

#include <cli/app.hpp>
#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <traincost/ask/questions/merge_question.hpp>
#include <traincost/report/commands/question_fields.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct MergeFlags {
    std::vector<std::string> files{};
    OutputWish output{};
};

CommandFields fields(MergeFlags& flags) {
    CommandFields fields;
    fields
        .texts("files", flags.files, "FILE",
               "Output of 'recommend --shard I/N' or 'sweep --json --shard I/N', one file per shard")
        .required = true;
    return fields.add(fields_of(flags.output));
}

void run(MergeFlags& flags, Context& context) {
    const Format format = flags.output.format;
    const MergeAnswer answer = ask(MergeQuestion{
        flags.files, flags.output.json,
        format == Format::table ? std::string()
                                : std::string(format_names()[static_cast<std::size_t>(format)])});
    if (answer.command.empty()) {
        context.out << answer.sweep;
        return;
    }
    std::vector<std::string> command = answer.command;
    if (!context.data_folder.empty()) {
        command.insert(command.begin(), "--data=" + context.data_folder);
    }
    context.exit_code = cli::run(command, context.in, context.out, context.err);
}

}  // namespace

void add_merge(CLI::App& command, Context& context) {
    declare<MergeFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
