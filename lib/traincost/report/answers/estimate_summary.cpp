#include "traincost/report/answers/estimate_summary.hpp"

#include <cmath>

#include "traincost/base/text.hpp"
#include "traincost/report/chosen.hpp"
#include "traincost/report/price_words.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

/// "; probability of fitting 84%", or nothing; where it counts settings that would fit, which.
std::string likely(const EstimateAnswer& answer) {
    const std::string words = probability_words(answer.sure);
    const std::string why = answer.hope.empty() ? "" : ": " + answer.hope;
    return words.empty() ? "" : "; probability of fitting " + words + why;
}

std::string interval(const Uncertainty& sure) {
    if (!sure.step_time_s)
        return "";
    return "80% interval " + to_text(Seconds{sure.step_time_s->low}) + " to " +
           to_text(Seconds{sure.step_time_s->high}) + "; ";
}

/// "bf16 is emulated on t4, which multiplies fp16 eight times as fast (--precision fp16)."
std::string emulation_words(const Job& job) {
    const AcceleratorSpec& accelerator = job.cluster.accelerator;
    if (!emulates(accelerator, job.run.precision.gemm))
        return "";
    const double faster =
        *peak_rate(accelerator, DataType::fp16) / *peak_rate(accelerator, job.run.precision.gemm);
    return std::string(to_string(job.run.precision.gemm)) + " is emulated on " + accelerator.id +
           ", which multiplies fp16 " + to_significant(faster, 2) + " times as fast (--precision fp16).";
}

/// The first thing to change where it does not fit; the first thing to know where it does.
std::string advice(const EstimateAnswer& answer) {
    if (!answer.estimate.fits) {
        if (answer.remedies.empty())
            return "No valid change of parallelism, micro-batch or recomputation is left; use more GPUs.";
        const Remedy& first = answer.remedies.front();
        return (first.fits ? "Fits with " : "Closest to fitting: ") + first.change + ": " +
               to_text(first.device) + ", " + to_text(first.step) + " per step" +
               (first.fits && first.risky ? ", at some risk" : "") + ".";
    }
    if (answer.sure.probability_of_fitting && *answer.sure.probability_of_fitting < sure_to_fit)
        return "Risky: memory of comparable runs was often higher than predicted.";
    if (std::string words = emulation_words(answer.job); !words.empty())
        return words;
    if (answer.padding) {
        return "A vocabulary padded to " + std::to_string(answer.padding->vocabulary) +
               " rows would make the step " + percent_text(answer.padding->faster) + " faster.";
    }
    return "";
}

/// More tokens than any step takes, where tokens were counted as sequences.
std::string batch_words(const EstimateAnswer& answer) {
    constexpr double beyond_all = 1e9;  // the largest steps published take some 0.1 billion
    const double tokens = answer.estimate.throughput.tokens_per_step;
    return tokens < beyond_all ? ""
                               : "A step takes " + count_text(tokens) +
                                     " tokens: --global-batch counts sequences, not tokens.";
}

void add_training_rows(const EstimateAnswer& answer, Table& table) {
    const auto row = [&](std::string_view name, Cell value, const std::string& remark) {
        table.rows.push_back({text_cell(name), std::move(value), text_cell(remark)});
    };
    const Bill& bill = answer.bill;
    if (bill.reliability) {
        row("goodput", percent_cell(bill.goodput),
            answer.never_ends ? "training never ends: " + *answer.never_ends
                              : "one failure per " + to_text(bill.reliability->mean_time));
    }
    if (!bill.totals)
        return;
    const TrainingTotals& total = *bill.totals;
    row("training", cell(total.time),
        count_text(total.tokens) + " tokens, " + count_text(std::ceil(total.steps)) + " steps; " +
            count_text(total.gpu_hours) + " GPU-hours");
    row("cost", total.cost ? cell(*total.cost) : empty_cell(),
        total.cost ? price_words(answer.job.cluster) : "no known price");
    if (bill.co2_kg)
        row("CO2", text_cell(to_significant(*bill.co2_kg / 1000.0) + " t"), "");
}

}  // namespace

Table summary_of(const EstimateAnswer& answer) {
    const Estimate& e = answer.estimate;
    const Throughput& t = e.throughput;
    Table table{.title = job_title(answer.job), .columns = {}, .rows = {}, .remarks = {}};
    const auto row = [&](std::string_view name, Cell value, const std::string& remark) {
        table.rows.push_back({text_cell(name), std::move(value), text_cell(remark)});
    };
    Cell fits = text_cell(e.fits ? "yes" : "no");
    fits.tone = e.fits ? Tone::good : Tone::bad;
    row("fits", std::move(fits), verdict(e) + likely(answer));
    row("step", cell(e.step.total), interval(answer.sure) + "mostly " + bound_by(e.step));
    row("tokens/s", short_count_cell(t.tokens_per_s), count_text(t.tokens_per_s_per_gpu) + " per GPU");
    row("MFU", percent_cell(t.mfu), to_text(t.model_flops_per_gpu) + " per GPU");
    add_training_rows(answer, table);
    table.remarks.push_back(layout_text(answer.job));
    const auto remark = [&](const std::string& text) {
        if (!text.empty())
            table.remarks.push_back(text);
    };
    remark(batch_words(answer));
    remark(advice(answer));
    const FileNotes& notes = answer.notes;
    if (!notes.contradictions.empty())
        remark("The files contradict each other: " + notes.contradictions.front() +
               (notes.contradictions.size() > 1 ? "; and more" : ""));
    if (!notes.unread.empty())
        remark("Not understood; may matter: " + notes.unread.front() +
               (notes.unread.size() > 1 ? "; and " + std::to_string(notes.unread.size() - 1) + " more" : ""));
    remark("-v: memory, time, assumptions" + std::string(notes.empty() ? "" : ", what the files say"));
    return table;
}

}  // namespace traincost
