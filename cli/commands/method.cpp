// `traincost method NAME`: a published calculator's own output.

#include <cli/command_line.hpp>
#include <cli/commands/commands.hpp>
#include <traincost/report/commands/question_fields.hpp>
#include <traincost/report/methods/method_form.hpp>

#include <memory>
#include <ostream>

namespace traincost::cli {

void add_method(CLI::App& command, Context& context, std::string_view name) {
    const auto form = std::make_shared<MethodForm>(method_named(name).form());
    const auto output = std::make_shared<OutputWish>();
    CommandFields fields;
    for (const MethodField& field : form->fields) {
        fields.add({field.flag, field.type, field.help, field.set});
    }
    declare(command, fields.add(fields_of(*output)), context, [form, output, &context] {
        const MethodAnswer answer = form->answer(Sources(context.data_folder, &context.in));
        context.answer(answer.yes);
        context.out << (output->json ? json_of(answer) : render(answer, output->format, context.style));
    });
}

}  // namespace traincost::cli
