#include "traincost/report/workbook.hpp"

#include <array>
#include <initializer_list>
#include <map>

#include "traincost/base/text.hpp"
#include "traincost/report/explain/explanation.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

namespace {

/// A symbol's letters are a cell's place, which is how a formula is made of an equation.
std::string formula_of(std::string_view equation, const std::map<std::string_view, std::string>& cells) {
    std::string out = "=";
    std::size_t at = 0;
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto in_word = [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; };
    while (at < equation.size()) {
        if (!letter(equation[at])) {
            out += equation[at++];
            continue;
        }
        const std::size_t begin = at;
        while (at < equation.size() && in_word(equation[at]))
            ++at;
        const std::string_view word = equation.substr(begin, at - begin);
        const auto cell = cells.find(word);
        out += cell != cells.end() ? cell->second
               : word == "max"     ? "MAX"
               : word == "min"     ? "MIN"
                                   : std::string(word);
    }
    return out;
}

constexpr CellFormat plain = CellFormat::plain;
constexpr CellFormat bold = CellFormat::bold;
constexpr CellFormat grey = CellFormat::grey;

/// The workbook, sheet by sheet.
class WorkbookSheets {
public:
    WorkbookSheets(const Job& job, const Estimate& e) : job_(job), e_(e) {
    }

    Workbook all() {
        input();
        terms("Memory", "memory.", "B");
        terms("Step", "step.", "s");
        results();
        output();
        return std::move(book_);
    }

private:
    void sheet(const char* name, std::vector<double> widths = {30, 20, 10, 80}) {
        book_.sheets.push_back({.name = name, .widths = std::move(widths), .cells = {}});
        row_ = 0;
    }

    void put(int row, int column, std::variant<std::string, double, CellFormula> value, CellFormat format) {
        book_.sheets.back().cells.push_back({row, column, std::move(value), format});
    }

    void text(int row, int column, std::string what, CellFormat format = plain) {
        put(row, column, std::move(what), format);
    }

    void number(int row, double value) {
        put(row, 1, value, CellFormat::input);
    }

    /// In the column of values, unless said otherwise.
    void formula(int row, std::string what, double result, CellFormat format = plain, int column = 1) {
        put(row, column, CellFormula{std::move(what), result}, format);
    }

    /// A number that the user may change.
    void given(const char* name, double value, const char* unit, const char* what) {
        text(row_, 0, name);
        number(row_, value);
        text(row_, 2, unit, grey);
        text(row_, 3, what, grey);
        places_[name] = "Input!$B$" + std::to_string(row_ + 1);
        ++row_;
    }

    void input() {
        sheet("Input");
        text(0, 0, job_title(job_), bold);
        text(1, 0, layout_text(job_), grey);
        row_ = 3;
        const RunSpec& run = job_.run;
        const Parallelism& p = run.parallel;
        const auto count = [](std::int64_t x) { return static_cast<double>(x); };
        given("sequence", count(mean_length(run)), "tokens",
              run.padded_length ? "of a sequence, in the mean" : "of a sequence");
        given("micro_batch", count(run.micro_batch), "", "sequences per micro-batch");
        given("global_batch", count(run.global_batch), "", "sequences per step");
        given("gpus", count(job_.cluster.accelerators), "", "accelerators");
        given("tp", count(p.tp), "",
              "tensor-parallel degree; pp, dp and cp are for reference: the terms do not change");
        given("pp", count(p.pp), "", "pipeline-parallel degree");
        given("dp", count(p.dp), "", "data-parallel degree: changes the micro-batches per step");
        given("cp", count(p.cp), "", "context-parallel degree");
        given("capacity", e_.capacity.value(), "B", "memory per accelerator available to the job");
        given("tokens", run.tokens.value_or(0.0), "tokens", "of the whole run");
        text(row_, 0, "micro_batches");
        formula(row_,
                "=" + places_["global_batch"] + "/(" + places_["micro_batch"] + "*" + places_["dp"] + ")",
                e_.step.parts.micro_batches);
        text(row_, 3, "per step", grey);
        places_["micro_batches"] = "Input!$B$" + std::to_string(row_ + 1);
        row_ += 2;
        text(row_, 0, "Yellow cells can be edited; every other number is a formula.", grey);
    }

    /// A block for every explained item that is not zero, then its sum.
    void terms(const char* name, std::string_view prefix, const char* unit) {
        sheet(name);
        std::string sum;
        double total = 0.0;
        for (const Explanation& x : explanations()) {
            if (!x.item.starts_with(prefix) || is_sum(x.item))
                continue;
            const WorkedExplanation w = worked(x, job_, e_);
            const double value = parse_number(w.result.exact);
            if (value == 0.0)
                continue;
            const std::string at = "$B$" + std::to_string(row_ + 1);
            block(x, w, value, unit);
            if (prefix == "step.")
                step_places_[std::string(x.item)] = std::string(name) + "!" + at;
            sum += (sum.empty() ? "=" : "+") + at;
            total += value;
        }
        text(row_, 0, "total", bold);
        formula(row_, sum.empty() ? "=0" : sum, total, bold);
        text(row_, 2, unit, grey);
        places_[name] = std::string(name) + "!$B$" + std::to_string(row_ + 1);
    }

    /// What is the sum of other items.
    static bool is_sum(std::string_view item) {
        return item == "step.total" || item == "memory.allocated" || item == "memory.reserved" ||
               item == "memory.device" || item == "memory.host" || item == "memory.storage";
    }

    /// The result's row, then a row a symbol.
    void block(const Explanation& x, const WorkedExplanation& w, double value, const char* unit) {
        const int first = row_++;
        std::map<std::string_view, std::string> cells;
        for (std::size_t i = 0; i < x.symbols.size(); ++i) {
            const SymbolMeaning& symbol = x.symbols[i];
            text(row_, 0, "  " + std::string(symbol.symbol));
            // Micro-batches of a step are an input of the whole book.
            if (symbol.symbol == "m" && symbol.meaning == "micro-batches per step") {
                formula(row_, "=" + places_["micro_batches"], w.values[i].value);
            } else if (x.item == "step.bubble" && symbol.symbol == "T") {
                // The pipeline's time grows by the slowest stage's work with every micro-batch more.
                const std::string m = "$B$" + std::to_string(row_ + 2);
                const std::string work = "$B$" + std::to_string(row_ + 3);
                formula(row_,
                        "=" + to_exact(w.values[i].value) + "+(" + m + "-" +
                            to_exact(e_.step.parts.micro_batches) + ")*" + work,
                        w.values[i].value);
            } else {
                number(row_, w.values[i].value);
            }
            text(row_, 2, std::string(symbol.unit), grey);
            text(row_, 3, std::string(symbol.meaning), grey);
            cells[symbol.symbol] = "$B$" + std::to_string(row_ + 1);
            ++row_;
        }
        text(first, 0, std::string(x.item), bold);
        formula(first, formula_of(x.equation, cells), value, bold);
        text(first, 2, unit, grey);
        text(first, 3, std::string(x.equation) + ": " + std::string(x.what), grey);
    }

    void result(const char* name, const std::string& what, double value, const char* unit) {
        text(row_, 0, name);
        formula(row_, what, value);
        text(row_, 2, unit, grey);
        ++row_;
    }

    void results() {
        sheet("Results");
        const double tokens = e_.throughput.tokens_per_step;
        const double step = e_.step.total.value();
        const Bytes device = e_.stages[static_cast<std::size_t>(e_.peak_stage)].device;
        result("memory per accelerator", "=" + places_["Memory"], device.value(), "B");
        // What is offloaded must fit in the node's host memory too.
        const std::string in_host = e_.node_memory ? "IF(" + to_exact(e_.node_host.value()) +
                                                         "<=" + to_exact(e_.node_memory->value()) + ",1,0)"
                                                   : "1";
        result("fits", "=IF(B1<=" + places_["capacity"] + "," + in_host + ",0)", e_.fits ? 1.0 : 0.0,
               "1: yes");
        result("step", "=" + places_["Step"], step, "s");
        result("tokens per step", "=" + places_["global_batch"] + "*" + places_["sequence"], tokens,
               "tokens");
        result("tokens per second", "=B4/B3", tokens / step, "tokens/s");
        result("steps", "=" + places_["tokens"] + "/B4", job_.run.tokens.value_or(0.0) / tokens, "");
        constexpr double day = 86400.0;
        result("days", "=B6*B3/86400", job_.run.tokens.value_or(0.0) / tokens * step / day,
               "d, without failures");
        result("GPU-hours", "=B7*24*" + places_["gpus"],
               job_.run.tokens.value_or(0.0) / tokens * step / 3600.0 *
                   static_cast<double>(job_.cluster.accelerators),
               "h, without failures");
    }

    /// A number of the timeline: its label, and its value in the column behind.
    void phase(int column, const char* label, const std::string& what, double value) {
        text(0, column, label);
        formula(0, what, value, plain, column + 1);
    }

    std::string step_sum(std::initializer_list<const char*> items, const char* factor = "") {
        std::string sum;
        for (const char* item : items) {
            const auto at = step_places_.find(item);
            if (at != step_places_.end())
                sum += (sum.empty() ? "" : "+") + at->second;
        }
        return "=(" + (sum.empty() ? std::string("0") : sum) + ")" + factor;
    }

    void output() {
        sheet("Output", {});
        const StepTime& step = e_.step;
        const StepParts& parts = step.parts;
        PassTime backward = parts.backward;
        backward += parts.again;
        const double f = parts.forward.total().value();
        const double b = backward.total().value();
        const double bubble = step[StepTerm::bubble].value();
        const double share = f / (f + b);
        const auto constant = [](double x) { return "=" + to_exact(x); };
        const double layers = static_cast<double>(job_.model.layers + job_.model.decoder_layers) /
                              static_cast<double>(job_.run.parallel.pp);
        phase(1, "Per-device layers", constant(layers), layers);
        phase(3, "Number of microbatches", "=" + places_["micro_batches"], parts.micro_batches);
        phase(7, "Forward", constant(f), f);
        phase(9, "Backward", constant(b), b);
        phase(5, "Warmup", step_sum({"step.bubble"}, "*I1/(I1+K1)"), bubble * share);
        phase(11, "Stable", "=E1*(I1+K1)" + step_sum({"step.pipeline_transfer"}).replace(0, 1, "+"),
              parts.micro_batches * (f + b) + step[StepTerm::pipeline_transfer].value());
        phase(13, "Cooldown", step_sum({"step.bubble"}, "*K1/(I1+K1)"), bubble * (1.0 - share));
        const double rest = step[StepTerm::data_parallel].value() + step[StepTerm::optimizer].value() +
                            step[StepTerm::offload].value() + step[StepTerm::fixed].value() +
                            step[StepTerm::allocator].value();
        phase(15, "Allreduce, optimizer, host",
              step_sum(
                  {"step.data_parallel", "step.optimizer", "step.offload", "step.fixed", "step.allocator"}),
              rest);
        phase(17, "Iteration", "=G1+M1+O1+Q1", step.total.value());
        text(2, 1, "Times in seconds. 'traincost timeline --from' draws these cells as last saved.", grey);
    }

    const Job& job_;
    const Estimate& e_;
    Workbook book_;
    int row_ = 0;
    std::map<std::string, std::string> places_;
    std::map<std::string, std::string> step_places_;
};

}  // namespace

std::string_view to_string(CellFormat format) {
    static constexpr std::array<std::string_view, 4> names = {"plain", "bold", "grey", "input"};
    return names[static_cast<std::size_t>(format)];
}

Workbook workbook_of(const Job& job, const Estimate& estimate) {
    return WorkbookSheets(job, estimate).all();
}

void write_json(JsonWriter& out, const Workbook& workbook) {
    out.begin_object().member("schema_version", 1).key("sheets").begin_array();
    for (const WorkbookSheet& sheet : workbook.sheets) {
        out.begin_object().member("name", sheet.name).array("widths", sheet.widths);
        out.key("cells").begin_array();
        for (const WorkbookCell& cell : sheet.cells) {
            out.begin_object().member("row", cell.row).member("column", cell.column);
            out.member("format", to_string(cell.format));
            if (const auto* text = std::get_if<std::string>(&cell.value)) {
                out.member("text", *text);
            } else if (const auto* number = std::get_if<double>(&cell.value)) {
                out.member("number", *number);
            } else {
                const CellFormula& formula = std::get<CellFormula>(cell.value);
                out.member("formula", formula.formula).member("number", formula.result);
            }
            out.end_object();
        }
        out.end_array().end_object();
    }
    out.end_array().end_object();
}

}  // namespace traincost
