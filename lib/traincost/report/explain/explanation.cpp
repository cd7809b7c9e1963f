#include "traincost/report/explain/explanation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/report/explain/explanation_rows.hpp"

namespace traincost {

namespace {

const std::vector<ExplanationRow>& rows() {
    static const std::vector<ExplanationRow> all = [] {
        std::vector<ExplanationRow> list = memory_explanations();
        for (std::vector<ExplanationRow>& more : std::array{step_explanations(), training_explanations()}) {
            for (ExplanationRow& row : more)
                list.push_back(std::move(row));
        }
        return list;
    }();
    return all;
}

ExplainedJob explained(const Job& job, const Estimate& estimate) {
    const Shape shape = shape_of(job);
    BlockOps ops;
    fill_ops(job, shape, ops);
    const BlockTable table = block_table(job, shape, ops);
    const StageClasses stages = stage_classes(job, table);
    return {job,   estimate, shape,
            table, stages,   explained_memory(job, shape, table, stages, estimate.peak_stage)};
}

/// What people call an item, and its name.
constexpr std::pair<std::string_view, std::string_view> usual_words[] = {
    {"memory", "memory.device"}, {"memory.total", "memory.device"},   {"step", "step.total"},
    {"time", "step.total"},      {"step_time", "step.total"},         {"tokens/s", "throughput.tokens_per_s"},
    {"days", "training.time"},   {"gpu-hours", "training.gpu_hours"},
};

bool available(const ExplanationRow& row, const ExplainedJob& of) {
    return row.available.of == nullptr || row.available.of(of);
}

const ExplanationRow& row_of(std::string_view item) {
    for (const auto& [word, name] : usual_words) {
        if (word == item)
            item = name;
    }
    // A term without its room is meant where only one room has it.
    const std::string ending = "." + std::string(item);
    const ExplanationRow* meant = nullptr;
    int meanings = 0;
    std::vector<std::string_view> names;
    for (const ExplanationRow& row : rows()) {
        if (row.explanation.item == item)
            return row;
        if (row.explanation.item.ends_with(ending)) {
            meant = &row;
            ++meanings;
        }
        names.push_back(row.explanation.item);
    }
    if (meanings == 1)
        return *meant;
    std::string suggestion = did_you_mean(meant != nullptr ? meant->explanation.item : item, names);
    if (suggestion.empty()) {
        for (std::string_view& name : names)
            name.remove_prefix(name.find('.') + 1);
        suggestion = did_you_mean(item, names);
    }
    throw Error(ErrorKind::not_found, "no item named '" + std::string(item) + "'" +
                                          (suggestion.empty() ? "; see 'traincost explain'" : suggestion));
}

/// A value as the symbols' table shows it: a large number without unit with the digits that it has in the
/// equation.
Cell value_cell(const SymbolValue& symbol, std::string_view unit) {
    constexpr double large = 1000.0;
    const double value = symbol.value;
    if (unit == "B")
        return cell(Bytes{value});
    if (unit == "s")
        return cell(Seconds{value});
    if (unit == "B/s")
        return cell(ByteRate{value});
    Cell number = number_cell(value);
    if (std::abs(value) >= large)
        number.text = with_numbers(symbol.symbol, std::span(&symbol, 1));
    return number;
}

}  // namespace

std::span<const Explanation> explanations() {
    static const std::vector<Explanation> all = [] {
        std::vector<Explanation> list;
        for (const ExplanationRow& row : rows())
            list.push_back(row.explanation);
        return list;
    }();
    return all;
}

const Explanation& explanation_of(std::string_view item) {
    return row_of(item).explanation;
}

namespace {

WorkedExplanation work_of(const ExplanationRow& row, const ExplainedJob& of) {
    const std::vector<double> values = row.values(of);
    WorkedExplanation work{.values = {}, .numbers = {}, .result = row.result(of)};
    for (std::size_t i = 0; i < row.explanation.symbols.size(); ++i)
        work.values.push_back({row.explanation.symbols[i].symbol, values.at(i)});
    work.numbers = with_numbers(row.explanation.equation, work.values);
    return work;
}

}  // namespace

WorkedExplanation worked(const Explanation& explanation, const Job& job, const Estimate& estimate) {
    const ExplanationRow& row = row_of(explanation.item);
    const ExplainedJob of = explained(job, estimate);
    if (!available(row, of)) {
        throw Error(ErrorKind::usage,
                    std::string(explanation.item) + ": needs " + std::string(row.available.needs));
    }
    return work_of(row, of);
}

std::vector<std::optional<WorkedExplanation>> all_worked(const Job& job, const Estimate& estimate) {
    const ExplainedJob of = explained(job, estimate);
    std::vector<std::optional<WorkedExplanation>> all;
    for (const ExplanationRow& row : rows())
        all.push_back(available(row, of) ? std::optional(work_of(row, of)) : std::nullopt);
    return all;
}

Table explanation_list(const Job* job, const Estimate* estimate) {
    Table table{
        .title = "Items to explain", .columns = {"item", "what", "equation"}, .rows = {}, .remarks = {}};
    const bool with_job = job != nullptr && estimate != nullptr;
    std::optional<ExplainedJob> of;
    if (with_job) {
        of.emplace(explained(*job, *estimate));
        table.columns.insert(table.columns.begin() + 1, "result");
    }
    for (const ExplanationRow& row : rows()) {
        const Explanation& e = row.explanation;
        table.rows.push_back({text_cell(e.item), text_cell(e.what), text_cell(e.equation)});
        if (with_job)
            table.rows.back().insert(table.rows.back().begin() + 1,
                                     available(row, *of) ? row.result(*of) : empty_cell());
    }
    return table;
}

std::vector<Table> explanation_tables(const Explanation& e, const WorkedExplanation* work,
                                      std::span<const std::string> reasons) {
    Table derivation{
        .title = std::string(e.item) + ": " + std::string(e.what), .columns = {}, .rows = {}, .remarks = {}};
    derivation.rows.push_back({text_cell("equation"), text_cell(e.equation)});
    if (work != nullptr) {
        derivation.rows.push_back({text_cell("numbers"), text_cell(work->numbers)});
        Cell result = work->result;
        result.number = false;
        derivation.rows.push_back({text_cell("result"), result});
    }
    Table symbols{.title = "Symbols", .columns = {"symbol", "unit", "meaning"}, .rows = {}, .remarks = {}};
    if (work != nullptr)
        symbols.columns.insert(symbols.columns.begin() + 1, "value");
    for (std::size_t i = 0; i < e.symbols.size(); ++i) {
        const SymbolMeaning& s = e.symbols[i];
        symbols.rows.push_back({text_cell(s.symbol), text_cell(s.unit), text_cell(s.meaning)});
        if (work != nullptr) {
            symbols.rows.back().insert(symbols.rows.back().begin() + 1, value_cell(work->values[i], s.unit));
        }
    }
    Table sources{.title = "Sources", .columns = {}, .rows = {}, .remarks = {}};
    for (const std::string_view source : e.sources)
        sources.rows.push_back({text_cell(source)});
    for (const std::string& reason : reasons)
        sources.rows.push_back({text_cell(reason)});
    return {derivation, symbols, sources};
}

}  // namespace traincost
