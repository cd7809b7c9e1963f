#include "traincost/report/tables/training_log_tables.hpp"

#include "traincost/base/text.hpp"
#include "traincost/report/text_table.hpp"

namespace traincost {

namespace {

constexpr std::size_t title_width = 60;

std::string iterations_text(const TrainingLog& log) {
    if (!log.first_iteration) {
        return "";
    }
    std::string text = std::to_string(*log.first_iteration) + " to " + std::to_string(*log.last_iteration);
    if (log.planned_iterations) {
        text += " of " + std::to_string(*log.planned_iterations);
    }
    return text;
}

std::string spread_text(const TrainingLog& log) {
    if (!log.spread || log.spread->steps < 2) {
        return log.micro_steps ? "per micro-step" : "";
    }
    const StepSpread& s = *log.spread;
    return "median; 90% below " + to_text(s.p90) + ", slowest " + to_text(s.slowest) +
           (log.micro_steps ? "; per micro-step" : "");
}

std::string memory_text(const TrainingLog& log) {
    std::string text;
    const auto add = [&](const std::optional<Bytes>& bytes, const char* what) {
        if (bytes) {
            text += (text.empty() ? "" : ", ") + to_text(*bytes) + " " + what;
        }
    };
    add(log.allocated, "allocated");
    add(log.reserved, "reserved");
    add(log.device, "on the device");
    return text;
}

}  // namespace

std::vector<Table> tables_of(const TrainingLog& log, const std::string& name) {
    const std::string shown =
        name.size() > title_width ? "..." + name.substr(name.size() - title_width) : name;
    Table table{.title = shown + ": " + std::string(log.framework ? to_string(*log.framework) : "metrics"),
                .columns = {},
                .rows = {},
                .remarks = {}};
    const auto row = [&](std::string_view what, Cell value, const std::string& remark) {
        table.rows.push_back({text_cell(what), std::move(value), text_cell(remark)});
    };
    const auto rate = [&](std::string_view what, const std::optional<double>& value,
                          const std::string& remark) {
        if (value) {
            row(what, short_count_cell(*value), remark);
        }
    };
    row("iterations", count_cell(log.iterations), iterations_text(log));
    row("step time", log.step_time ? cell(*log.step_time) : empty_cell(), spread_text(log));
    if (log.spread && log.spread->slow > 0) {
        row("slow steps", count_cell(log.spread->slow),
            "over 1.5 times the median: " + percent_text(log.spread->slow_share) + " of the total time");
    }
    rate("tokens/s", log.tokens_per_s, "all accelerators");
    rate("tokens/s/GPU", log.tokens_per_s_per_gpu, "");
    rate("samples/s", log.samples_per_s, "all accelerators");
    rate("steps/s", log.steps_per_s, "");
    rate("TFLOP/s/GPU", log.tflops_per_gpu, "as printed");
    row("memory", log.peak_memory ? cell(*log.peak_memory) : empty_cell(), memory_text(log));
    row("loss", log.loss_last ? number_cell(*log.loss_last) : empty_cell(), "last");
    const auto count = [&](std::string_view what, std::int64_t n) {
        if (n > 0) {
            row(what, count_cell(n), "");
        }
    };
    count("skipped steps", log.skipped_steps);
    count("NaN steps", log.nan_steps);
    count("restarts", log.restarts);
    std::vector<Table> tables = {std::move(table)};
    if (!log.oddities.empty()) {
        Table odd{.title = "Notes", .columns = {}, .rows = {}, .remarks = {}};
        for (const LogOddity& oddity : log.oddities) {
            odd.remarks.push_back(to_string(oddity));
        }
        tables.push_back(std::move(odd));
    }
    return tables;
}

}  // namespace traincost
