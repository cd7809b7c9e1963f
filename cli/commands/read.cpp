// `traincost read`: what launch files and training logs state.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/tables/reading_tables.hpp>

#include <algorithm>
#include <istream>
#include <iterator>

namespace traincost::cli {

namespace {

struct ReadFlags {
    ReadQuestion question{};
    OutputWish output{};
};

CommandFields fields(ReadFlags& flags) {
    return fields_of(flags.question).add(fields_of(flags.output));
}

void run(ReadFlags& flags, Context& context) {
    const std::vector<std::string>& files = flags.question.files;
    std::string input;
    if (std::find(files.begin(), files.end(), "-") != files.end()) {
        input.assign(std::istreambuf_iterator<char>(context.in), {});
    }
    const Reading reading = read_files(flags.question, input);
    print({.json = [&] { return json_text(reading); },
           .tables = [&] { return reading_tables(reading, files.front()); }},
          flags.output, context);
}

}  // namespace

void add_read(CLI::App& command, Context& context) {
    declare<ReadFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
