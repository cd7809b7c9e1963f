// `traincost completion` and `traincost manual`: what the program's own options say, for shells and `man`.

#include <cli/app.hpp>
#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <traincost/ask/questions/catalogue_question.hpp>
#include <traincost/report/commands/completion.hpp>
#include <traincost/report/commands/manual.hpp>

#include <ostream>

namespace traincost::cli {

namespace {

struct CompletionFlags {
    std::string shell{};
    std::string ids{};
};

CommandFields fields(CompletionFlags& flags) {
    CommandFields fields;
    fields.text("SHELL", flags.shell, "bash|zsh|fish", "Shell: bash, zsh or fish");
    fields.text("--ids", flags.ids, "KIND",
                "Print the ids of a kind of record, one per line, for the scripts; all: every kind");
    return fields;
}

void run(CompletionFlags& flags, Context& context) {
    if (flags.ids.empty()) {
        context.out << shell_completion(flags.shell, [] { return program_tree(); });
        return;
    }
    for (const std::string& id : ids_of_kind(flags.ids, Sources(context.data_folder))) {
        context.out << id << '\n';
    }
}

}  // namespace

void add_completion(CLI::App& command, Context& context) {
    declare<CompletionFlags>(command, context, fields, run);
}

void add_manual(CLI::App& command, Context& context) {
    declare(command, {}, context, [&context] { context.out << manual_page(program_tree()); });
}

}  // namespace traincost::cli
