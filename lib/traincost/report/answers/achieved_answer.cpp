#include "traincost/report/answers/achieved_answer.hpp"
#include "traincost/io/json_writer.hpp"

#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/logs/training_log_json.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/report/tables/training_log_tables.hpp"

namespace traincost {

namespace {

Table achieved_summary(const AchievedAnswer& answer) {
    const Job& job = answer.resolved.job;
    const Achieved& a = answer.achieved;
    Table table{
        .title = job_title(job), .columns = {}, .rows = {}, .remarks = {layout_text(job), answer.verdict}};
    const auto row = [&](std::string_view name, Cell value, const std::string& remark) {
        table.rows.push_back({text_cell(name), std::move(value), text_cell(remark)});
    };
    row("step", cell(a.step), answer.step.from);
    row("tokens/s", short_count_cell(a.tokens_per_s), count_text(a.tokens_per_s_per_gpu) + " per GPU");
    row("MFU", percent_cell(a.model.utilization),
        to_text(a.model.rate) +
            " per GPU: forward and backward matrix FLOPs, attention over visible keys only" +
            peak_words(job));
    row("HFU", percent_cell(a.hardware.utilization),
        to_text(a.hardware.rate) + " per GPU: the same, plus recomputation");
    return table;
}

struct ConventionRow {
    std::string name;
    AchievedRate rate;
    std::string_view what;
};

std::vector<ConventionRow> convention_rows(const Achieved& a) {
    constexpr std::array<std::string_view, flop_convention_count> words = {
        "operator by operator, attention over visible keys", "the same, attention over all keys",
        "(6N + 12LHQT) per token, N without input embedding", "72BsLh^2(1 + s/6h + V/12hL)",
        "6 N D, N = all parameters (active ones for mixtures of experts)"};
    std::vector<ConventionRow> rows;
    for (int i = 0; i < flop_convention_count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        rows.push_back(
            {std::string(to_string(static_cast<FlopConvention>(i))), a.by_convention[at], words[at]});
    }
    rows.push_back({"hardware", a.hardware, "exact, plus recomputation"});
    rows.push_back({"8ND", a.eight_nd, "as in Fast_LLM: always with recomputation, N = all parameters"});
    return rows;
}

Table convention_table(const Achieved& a) {
    Table table{.title = "FLOP conventions",
                .columns = {"convention", "rate per GPU", "utilization", "counts"},
                .rows = {},
                .remarks = {}};
    for (const ConventionRow& row : convention_rows(a)) {
        table.rows.push_back({text_cell(row.name), cell(row.rate.rate), percent_cell(row.rate.utilization),
                              text_cell(row.what)});
    }
    return table;
}

Table prediction_table(const Achieved& a, const Uncertainty& sure) {
    const Throughput& t = a.predicted.throughput;
    Table table{.title = "Measured and predicted",
                .columns = {"", "measured", "predicted", "measured/predicted"},
                .rows = {},
                .remarks = {}};
    table.rows.push_back(
        {text_cell("step"), cell(a.step), cell(a.predicted.step.total), number_cell(a.ratio)});
    table.rows.push_back({text_cell("tokens/s"), short_count_cell(a.tokens_per_s),
                          short_count_cell(t.tokens_per_s), number_cell(1.0 / a.ratio)});
    table.rows.push_back({text_cell("MFU"), percent_cell(a.model.utilization), percent_cell(t.mfu),
                          number_cell(a.model.utilization / t.mfu)});
    table.remarks.push_back("The predicted step is mostly " + bound_by(a.predicted.step) + ".");
    if (sure.step_time_s) {
        table.remarks.push_back(
            "80% interval of the predicted step: " + to_text(Seconds{sure.step_time_s->low}) + " to " +
            to_text(Seconds{sure.step_time_s->high}) + " (" + sure.step_comparable + ").");
    }
    if (!a.predicted.fits) {
        table.remarks.push_back(misfit_text(a.predicted));
    }
    return table;
}

Table remaining_table(const Remaining& left) {
    Table table{.title = "Remaining", .columns = {}, .rows = {}, .remarks = {}};
    table.rows.push_back({text_cell("tokens"), short_count_cell(left.tokens)});
    table.rows.push_back({text_cell("time"), cell(left.time)});
    table.rows.push_back({text_cell("GPU-hours"), short_count_cell(left.gpu_hours)});
    table.rows.push_back({text_cell("cost"), left.cost ? cell(*left.cost) : empty_cell()});
    return table;
}

void write_rate(JsonWriter& out, const AchievedRate& rate) {
    out.member("tflops_per_gpu", rate.rate.value() / tera);
    out.member("utilization", rate.utilization);
}

Table verdict_table(const TrainingLog& log, const Job& job, const Achieved& a) {
    return remarks_table("Verdict", log_verdict(log, job, a));
}

}  // namespace

std::vector<Table> achieved_tables(const AchievedAnswer& answer) {
    const Achieved& a = answer.achieved;
    std::vector<Table> tables = {achieved_summary(answer), convention_table(a),
                                 prediction_table(a, answer.sure)};
    if (answer.log) {
        std::vector<Table> logged = tables_of(*answer.log, answer.log_name);
        tables.push_back(verdict_table(*answer.log, answer.resolved.job, a));
        tables.insert(tables.end(), std::make_move_iterator(logged.begin()),
                      std::make_move_iterator(logged.end()));
    }
    if (a.remaining) {
        tables.push_back(remaining_table(*a.remaining));
    }
    if (!answer.resolved.assumptions.empty()) {
        tables.push_back(remarks_table("Assumed", to_text(answer.resolved.assumptions)));
    }
    return tables;
}

void write_json(JsonWriter& out, const AchievedAnswer& answer) {
    const Achieved& a = answer.achieved;
    const Uncertainty& sure = answer.sure;
    constexpr double seconds_a_day = 86400.0;
    out.begin_object();
    out.member("schema_version", 1);
    out.key("input");
    write_json(out, answer.resolved.job, answer.resolved.operation);
    out.key("measured").begin_object();
    out.member("step_time_s", a.step);
    out.member("tokens_per_s", a.tokens_per_s);
    out.member("tokens_per_s_per_gpu", a.tokens_per_s_per_gpu);
    out.member("model_tflops_per_gpu", a.model.rate.value() / tera);
    out.member("hardware_tflops_per_gpu", a.hardware.rate.value() / tera);
    out.member("mfu", a.model.utilization);
    out.member("hfu", a.hardware.utilization);
    out.end_object();
    out.member("step_verdict", answer.verdict);
    out.key("conventions").begin_array();
    for (const ConventionRow& row : convention_rows(a)) {
        out.begin_object();
        out.member("name", row.name);
        write_rate(out, row.rate);
        out.end_object();
    }
    out.end_array();
    out.key("predicted").begin_object();
    out.member("step_time_s", a.predicted.step.total);
    out.key("interval_80");
    if (sure.step_time_s) {
        out.begin_array().value(sure.step_time_s->low).value(sure.step_time_s->high).end_array();
    } else {
        out.null();
    }
    out.member("mfu", a.predicted.throughput.mfu);
    out.member("fits", a.predicted.fits);
    out.member("measured_over_predicted", a.ratio);
    out.end_object();
    out.key("remaining");
    if (a.remaining) {
        out.begin_object();
        out.member("tokens", a.remaining->tokens);
        out.member("seconds", a.remaining->time);
        out.member("days", a.remaining->time.value() / seconds_a_day);
        out.member("gpu_hours", a.remaining->gpu_hours);
        out.member("usd", a.remaining->cost);
        out.member("kwh", a.remaining->energy_kwh);
        out.end_object();
    } else {
        out.null();
    }
    if (answer.log) {
        out.key("log");
        write_json(out, *answer.log);
        out.array("verdict", log_verdict(*answer.log, answer.resolved.job, a));
    }
    out.array("assumptions", to_text(answer.resolved.assumptions));
    out.end_object();
}

}  // namespace traincost
