// `traincost explain`: the derivation of one printed number.

#include <cli/commands/commands.hpp>
#include <cli/job_options.hpp>
#include <cli/output_options.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/report/estimate_tables.hpp>
#include <traincost/report/explanation.hpp>

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <ostream>

namespace traincost::cli {

namespace {

struct Flags {
    std::string item;
    JobFlags job;
    OutputFlags output;
};

/// A job and its estimate.
struct Estimated {
    ResolvedJob resolved;
    Estimate estimate;
};

/// Whether any flag of a job was given.
bool names_job(const CLI::App& command) {
    for (const CLI::Option* option : command.get_options()) {
        const std::string name = option->get_name(false, true);
        const bool of_job = name != "ITEM" && name.find("--json") == name.npos &&
                            name.find("--format") == name.npos && name.find("--help") == name.npos;
        if (of_job && option->count() > 0) {
            return true;
        }
    }
    return false;
}

/// What the stack's record says of the choices that decide an item: "stack megatron-core, pipeline: ...".
std::vector<std::string> reasons(const Explanation& explanation, const std::string& stack,
                                 const Catalogue& catalogue) {
    std::vector<std::string> lines;
    if (!catalogue.find(Room::stacks, stack)) {
        return lines;
    }
    const JsonDocument record = catalogue.stack_document(stack);
    const JsonValue* basis = record.root.find("basis");
    for (const std::string_view choice : explanation.choices) {
        const JsonValue* why = basis != nullptr ? basis->find(std::string(choice)) : nullptr;
        const auto* text = why != nullptr ? std::get_if<std::string>(&why->data) : nullptr;
        if (text != nullptr) {
            lines.push_back("stack " + stack + ", " + std::string(choice) + ": " + *text);
        }
    }
    return lines;
}

void write_result(JsonWriter& out, const WorkedExplanation& work) {
    out.member("numbers", work.numbers);
    const Cell& result = work.result;
    out.key("result").begin_object();
    out.member("text", result.text);
    out.member("value", std::stod(result.exact));
    out.member("unit", result.unit);
    out.end_object();
}

void write_item(JsonWriter& out, const Explanation& e, const WorkedExplanation* work,
                const std::vector<std::string>& why) {
    out.member("item", e.item);
    out.member("what", e.what);
    out.member("equation", e.equation);
    if (work != nullptr) {
        write_result(out, *work);
    }
    out.key("symbols").begin_array();
    for (std::size_t i = 0; i < e.symbols.size(); ++i) {
        out.begin_object();
        out.member("symbol", e.symbols[i].symbol);
        out.member("unit", e.symbols[i].unit);
        out.member("meaning", e.symbols[i].meaning);
        if (work != nullptr) {
            out.member("value", work->values[i].value);
        }
        out.end_object();
    }
    out.end_array();
    out.key("sources").begin_array();
    for (const std::string_view source : e.sources) {
        out.value(source);
    }
    for (const std::string& reason : why) {
        out.value(reason);
    }
    out.end_array();
}

void print_json(Context& context, const Flags& flags, const Estimated* of, const Catalogue& catalogue) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1);
    if (of != nullptr) {
        out.key("input");
        write_json(out, of->resolved.job);
    }
    const auto item = [&](const Explanation& e) {
        if (of == nullptr) {
            write_item(out, e, nullptr, {});
            return;
        }
        const WorkedExplanation work = worked(e, of->resolved.job, of->estimate);
        write_item(out, e, &work, reasons(e, of->resolved.job.stack.id, catalogue));
    };
    if (!flags.item.empty()) {
        item(explanation_of(flags.item));
    } else {
        out.key("items").begin_array();
        for (const Explanation& e : explanations()) {
            out.begin_object();
            item(e);
            out.end_object();
        }
        out.end_array();
    }
    if (of != nullptr) {
        out.array("assumptions", of->resolved.assumptions);
    }
    out.end_object();
    context.out << out.text();
}

void run_explain(const Flags& flags, bool with_job, Context& context) {
    if (!flags.item.empty()) {
        explanation_of(flags.item);  // a wrong name is said before anything about the job
    }
    const Catalogue catalogue(context.data_folder);
    std::optional<Estimated> of;
    if (with_job) {
        ResolvedJob resolved = resolve_job(flags.job, catalogue, context);
        Estimate e = estimate(resolved.job);
        of.emplace(Estimated{std::move(resolved), std::move(e)});
    }
    if (flags.output.json) {
        print_json(context, flags, of ? &*of : nullptr, catalogue);
        return;
    }
    std::vector<Table> tables;
    if (flags.item.empty()) {
        tables.push_back(of ? explanation_list(&of->resolved.job, &of->estimate)
                            : explanation_list(nullptr, nullptr));
    } else if (of) {
        const Explanation& e = explanation_of(flags.item);
        const WorkedExplanation work = worked(e, of->resolved.job, of->estimate);
        tables = explanation_tables(e, &work, reasons(e, of->resolved.job.stack.id, catalogue));
    } else {
        tables = explanation_tables(explanation_of(flags.item), nullptr, {});
    }
    if (of) {
        tables.push_back({.title = job_title(of->resolved.job),
                          .columns = {},
                          .rows = {{text_cell(layout_text(of->resolved.job))}},
                          .remarks = {}});
        if (!of->estimate.fits) {
            tables.back().remarks.push_back(misfit_text(of->estimate));
        }
        if (!of->resolved.assumptions.empty()) {
            tables.push_back(remarks_table("Assumed", of->resolved.assumptions));
        }
    }
    context.out << render(tables, flags.output.format, context.style);
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("explain", "Derivation of a number: equation, symbols with values, sources");
    const auto flags = std::make_shared<Flags>();
    command->add_option("ITEM", flags->item, "memory.weights, step.bubble, ...; without it, all items");
    add_job_options(*command, flags->job);
    add_output_options(*command, flags->output);
    command->callback([flags, command, &context] { run_explain(*flags, names_job(*command), context); });
}

}  // namespace traincost::cli
