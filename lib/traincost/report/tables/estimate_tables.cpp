#include "traincost/report/tables/estimate_tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/base/text.hpp"
#include "traincost/plan/price.hpp"
#include "traincost/report/price_words.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

std::string spaced_name(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

/// What each part of a step is, in words.
std::string_view meaning(StepTerm term) {
    static constexpr std::array<std::string_view, step_term_count> words = {
        "matrix products of the slowest stage",
        "attention kernels",
        "norms, activations, residuals, loss: limited by device memory bandwidth",
        "forward work repeated in the backward pass",
        "kernel launches that the device waits for",
        "exposed tensor-parallel communication",
        "exposed context-parallel communication",
        "exposed expert-parallel communication",
        "exposed transfers between stages",
        "stages waiting for one another",
        "exposed gradient reduction and weight gathers",
        "update of weights and optimizer states",
        "exposed host transfers and updates",
        "data loading, logging, synchronisation",
        "memory returned to the driver and allocated again"};
    return words[static_cast<std::size_t>(term)];
}

bool is_shown(Bytes x) {
    return x.value() != 0.0;
}

/// The part of a step as a sentence names it.
std::string_view short_meaning(StepTerm term) {
    static constexpr std::array<std::string_view, step_term_count> words = {"matrix products",
                                                                            "attention",
                                                                            "memory bandwidth",
                                                                            "recomputation",
                                                                            "kernel launches",
                                                                            "tensor-parallel communication",
                                                                            "context-parallel communication",
                                                                            "expert-parallel communication",
                                                                            "transfers between stages",
                                                                            "the pipeline bubble",
                                                                            "data-parallel communication",
                                                                            "the optimizer",
                                                                            "offloading",
                                                                            "fixed host time",
                                                                            "the memory allocator"};
    return words[static_cast<std::size_t>(term)];
}

/// "; 80% interval 4.9 s to 6.1 s (682 runs of nanotron on Hopper)", or nothing.
std::string between(const Uncertainty& sure) {
    if (!sure.step_time_s) {
        return "";
    }
    return "; 80% interval " + to_text(Seconds{sure.step_time_s->low}) + " to " +
           to_text(Seconds{sure.step_time_s->high}) + " (" + sure.step_comparable + ")";
}

std::string likely_text(const Uncertainty& sure) {
    const std::string words = probability_words(sure);
    return words.empty() ? "" : "; probability of fitting " + words + " (" + sure.memory_comparable + ")";
}

Cell energy_cell(double kwh) {
    return {.text = count_text(kwh) + " kWh", .exact = to_exact(kwh), .unit = "kWh", .number = true};
}

/// "1.22 t": mass as people write it.
Cell co2_cell(double kg) {
    constexpr double tonne = 1000.0;
    return {.text = kg < tonne ? to_significant(kg) + " kg" : count_text(kg / tonne) + " t",
            .exact = to_exact(kg),
            .unit = "kg",
            .number = true};
}

/// "$2.50 per GPU-hour, on-demand, Nebius; 4 known prices: $2.10 to $6.88": the price that counts.
std::string price_text(const ClusterSpec& cluster) {
    const std::optional<GpuHourPrice> price = gpu_hour_price(cluster);
    if (!price) {
        return "";
    }
    std::string text = price_words(cluster);
    if (price->lowest < price->highest) {
        text += "; " + std::to_string(price->known) + " known prices: " + to_text(price->lowest) + " to " +
                to_text(price->highest);
    }
    return text;
}

/// The rows of a training run: nothing where neither tokens nor failures are known.
void add_operation_rows(const Job& job, const Bill& bill, const Operation& operation, Table& table) {
    const auto row = [&](std::string_view name, Cell value, std::string_view remark) {
        table.rows.push_back({text_cell(name), std::move(value), text_cell(remark)});
    };
    if (bill.reliability && bill.goodput == 0.0) {
        row("goodput", percent_cell(0.0), "training never ends: " + no_progress_text(job, operation));
    } else if (bill.reliability) {
        row("goodput", percent_cell(bill.goodput), reliability_text(*bill.reliability));
    }
    if (!bill.totals) {
        return;
    }
    const TrainingTotals& total = *bill.totals;
    row("training", cell(total.time),
        count_text(total.tokens) + " tokens, " + count_text(std::ceil(total.steps)) + " steps");
    row("GPU-hours", short_count_cell(total.gpu_hours), "");
    row("cost", total.cost ? cell(*total.cost) : empty_cell(),
        total.cost ? to_text(*bill.per_million_tokens) + " per million tokens; " + price_text(job.cluster)
                   : "no known price");
    const std::string share = operation.power_share ? percent_text(*operation.power_share) + " of" : "full";
    row("energy", total.energy_kwh ? energy_cell(*total.energy_kwh) : empty_cell(),
        !total.energy_kwh
            ? "no known power"
            : "at " + share + " power of the " + (job.cluster.node_power_w ? "nodes" : "accelerators alone"));
    if (bill.site_kwh && *operation.pue != 1.0) {
        row("with PUE", energy_cell(*bill.site_kwh),
            to_significant(*operation.pue) + " times: cooling and facility losses included");
    }
    if (bill.co2_kg) {
        row("CO2", co2_cell(*bill.co2_kg),
            to_significant(*operation.grid_grams_per_kwh) + " g per kWh" +
                (operation.grid ? ": " + *operation.grid : ""));
    }
}

Table summary_table(const Job& job, const Estimate& e, const Uncertainty& sure, const Operation& operation) {
    const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
    const Throughput& t = e.throughput;
    Table table{.title = job_title(job), .columns = {}, .rows = {}, .remarks = {}};
    const auto row = [&](std::string_view name, Cell value, std::string_view remark) {
        table.rows.push_back({text_cell(name), std::move(value), text_cell(remark)});
    };
    Cell fits = text_cell(e.fits ? "yes" : "no");
    fits.tone = e.fits ? Tone::good : Tone::bad;
    row("fits", std::move(fits), verdict(e));
    row("memory", cell(peak.device), peak_text(peak) + likely_text(sure));
    row("step", cell(e.step.total), "mostly " + bound_by(e.step) + between(sure));
    row("tokens/s", short_count_cell(t.tokens_per_s), count_text(t.tokens_per_s_per_gpu) + " per GPU");
    row("MFU", percent_cell(t.mfu),
        to_text(t.model_flops_per_gpu) +
            " per GPU: forward and backward matrix FLOPs, attention over visible keys only" +
            peak_words(job));
    row("HFU", percent_cell(t.hfu),
        to_text(t.hardware_flops_per_gpu) + " per GPU: the same, plus recomputation");
    add_operation_rows(job, bill(job, e, operation), operation, table);
    table.remarks = {layout_text(job)};
    return table;
}

Table parameter_table(const ParameterCount& count) {
    Table table{
        .title = "Parameters", .columns = {"module", "parameters", "share"}, .rows = {}, .remarks = {}};
    const double total = static_cast<double>(count.total);
    const auto row = [&](std::string_view name, std::int64_t n) {
        table.rows.push_back({text_cell(name), count_cell(n), share_cell(static_cast<double>(n) / total)});
    };
    for (int i = 0; i < module_count; ++i) {
        const std::int64_t n = count.by_module[static_cast<std::size_t>(i)];
        if (n != 0) {
            row(spaced_name(to_string(static_cast<Module>(i))), n);
        }
    }
    row("total", count.total);
    if (count.active != count.total) {
        row("active per token", count.active);
    }
    return table;
}

Table memory_table(const Estimate& e) {
    const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
    const std::string where = e.stages.size() > 1 ? " on stage " + std::to_string(e.peak_stage) : "";
    Table table{.title = "Memory per GPU at its peak" + where + ", " + peak_text(peak),
                .columns = {"term", "size", "share"},
                .rows = {},
                .remarks = {}};
    const auto row = [&](std::string_view name, Bytes size) {
        table.rows.push_back({text_cell(name), cell(size), share_cell(size / e.capacity)});
    };
    for (int i = 0; i < memory_term_count; ++i) {
        const auto term = static_cast<MemoryTerm>(i);
        if (is_shown(peak[term])) {
            row(spaced_name(to_string(term)), peak[term]);
        }
        if (term == MemoryTerm::workspace) {
            row("= allocated", peak.allocated);
        } else if (term == MemoryTerm::fragmentation) {
            row("= reserved by the allocator", peak.reserved);
        }
    }
    row("= used on the device", peak.device);
    row("usable", e.capacity);
    if (is_shown(peak.host)) {
        table.rows.push_back({text_cell("in host memory, per GPU"), cell(peak.host)});
        table.rows.push_back({text_cell("in host memory, per node"), cell(e.node_host),
                              e.node_memory ? share_cell(e.node_host / *e.node_memory) : text_cell("")});
        if (e.host_shortfall() > Bytes{})
            table.remarks.push_back("the node has only " + to_text(*e.node_memory) + " of host memory");
    }
    if (is_shown(peak.storage)) {
        table.rows.push_back({text_cell("on NVMe, per GPU"), cell(peak.storage)});
        table.rows.push_back({text_cell("on NVMe, per node"), cell(e.node_storage)});
    }
    return table;
}

Table stage_table(const Estimate& e) {
    Table table{
        .title = "Memory by pipeline stage",
        .columns = {"stage", "model states", "activations", "other", "used", "share", "in flight", "peak"},
        .rows = {},
        .remarks = {}};
    for (std::size_t s = 0; s < e.stages.size(); ++s) {
        const StageMemory& stage = e.stages[s];
        const Bytes states = stage[MemoryTerm::weights] + stage[MemoryTerm::master_weights] +
                             stage[MemoryTerm::gradients] + stage[MemoryTerm::optimizer_states] +
                             stage[MemoryTerm::adapters];
        const Bytes activations = stage[MemoryTerm::saved_activations] + stage[MemoryTerm::block_inputs] +
                                  stage[MemoryTerm::working_set];
        table.rows.push_back({count_cell(static_cast<std::int64_t>(s)), cell(states), cell(activations),
                              cell(stage.device - states - activations), cell(stage.device),
                              share_cell(stage.device / e.capacity),
                              number_cell(stage.micro_batches_in_flight),
                              text_cell(to_string(stage.moment))});
    }
    return table;
}

Table step_table(const StepTime& step) {
    Table table{.title = "Step", .columns = {"part", "time", "share", "what"}, .rows = {}, .remarks = {}};
    const auto row = [&](std::string_view name, Seconds time, std::string_view what) {
        table.rows.push_back({text_cell(name), cell(time), share_cell(time / step.total), text_cell(what)});
    };
    for (int i = 0; i < step_term_count; ++i) {
        const auto term = static_cast<StepTerm>(i);
        if (step[term].value() != 0.0) {
            row(spaced_name(to_string(term)), step[term], meaning(term));
        }
    }
    row("total", step.total, "");
    return table;
}

}  // namespace

std::string verdict(const Estimate& e) {
    const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
    std::string used = to_text(peak.device) + " of " + to_text(e.capacity) + " usable (" +
                       percent_text(peak.device / e.capacity) + ")";
    if (e.shortfall > Bytes{})
        return used + ": " + to_text(e.shortfall) + " over";
    if (!e.fits)
        return used + ", but needs " + to_text(e.node_host) + " of host memory on a node with " +
               to_text(*e.node_memory);
    const AllocatorPressure& pressure = e.step.parts.allocator;
    if (pressure.time <= Seconds{})
        return used;
    const double slower = e.step.total / (e.step.total - pressure.time);
    return used + ", but only by returning " + to_text(pressure.returned) + " to the driver " +
           (pressure.refusals == 1.0 ? "once" : count_text(pressure.refusals) + " times") + " per step: " +
           (slower < 1.005 ? "less than 1% slower" : to_significant(slower) + " times slower");
}

std::string probability_words(const Uncertainty& sure) {
    if (!sure.probability_of_fitting) {
        return "";
    }
    // Residuals say nothing about tails finer than a hundredth.
    constexpr double finest = 0.01;
    const double p = *sure.probability_of_fitting;
    // What is too little for a plan is not rounded to what is enough.
    const long percent = p < sure_to_fit
                             ? std::min(std::lround(p * 100.0), std::lround(sure_to_fit * 100.0) - 1)
                             : std::lround(p * 100.0);
    return p < finest ? "under 1%" : p > 1.0 - finest ? "over 99%" : std::to_string(percent) + "%";
}

std::string misfit_text(const Estimate& e) {
    return "By this memory estimate, the job does not fit: " + verdict(e) + ".";
}

std::string bound_by(const StepTime& step) {
    const auto largest = std::max_element(step.terms.begin(), step.terms.end());
    const auto term = static_cast<StepTerm>(std::distance(step.terms.begin(), largest));
    return std::string(short_meaning(term)) + " (" + percent_text(*largest / step.total) + ")";
}

std::string job_title(const Job& job) {
    return job.model.name + " on " + std::to_string(job.cluster.accelerators) + " " +
           job.cluster.accelerator.id + ", " + job.stack.id + ", " + job.run.precision_name;
}

std::string layout_text(const Job& job) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    std::string text =
        "tp " + std::to_string(p.tp) + ", pp " + std::to_string(p.pp) + ", dp " + std::to_string(p.dp);
    const auto degree = [&](const char* name, std::int64_t value) {
        if (value > 1) {
            text += std::string(", ") + name + " " + std::to_string(value);
        }
    };
    degree("vp", p.vp);
    degree("cp", p.cp);
    degree("ep", p.ep);
    text += ", zero " + std::to_string(p.zero);
    text += "; sequence " + std::to_string(run.sequence) + ", micro-batch " +
            std::to_string(run.micro_batch) + ", global batch " + std::to_string(run.global_batch) + ": " +
            std::to_string(micro_batches(run)) +
            (micro_batches(run) == 1 ? " micro-batch per rank" : " micro-batches per rank");
    return text;
}

std::string peak_text(const StageMemory& stage) {
    switch (stage.moment) {
        case Moment::forward:
            return "in the forward pass" +
                   (stage.block < 0 ? "" : " of block " + std::to_string(stage.block));
        case Moment::loss:
            return "at the loss, with all activations alive";
        case Moment::backward:
            return "in the backward pass" +
                   (stage.block < 0 ? "" : " of block " + std::to_string(stage.block));
        case Moment::optimizer:
            return "in the optimizer step, after all activations are freed";
    }
    return "";
}

std::string reliability_text(const Reliability& r) {
    return "one failure per " + to_text(r.mean_time) + "; a " + to_text(r.checkpoint) + " checkpoint every " +
           to_text(r.interval) + ", written in " + to_text(r.write) + "; " + to_text(r.restart) +
           " from failure to resumed training";
}

std::string no_progress_text(const Job& job, const Operation& operation) {
    const Reliability r = *reliability_of(job, operation);
    return std::to_string(job.cluster.accelerators) + " accelerators fail every " + to_text(r.mean_time) +
           "; writing a " + to_text(r.checkpoint) + " checkpoint takes " + to_text(r.write);
}

std::string peak_words(const Job& job) {
    const Precision& precision = job.run.precision;
    const AcceleratorSpec& accelerator = job.cluster.accelerator;
    const bool emulated = emulates(accelerator, precision.gemm);
    if (precision.gemm == precision.compute && !emulated) {
        return "";
    }
    return "; of the " + std::string(emulated ? "fp32" : to_string(precision.gemm)) + " peak, " +
           to_text(*peak_rate(accelerator, precision.gemm));
}

Table operation_table(std::string title, const Job& job, const Estimate& estimate,
                      const Operation& operation) {
    Table table{.title = std::move(title), .columns = {}, .rows = {}, .remarks = {}};
    add_operation_rows(job, bill(job, estimate, operation), operation, table);
    return table;
}

Table remarks_table(std::string title, std::span<const std::string> remarks) {
    Table table{.title = std::move(title), .columns = {}, .rows = {}, .remarks = {}};
    for (const std::string& remark : remarks) {
        table.remarks.push_back("  " + remark);
    }
    return table;
}

std::vector<Table> estimate_tables(const Job& job, const Estimate& estimate, const Uncertainty& sure,
                                   std::span<const std::string> assumptions, const Operation& operation) {
    std::vector<Table> tables = {summary_table(job, estimate, sure, operation),
                                 parameter_table(estimate.parameters), memory_table(estimate)};
    if (estimate.stages.size() > 1) {
        tables.push_back(stage_table(estimate));
    }
    tables.push_back(step_table(estimate.step));
    if (!assumptions.empty()) {
        tables.push_back(remarks_table("Assumed", assumptions));
    }
    return tables;
}

}  // namespace traincost
