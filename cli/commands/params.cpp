// `traincost params`: parameters of a model, module by module.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <cli/output.hpp>
#include <traincost/report/answers/params_answer.hpp>
#include <traincost/report/commands/question_fields.hpp>

namespace traincost::cli {

namespace {

struct ParamsFlags {
    ParamsQuestion question{};
    bool tensors = false;
    OutputWish output{};
};

CommandFields fields(ParamsFlags& flags) {
    CommandFields fields = fields_of(flags.question);
    fields.toggle("--tensors", flags.tensors, "Also list every weight tensor");
    return fields.add(fields_of(flags.output));
}

void run(ParamsFlags& flags, Context& context) {
    const ParamsAnswer answer = ask(flags.question, Sources(context.data_folder, &context.in));
    print({.json = [&] { return json_text(answer); },
           .tables = [&] { return params_tables(answer, flags.tensors); }},
          flags.output, context);
}

}  // namespace

void add_params(CLI::App& command, Context& context) {
    declare<ParamsFlags>(command, context, fields, run);
}

}  // namespace traincost::cli
