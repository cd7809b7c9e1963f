#include "traincost/report/tables/plan_tables.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/ask/sureness.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/report/chosen.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/report/tables/search_tables.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

std::string recompute_flag_text(const RunSpec& run) {
    if (run.recompute != Recompute::full) {
        return std::string(name_of(run.recompute));
    }
    return run.recompute_every > 1 ? "full:" + std::to_string(run.recompute_every) : "full";
}

// ---- Tables ----

Table size_table(const ParameterCount& count) {
    Table table{
        .title = "Model size", .columns = {"module", "parameters", "share"}, .rows = {}, .remarks = {}};
    const double total = static_cast<double>(count.total);
    const auto row = [&](std::string_view name, std::int64_t n) {
        table.rows.push_back({text_cell(name), count_cell(n), share_cell(static_cast<double>(n) / total)});
    };
    for (int i = 0; i < module_count; ++i) {
        const std::int64_t n = count.by_module[static_cast<std::size_t>(i)];
        if (n != 0) {
            row(to_string(static_cast<Module>(i)), n);
        }
    }
    row("total", count.total);
    if (count.active != count.total) {
        row("active per token", count.active);
    }
    return table;
}

Table memory_table(const PretrainSheet& sheet) {
    Table table{.title = "Memory by module, without parallelism",
                .columns = {"module", "count", "parameters", "evaluation", "training"},
                .rows = {},
                .remarks = {}};
    for (const SheetRow& row : sheet.memory) {
        table.rows.push_back({text_cell(row.name), count_cell(row.count),
                              row.parameters ? count_cell(*row.parameters) : empty_cell(),
                              cell(row.evaluation), cell(row.training)});
    }
    return table;
}

Table zero_table(const PretrainSheet& sheet, const Job& job, Bytes capacity) {
    Table table{.title = "Memory per GPU by ZeRO stage, " + std::to_string(job.cluster.accelerators) +
                         " data-parallel ranks, micro-batch " + std::to_string(job.run.micro_batch),
                .columns = {"stage", "evaluation", "training", "fits", "in " + job.stack.id},
                .rows = {},
                .remarks = {"usable: " + to_text(capacity)}};
    for (const ZeroRow& row : sheet.zero) {
        table.rows.push_back({text_cell(row.stage == 0 ? "none" : "ZeRO-" + std::to_string(row.stage)),
                              cell(row.evaluation), cell(row.training), text_cell(row.fits ? "yes" : "no"),
                              text_cell(row.of_stack ? "yes" : "no")});
    }
    return table;
}

std::vector<Cell> plan_cells(const SheetPlan& plan, const Operation& operation, const Sureness& sure) {
    const std::optional<double> fits = sure(plan.job, plan.estimate).probability_of_fitting;
    const RunSpec& run = plan.job.run;
    const Parallelism& p = run.parallel;
    const Estimate& e = plan.estimate;
    const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
    std::vector<Cell> cells = {count_cell(p.zero),
                               count_cell(p.dp),
                               count_cell(p.tp),
                               count_cell(p.pp),
                               count_cell(p.cp),
                               count_cell(p.ep),
                               count_cell(run.micro_batch),
                               text_cell(recompute_flag_text(run)),
                               cell(peak.device),
                               fits ? percent_cell(*fits) : empty_cell(),
                               cell(e.step.total),
                               percent_cell(e.throughput.mfu)};
    if (const std::optional<TrainingTotals> totals = bill(plan.job, e, operation).totals) {
        constexpr double seconds_a_day = 86400.0;
        cells.push_back(number_cell(totals->time.value() / seconds_a_day));
        cells.push_back(totals->cost ? cell(*totals->cost) : empty_cell());
    }
    return cells;
}

Table plan_table(const PretrainSheet& sheet, bool training, const Operation& operation,
                 const Sureness& sure) {
    Table table{.title = "Recommended strategies, fastest first",
                .columns = {"ZeRO", "DP", "TP", "PP", "CP", "EP", "micro-batch", "recompute", "memory",
                            "P(fits)", "step", "MFU"},
                .rows = {},
                .remarks = {}};
    if (training) {
        table.columns.emplace_back("days");
        table.columns.emplace_back("cost");
    }
    for (const SheetPlan& plan : sheet.plans) {
        table.rows.push_back(plan_cells(plan, operation, sure));
    }
    const SearchCounts& n = sheet.counts;
    table.remarks.push_back(std::to_string(n.enumerated) + " configurations: " + std::to_string(n.evaluated) +
                            " evaluated, of which " + std::to_string(n.feasible) + " fit" +
                            (n.pruned() > 0 ? "; the others cannot fit or are slower." : "."));
    if (!sheet.relaxed.empty()) {
        table.remarks.push_back(relaxed_text(sheet.relaxed));
    }
    if (sheet.risky) {
        table.remarks.emplace_back(risky_text);
    }
    if (!sheet.plans.empty()) {
        table.remarks.push_back("Plan 1 as flags of estimate: " + sheet.plans.front().flags);
    }
    if (sheet.smallest) {
        table.rows.push_back(plan_cells(*sheet.smallest, operation, sure));
        table.title = "No configuration fits; the closest is";
    }
    return table;
}

void write_plan(JsonWriter& out, const SheetPlan& plan, const Operation& operation, const Sureness& sure) {
    constexpr double seconds_a_day = 86400.0;
    const RunSpec& run = plan.job.run;
    const Parallelism& p = run.parallel;
    const Estimate& e = plan.estimate;
    out.begin_object();
    out.member("flags", plan.flags);
    out.member("stack", plan.job.stack.id);
    out.member("zero", p.zero);
    out.member("dp", p.dp);
    out.member("tp", p.tp);
    out.member("pp", p.pp);
    out.member("vp", p.vp);
    out.member("cp", p.cp);
    out.member("ep", p.ep);
    out.member("micro_batch", run.micro_batch);
    out.member("recompute", recompute_flag_text(run));
    out.member("schedule", name_of(schedule_of(plan.job)));
    out.member("fits", e.fits);
    out.member("probability_of_fitting", sure(plan.job, e).probability_of_fitting);
    out.member("device_bytes", e.stages[static_cast<std::size_t>(e.peak_stage)].device);
    out.member("step_time_s", e.step.total);
    out.member("tokens_per_s", e.throughput.tokens_per_s);
    out.member("mfu", e.throughput.mfu);
    out.member("bound_by", bound_by(e.step));
    const Bill b = bill(plan.job, e, operation);
    out.member("days", b.totals ? std::optional(b.totals->time.value() / seconds_a_day) : std::nullopt);
    out.member("usd", b.totals ? b.totals->cost : std::nullopt);
    out.member("usd_per_million_tokens", b.per_million_tokens);
    out.member("goodput", b.goodput);
    out.member("kwh", b.totals ? b.totals->energy_kwh : std::nullopt);
    out.member("site_kwh", b.site_kwh);
    out.member("co2_kg", b.co2_kg);
    out.end_object();
}

}  // namespace

std::string title_of(const PlanAnswer& answer) {
    return job_title(answer.job) + "; sequence " + std::to_string(answer.job.run.sequence) +
           ", global batch " + std::to_string(answer.job.run.global_batch);
}

std::vector<Table> tables_of(const PlanAnswer& answer, const Residuals& residuals) {
    const Job& job = answer.job;
    const PretrainSheet& sheet = answer.sheet;
    const Sureness sure = plan_sureness(answer.asked, residuals);
    std::vector<Table> tables = {size_table(sheet.parameters), memory_table(sheet),
                                 zero_table(sheet, job, answer.capacity),
                                 plan_table(sheet, job.run.tokens.has_value(), answer.operation, sure)};
    if (!sheet.plans.empty()) {
        const SheetPlan& first = sheet.plans.front();
        tables.back().remarks.push_back(chosen_text(residuals, sure(first.job, first.estimate)));
    }
    if (const auto r = reliability_of(job, answer.operation)) {
        tables.back().remarks.push_back(percent_text(r->goodput) +
                                        " of the time is training: " + reliability_text(*r) + ".");
    }
    if (!answer.assumptions.empty())
        tables.push_back(remarks_table("Assumed", to_text(answer.assumptions)));
    return tables;
}

void write_json(JsonWriter& out, const PlanAnswer& answer, const Residuals& residuals) {
    const PretrainSheet& sheet = answer.sheet;
    const Sureness sure = plan_sureness(answer.asked, residuals);
    out.begin_object();
    out.member("schema_version", 1);
    out.key("input");
    write_json(out, answer.job, answer.operation);
    out.key("params").begin_object();
    out.member("total", sheet.parameters.total);
    out.member("active", sheet.parameters.active);
    out.key("breakdown").begin_array();
    for (int i = 0; i < module_count; ++i) {
        out.begin_object();
        out.member("name", to_string(static_cast<Module>(i)));
        out.member("count", sheet.parameters.by_module[static_cast<std::size_t>(i)]);
        out.end_object();
    }
    out.end_array().end_object();
    out.key("memory_by_module").begin_array();
    for (const SheetRow& row : sheet.memory) {
        out.begin_object();
        out.member("name", row.name);
        out.member("count", row.count);
        out.member("parameters", row.parameters);
        out.member("evaluation_bytes", row.evaluation);
        out.member("training_bytes", row.training);
        out.end_object();
    }
    out.end_array();
    out.member("capacity_bytes", answer.capacity);
    out.key("memory_by_zero").begin_array();
    for (const ZeroRow& row : sheet.zero) {
        out.begin_object();
        out.member("zero", row.stage);
        out.member("evaluation_bytes", row.evaluation);
        out.member("training_bytes", row.training);
        out.member("fits", row.fits);
        out.member("in_stack", row.of_stack);
        out.end_object();
    }
    out.end_array();
    out.member("enumerated", sheet.counts.enumerated);
    out.member("evaluated", sheet.counts.evaluated);
    out.member("feasible", sheet.counts.feasible);
    out.member("risky", sheet.risky);
    out.key("plans").begin_array();
    for (const SheetPlan& plan : sheet.plans) {
        write_plan(out, plan, answer.operation, sure);
    }
    out.end_array();
    out.array("relaxed", sheet.relaxed);
    if (!sheet.plans.empty()) {
        const SheetPlan& first = sheet.plans.front();
        write_chosen(out, residuals, sure(first.job, first.estimate));
    }
    out.key("nearest");
    if (sheet.smallest) {
        write_plan(out, *sheet.smallest, answer.operation, sure);
    } else {
        out.null();
    }
    out.array("assumptions", to_text(answer.assumptions));
    out.end_object();
}

}  // namespace traincost
