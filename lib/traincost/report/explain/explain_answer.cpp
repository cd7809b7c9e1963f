#include "traincost/report/explain/explain_answer.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/io/specs/job_json.hpp"
#include "traincost/report/explain/explanation.hpp"
#include "traincost/report/explain/operator_tables.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

void write_worked_result(JsonWriter& out, const WorkedExplanation& work) {
    out.member("numbers", work.numbers);
    const Cell& result = work.result;
    out.key("result").begin_object();
    out.member("text", result.text);
    out.member("value", std::stod(result.exact));
    out.member("unit", result.unit);
    out.end_object();
}

void write_explained_item(JsonWriter& out, const Explanation& e, const WorkedExplanation* work,
                          const std::vector<std::string>& why) {
    out.member("item", e.item);
    out.member("what", e.what);
    out.member("equation", e.equation);
    if (work != nullptr) {
        write_worked_result(out, *work);
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

}  // namespace

std::vector<Table> explain_tables(const ExplainAnswer& answer, const Catalogue& catalogue) {
    std::vector<Table> tables;
    if (answer.item.empty()) {
        tables.push_back(answer.of ? explanation_list(&answer.of->resolved.job, &answer.of->estimate)
                                   : explanation_list(nullptr, nullptr));
    } else if (answer.of) {
        const Explanation& e = explanation_of(answer.item);
        const WorkedExplanation work = worked(e, answer.of->resolved.job, answer.of->estimate);
        tables = explanation_tables(e, &work,
                                    reasons_of_stack(e.choices, answer.of->resolved.job.stack.id, catalogue));
    } else {
        tables = explanation_tables(explanation_of(answer.item), nullptr, {});
    }
    for (Table& part : operator_tables(answer.operators, answer.item))
        tables.push_back(std::move(part));
    if (answer.of) {
        tables.push_back({.title = job_title(answer.of->resolved.job),
                          .columns = {},
                          .rows = {{text_cell(layout_text(answer.of->resolved.job))}},
                          .remarks = {}});
        if (!answer.of->estimate.fits) {
            tables.back().remarks.push_back(misfit_text(answer.of->estimate));
        }
        if (!answer.of->resolved.assumptions.empty()) {
            tables.push_back(remarks_table("Assumed", to_text(answer.of->resolved.assumptions)));
        }
    }
    return tables;
}

void write_json(JsonWriter& out, const ExplainAnswer& answer, const Catalogue& catalogue) {
    out.begin_object().member("schema_version", 1);
    if (answer.of) {
        out.key("input");
        write_json(out, answer.of->resolved.job);
    }
    const auto item = [&](const Explanation& e, const WorkedExplanation* work) {
        const std::vector<std::string> why =
            work != nullptr ? reasons_of_stack(e.choices, answer.of->resolved.job.stack.id, catalogue)
                            : std::vector<std::string>{};
        write_explained_item(out, e, work, why);
    };
    if (!answer.item.empty()) {
        const Explanation& e = explanation_of(answer.item);
        std::optional<WorkedExplanation> work;
        if (answer.of)
            work = worked(e, answer.of->resolved.job, answer.of->estimate);
        item(e, work ? &*work : nullptr);
    } else {
        std::vector<std::optional<WorkedExplanation>> works(explanations().size());
        if (answer.of)
            works = all_worked(answer.of->resolved.job, answer.of->estimate);
        out.key("items").begin_array();
        for (std::size_t i = 0; i < works.size(); ++i) {
            out.begin_object();
            item(explanations()[i], works[i] ? &*works[i] : nullptr);
            out.end_object();
        }
        out.end_array();
    }
    if (!answer.operators.empty())
        write_operators(out, answer.operators, answer.item);
    if (answer.of) {
        out.array("assumptions", to_text(answer.of->resolved.assumptions));
    }
    out.end_object();
}

}  // namespace traincost
