#include "traincost/report/answers/estimate_answer.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/base/text.hpp"
#include "traincost/io/answers/estimate_json.hpp"
#include "traincost/io/answers/timeline_json.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/report/answers/comparison.hpp"
#include "traincost/report/answers/step_details.hpp"
#include "traincost/report/charts/timeline_chart.hpp"
#include "traincost/report/chosen.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

Table remedy_table(const std::vector<Remedy>& remedies) {
    const bool enough = !remedies.empty() && remedies.front().fits;
    Table table{.title = enough ? "It would fit with" : "No single change is enough; the closest are",
                .columns = {"change", "used", "step"},
                .rows = {},
                .remarks = {}};
    if (enough && remedies.front().risky) {
        table.remarks.emplace_back(risky_text);
    }
    for (const Remedy& remedy : remedies) {
        table.rows.push_back({text_cell(remedy.change), cell(remedy.device), cell(remedy.step)});
    }
    if (remedies.empty()) {
        return {
            .title = "No valid change of parallelism, micro-batch or recomputation is left; use more GPUs",
            .columns = {},
            .rows = {},
            .remarks = {}};
    }
    return table;
}

/// "A vocabulary of 50304 instead of 50257 would be 40% faster".
std::string padding_text(const Job& job, const VocabularyPadding& padding) {
    return "A vocabulary padded from " + std::to_string(job.model.vocab) + " to " +
           std::to_string(padding.vocabulary) + " rows would make the step " + percent_text(padding.faster) +
           " faster, because its matrix rows would be aligned to 16 bytes.";
}

/// The step and memory with each setting that nobody stated otherwise, and what that leaves open.
Table unstated_table(const EstimateAnswer& answer) {
    const UnstatedRange& range = answer.unstated;
    Table table{.title = "Effect of unstated settings",
                .columns = {"setting", "assumed", "alternative", "step", "used"},
                .rows = {},
                .remarks = {}};
    for (const UnstatedSetting& setting : range.settings) {
        for (const OtherSetting& other : setting.others) {
            Cell used = cell(other.device);
            if (!other.fits)
                used.tone = Tone::bad;
            table.rows.push_back({text_cell(setting.flag), text_cell(setting.taken), text_cell(other.value),
                                  cell(other.step), std::move(used)});
        }
    }
    std::string remark = "Together: step " + to_text(range.step_low) + " to " + to_text(range.step_high) +
                         ", memory " + to_text(range.device_low) + " to " + to_text(range.device_high);
    if (const std::string first = advice(range); !first.empty())
        remark += "; " + first;
    table.remarks.push_back(remark + ".");
    if (!answer.hope.empty())
        table.remarks.push_back("The probability of fitting accounts for them: " + answer.hope + ".");
    return table;
}

/// Which of the stack's constants bear on the job, and what they rest on; those in its code are only counted.
Table constants_table(const EstimateAnswer& answer) {
    const std::string& stack = answer.job.stack.id;
    Table table{.title = "Stack constants",
                .columns = {"constant", "value", "basis"},
                .rows = {},
                .remarks = {constants_text(answer.constants, stack)}};
    for (const StackConstant& constant : answer.constants) {
        if (constant.claim.kind != ClaimKind::code)
            table.rows.push_back({text_cell(constant.path), text_cell(constant.value),
                                  text_cell(origin_text(constant.claim))});
    }
    return table;
}

void write_unstated(JsonWriter& out, const UnstatedRange& range) {
    if (range.settings.empty())
        return;
    out.key("unstated").begin_object();
    out.array("step_time_s", std::vector<double>{range.step_low.value(), range.step_high.value()});
    out.array("device_bytes", std::vector<double>{range.device_low.value(), range.device_high.value()});
    out.member("advice", advice(range));
    out.key("settings").begin_array();
    for (const UnstatedSetting& setting : range.settings) {
        out.begin_object().member("field", setting.field).member("flag", setting.flag);
        out.member("taken", setting.taken).member("share", setting.share);
        out.key("others").begin_array();
        for (const OtherSetting& other : setting.others) {
            out.begin_object().member("value", other.value).member("step_time_s", other.step);
            out.member("device_bytes", other.device).member("fits", other.fits).end_object();
        }
        out.end_array().end_object();
    }
    out.end_array().end_object();
}

/// What the files said, contradict each other in, and say in vain.
void add_notes(const FileNotes& notes, std::vector<Table>& tables) {
    if (notes.empty())
        return;
    Table said{
        .title = "Read from the files", .columns = {"field", "value", "where"}, .rows = {}, .remarks = {}};
    for (const SaidField& field : notes.said)
        said.rows.push_back({text_cell(field.field), text_cell(field.value), text_cell(field.where)});
    tables.push_back(std::move(said));
    if (!notes.contradictions.empty())
        tables.push_back(remarks_table("Contradictions", notes.contradictions));
    if (!notes.unread.empty())
        tables.push_back(remarks_table("Not understood; may affect memory or time", notes.unread));
}

void write_notes(JsonWriter& out, const FileNotes& notes) {
    if (notes.empty())
        return;
    out.key("files").begin_object();
    out.key("said").begin_array();
    for (const SaidField& field : notes.said) {
        out.begin_object().member("field", field.field).member("value", field.value);
        out.member("where", field.where).end_object();
    }
    out.end_array();
    out.array("contradictions", notes.contradictions);
    out.array("unread", notes.unread);
    out.end_object();
}

/// The members that every estimate has.
void write_members(JsonWriter& out, const EstimateAnswer& answer) {
    write_estimate_members(out, answer.job, answer.estimate, answer.sure, to_text(answer.assumptions),
                           answer.operation);
}

const StageMemory& peak_memory_of(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)];
}

std::vector<ComparedJob> compared(const CompareAnswer& answer) {
    std::vector<ComparedJob> jobs;
    for (std::size_t i = 0; i < answer.jobs.size(); ++i) {
        const EstimateAnswer& job = answer.jobs[i];
        jobs.push_back({answer.names[i], job.job, job.operation, job.estimate});
    }
    return jobs;
}

}  // namespace

std::vector<Table> tables_of(const EstimateAnswer& answer, bool details) {
    std::vector<Table> tables = estimate_tables(answer.job, answer.estimate, answer.sure,
                                                to_text(answer.assumptions), answer.operation);
    if (answer.padding)
        tables.front().remarks.push_back(padding_text(answer.job, *answer.padding));
    if (details) {
        std::vector<Table> more = step_detail_tables(answer.job, answer.estimate);
        if (!answer.unstated.settings.empty())
            more.push_back(unstated_table(answer));
        if (!answer.constants.empty())
            more.push_back(constants_table(answer));
        // Before what was assumed.
        tables.insert(tables.end() - (answer.assumptions.empty() ? 0 : 1), more.begin(), more.end());
    }
    if (!answer.estimate.fits)
        tables.insert(tables.begin() + 1, remedy_table(answer.remedies));
    add_notes(answer.notes, tables);
    return tables;
}

void write_json(JsonWriter& out, const EstimateAnswer& answer) {
    out.begin_object();
    write_members(out, answer);
    write_unstated(out, answer.unstated);
    write_notes(out, answer.notes);
    if (const auto& padding = answer.padding) {
        out.key("vocabulary_padding").begin_object();
        out.member("vocabulary", padding->vocabulary);
        out.member("step_time_s", padding->step);
        out.end_object();
    }
    if (!answer.estimate.fits) {
        out.key("remedies").begin_array();
        for (const Remedy& remedy : answer.remedies) {
            out.begin_object();
            out.member("change", remedy.change);
            out.member("fits", remedy.fits);
            out.member("risky", remedy.risky);
            out.member("device_bytes", remedy.device);
            out.member("step_time_s", remedy.step);
            out.end_object();
        }
        out.end_array();
    }
    out.end_object();
}

std::vector<Table> tables_of(const CompareAnswer& answer) {
    return {comparison_table(compared(answer))};
}

std::vector<Chart> charts_of(const CompareAnswer& answer) {
    return comparison_charts(compared(answer));
}

void write_json(JsonWriter& out, const CompareAnswer& answer) {
    const Estimate& first = answer.jobs.front().estimate;
    out.begin_object();
    out.member("schema_version", estimate_schema_version);
    out.key("jobs").begin_array();
    for (std::size_t i = 0; i < answer.jobs.size(); ++i) {
        const EstimateAnswer& job = answer.jobs[i];
        out.begin_object();
        out.member("file", answer.names[i]);
        out.member("step_ratio", job.estimate.step.total / first.step.total);
        out.member("memory_ratio", peak_memory_of(job.estimate).device / peak_memory_of(first).device);
        write_members(out, job);
        out.end_object();
    }
    out.end_array().end_object();
}

std::vector<Table> tables_of(const TimelineAnswer& answer, int width) {
    std::vector<Table> tables = {{.title = job_title(answer.job),
                                  .columns = {},
                                  .rows = {{text_cell(layout_text(answer.job))}},
                                  .remarks = {}},
                                 timeline_table(answer.line, answer.lanes, width),
                                 memory_drawing(answer.line, width)};
    if (answer.line.stages > 1)
        tables.push_back(lane_usage_table(answer.lanes));
    if (!answer.estimate.fits)
        tables.front().remarks.push_back(misfit_text(answer.estimate));
    if (!answer.assumptions.empty())
        tables.push_back(remarks_table("Assumed", to_text(answer.assumptions)));
    return tables;
}

void write_json(JsonWriter& out, const TimelineAnswer& answer) {
    out.begin_object().member("schema_version", 1);
    out.key("input");
    write_json(out, answer.job);
    write_timeline_members(out, answer.line, answer.lanes);
    out.array("assumptions", to_text(answer.assumptions));
    out.end_object();
}

}  // namespace traincost
