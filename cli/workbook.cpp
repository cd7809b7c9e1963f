#include <cli/workbook.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/report/explain/explanation.hpp>
#include <traincost/report/tables/estimate_tables.hpp>

#include <xlsxwriter.h>

#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace traincost::cli {

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

struct Closer {
    void operator()(lxw_workbook* book) const {
        workbook_close(book);
    }
};

/// The workbook, sheet by sheet.
class Workbook {
public:
    Workbook(const std::string& file, const Job& job, const Estimate& e)
        : job_(job), e_(e), book_(workbook_new(file.c_str())) {
        if (!book_)
            throw Error(ErrorKind::input, "export sheet: " + file + " cannot be written");
        bold_ = workbook_add_format(book_.get());
        format_set_bold(bold_);
        grey_ = workbook_add_format(book_.get());
        format_set_font_color(grey_, 0x666666);
        input_ = workbook_add_format(book_.get());
        format_set_bg_color(input_, 0xFFF2CC);
    }

    bool write() {
        input();
        terms("Memory", "memory.", "B");
        terms("Step", "step.", "s");
        results();
        output();
        return workbook_close(book_.release()) == LXW_NO_ERROR;
    }

private:
    lxw_worksheet* sheet(const char* name) {
        lxw_worksheet* s = workbook_add_worksheet(book_.get(), name);
        worksheet_set_column(s, 0, 0, 30, nullptr);
        worksheet_set_column(s, 1, 1, 20, nullptr);
        worksheet_set_column(s, 2, 2, 10, nullptr);
        worksheet_set_column(s, 3, 3, 80, nullptr);
        return s;
    }

    static void text(lxw_worksheet* s, lxw_row_t row, lxw_col_t column, const std::string& what,
                     lxw_format* format = nullptr) {
        worksheet_write_string(s, row, column, what.c_str(), format);
    }

    /// A number that the user may change.
    void given(const char* name, double value, const char* unit, const char* what) {
        text(input_sheet_, row_, 0, name);
        worksheet_write_number(input_sheet_, row_, 1, value, input_);
        text(input_sheet_, row_, 2, unit, grey_);
        text(input_sheet_, row_, 3, what, grey_);
        places_[name] = "Input!$B$" + std::to_string(row_ + 1);
        ++row_;
    }

    void input() {
        input_sheet_ = sheet("Input");
        text(input_sheet_, 0, 0, job_title(job_), bold_);
        text(input_sheet_, 1, 0, layout_text(job_), grey_);
        row_ = 3;
        const RunSpec& run = job_.run;
        const Parallelism& p = run.parallel;
        const auto count = [](std::int64_t x) { return static_cast<double>(x); };
        given("sequence", count(run.sequence), "tokens", "of a sequence");
        given("micro_batch", count(run.micro_batch), "", "sequences per micro-batch");
        given("global_batch", count(run.global_batch), "", "sequences per step");
        given("gpus", count(job_.cluster.accelerators), "", "accelerators");
        given("tp", count(p.tp), "",
              "tensor-parallel degree; with pp, dp and cp for reference: terms do not change");
        given("pp", count(p.pp), "", "pipeline-parallel degree");
        given("dp", count(p.dp), "", "data-parallel degree: changes the micro-batches of a step");
        given("cp", count(p.cp), "", "context-parallel degree");
        given("capacity", e_.capacity.value(), "B", "memory of one accelerator that the job may use");
        given("tokens", run.tokens.value_or(0.0), "tokens", "of the whole run");
        text(input_sheet_, row_, 0, "micro_batches");
        const std::string m =
            "=" + places_["global_batch"] + "/(" + places_["micro_batch"] + "*" + places_["dp"] + ")";
        worksheet_write_formula_num(input_sheet_, row_, 1, m.c_str(), nullptr, e_.step.parts.micro_batches);
        text(input_sheet_, row_, 3, "of a step", grey_);
        places_["micro_batches"] = "Input!$B$" + std::to_string(row_ + 1);
        row_ += 2;
        text(input_sheet_, row_, 0, "Yellow cells can be changed; every other number is a formula.", grey_);
    }

    /// A block for every explained item that is not zero, then its sum.
    void terms(const char* name, std::string_view prefix, const char* unit) {
        lxw_worksheet* s = sheet(name);
        lxw_row_t row = 0;
        std::string sum;
        double total = 0.0;
        for (const Explanation& x : explanations()) {
            if (!x.item.starts_with(prefix) || is_sum(x.item))
                continue;
            const WorkedExplanation w = worked(x, job_, e_);
            const double value = parse_number(w.result.exact);
            if (value == 0.0)
                continue;
            const std::string at = block(s, name, x, w, value, unit, row);
            if (prefix == "step.")
                step_places_[std::string(x.item)] = at;
            sum += (sum.empty() ? "=" : "+") + at.substr(at.find('!') + 1);
            total += value;
        }
        text(s, row, 0, "total", bold_);
        worksheet_write_formula_num(s, row, 1, sum.empty() ? "=0" : sum.c_str(), bold_, total);
        text(s, row, 2, unit, grey_);
        places_[name] = std::string(name) + "!$B$" + std::to_string(row + 1);
    }

    /// What is the sum of other items.
    static bool is_sum(std::string_view item) {
        return item == "step.total" || item == "memory.allocated" || item == "memory.reserved" ||
               item == "memory.device" || item == "memory.host" || item == "memory.storage";
    }

    /// The result's cell.
    std::string block(lxw_worksheet* s, const char* name, const Explanation& x, const WorkedExplanation& w,
                      double value, const char* unit, lxw_row_t& row) {
        const lxw_row_t first = row++;
        std::map<std::string_view, std::string> cells;
        for (std::size_t i = 0; i < x.symbols.size(); ++i) {
            const SymbolMeaning& symbol = x.symbols[i];
            text(s, row, 0, "  " + std::string(symbol.symbol));
            // Micro-batches of a step are an input of the whole book.
            if (symbol.symbol == "m" && symbol.meaning == "micro-batches a step") {
                worksheet_write_formula_num(s, row, 1, ("=" + places_["micro_batches"]).c_str(), nullptr,
                                            w.values[i].value);
            } else if (x.item == "step.bubble" && symbol.symbol == "T") {
                // The pipeline's time grows by the slowest stage's work with every micro-batch more.
                const std::string m = "$B$" + std::to_string(row + 2);
                const std::string work = "$B$" + std::to_string(row + 3);
                const std::string grown = "=" + to_exact(w.values[i].value) + "+(" + m + "-" +
                                          to_exact(e_.step.parts.micro_batches) + ")*" + work;
                worksheet_write_formula_num(s, row, 1, grown.c_str(), nullptr, w.values[i].value);
            } else {
                worksheet_write_number(s, row, 1, w.values[i].value, input_);
            }
            text(s, row, 2, std::string(symbol.unit), grey_);
            text(s, row, 3, std::string(symbol.meaning), grey_);
            cells[symbol.symbol] = "$B$" + std::to_string(row + 1);
            ++row;
        }
        text(s, first, 0, std::string(x.item), bold_);
        worksheet_write_formula_num(s, first, 1, formula_of(x.equation, cells).c_str(), bold_, value);
        text(s, first, 2, unit, grey_);
        text(s, first, 3, std::string(x.equation) + ": " + std::string(x.what), grey_);
        return std::string(name) + "!$B$" + std::to_string(first + 1);
    }

    void result(const char* name, const std::string& formula, double value, const char* unit) {
        text(result_sheet_, row_, 0, name);
        worksheet_write_formula_num(result_sheet_, row_, 1, formula.c_str(), nullptr, value);
        text(result_sheet_, row_, 2, unit, grey_);
        ++row_;
    }

    void results() {
        result_sheet_ = sheet("Results");
        row_ = 0;
        const double tokens = e_.throughput.tokens_per_step;
        const double step = e_.step.total.value();
        const Bytes device = e_.stages[static_cast<std::size_t>(e_.peak_stage)].device;
        result("memory of an accelerator", "=" + places_["Memory"], device.value(), "B");
        result("fits", "=IF(B1<=" + places_["capacity"] + ",1,0)", e_.fits ? 1.0 : 0.0, "1: yes");
        result("step", "=" + places_["Step"], step, "s");
        result("tokens of a step", "=" + places_["global_batch"] + "*" + places_["sequence"], tokens,
               "tokens");
        result("tokens per second", "=B4/B3", tokens / step, "tokens/s");
        result("steps", "=" + places_["tokens"] + "/B4", job_.run.tokens.value_or(0.0) / tokens, "");
        constexpr double day = 86400.0;
        result("days", "=B6*B3/86400", job_.run.tokens.value_or(0.0) / tokens * step / day, "d");
        result("GPU-hours", "=B7*24*" + places_["gpus"],
               job_.run.tokens.value_or(0.0) / tokens * step / 3600.0 *
                   static_cast<double>(job_.cluster.accelerators),
               "h");
    }

    /// A number of the timeline: its label, and its value in the column behind.
    void number(lxw_worksheet* s, lxw_col_t column, const char* label, const std::string& formula,
                double value) {
        text(s, 0, column, label);
        worksheet_write_formula_num(s, 0, static_cast<lxw_col_t>(column + 1), formula.c_str(), nullptr,
                                    value);
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
        lxw_worksheet* s = workbook_add_worksheet(book_.get(), "Output");
        const StepTime& step = e_.step;
        const StepParts& parts = step.parts;
        PassTime backward = parts.backward;
        backward += parts.again;
        const double f = parts.forward.total().value();
        const double b = backward.total().value();
        const double bubble = step[StepTerm::bubble].value();
        const double share = f / (f + b);
        const auto plain = [](double x) { return "=" + to_exact(x); };
        const double layers = static_cast<double>(job_.model.layers + job_.model.decoder_layers) /
                              static_cast<double>(job_.run.parallel.pp);
        number(s, 1, "Per-device layers", plain(layers), layers);
        number(s, 3, "Number of microbatches", "=" + places_["micro_batches"], parts.micro_batches);
        number(s, 7, "Forward", plain(f), f);
        number(s, 9, "Backward", plain(b), b);
        number(s, 5, "Warmup", step_sum({"step.bubble"}, "*I1/(I1+K1)"), bubble * share);
        number(s, 11, "Stable", "=E1*(I1+K1)" + step_sum({"step.pipeline_transfer"}).replace(0, 1, "+"),
               parts.micro_batches * (f + b) + step[StepTerm::pipeline_transfer].value());
        number(s, 13, "Cooldown", step_sum({"step.bubble"}, "*K1/(I1+K1)"), bubble * (1.0 - share));
        const double rest = step[StepTerm::data_parallel].value() + step[StepTerm::optimizer].value() +
                            step[StepTerm::offload].value() + step[StepTerm::fixed].value() +
                            step[StepTerm::allocator].value();
        number(s, 15, "Allreduce, optimizer, host",
               step_sum(
                   {"step.data_parallel", "step.optimizer", "step.offload", "step.fixed", "step.allocator"}),
               rest);
        number(s, 17, "Iteration", "=G1+M1+O1+Q1", step.total.value());
        text(s, 2, 1, "Seconds. 'traincost timeline --from' draws these cells as the file was last saved.",
             grey_);
    }

    const Job& job_;
    const Estimate& e_;
    std::unique_ptr<lxw_workbook, Closer> book_;
    lxw_format* bold_ = nullptr;
    lxw_format* grey_ = nullptr;
    lxw_format* input_ = nullptr;
    lxw_worksheet* input_sheet_ = nullptr;
    lxw_worksheet* result_sheet_ = nullptr;
    lxw_row_t row_ = 0;
    std::map<std::string, std::string> places_;
    std::map<std::string, std::string> step_places_;
};

}  // namespace

void write_workbook(const std::string& file, const Job& job, const Estimate& estimate) {
    if (!Workbook(file, job, estimate).write())
        throw Error(ErrorKind::input, "export sheet: " + file + " cannot be written");
}

}  // namespace traincost::cli
