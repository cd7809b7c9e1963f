#include "traincost/ask/measured/validate_question.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "traincost/ask/measured/allowed_word.hpp"
#include "traincost/ask/measured/kernel_tables.hpp"
#include "traincost/ask/measured/record_files.hpp"
#include "traincost/ask/unstated_coverage.hpp"
#include "traincost/base/error.hpp"
#include "traincost/fit/calibrate.hpp"
#include "traincost/fit/leads.hpp"
#include "traincost/fit/record_keys.hpp"
#include "traincost/fit/summary.hpp"
#include "traincost/io/bench/diagnoses_json.hpp"
#include "traincost/io/bench/record_groups_data.hpp"
#include "traincost/io/bench/residuals_json.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/specs/stack_claim.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 4> leave_kinds = {"source", "stack", "accelerator", "settings"};
constexpr std::array<std::string_view, 4> group_kinds = {"table", "source", "stack", "accelerator"};
constexpr std::array<std::string_view, 2> report_kinds = {"markdown", "csv"};

/// "key=value": the key is known, the value is what `record_key` says.
struct RecordFilter {
    std::string key;
    std::string value;
};

RecordFilter record_filter(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        throw Error(ErrorKind::usage, "--filter: '" + text + "'; must be KEY=VALUE");
    RecordFilter filter{text.substr(0, equals), text.substr(equals + 1)};
    word_among("--filter", filter.key, record_keys());
    return filter;
}

/// "source", "stack", "accelerator" and "settings" in any number; the source is left out whatever is said.
LeftOutKinds left_out_kinds(const std::vector<std::string>& names) {
    LeftOutKinds kinds;
    for (const std::string& name : names) {
        word_among("--leave", name, leave_kinds);
        kinds.stack = kinds.stack || name == "stack";
        kinds.accelerator = kinds.accelerator || name == "accelerator";
    }
    return kinds;
}

/// The words of a question, understood.
struct ValidateWords {
    std::optional<Metric> metric;
    std::vector<RecordFilter> filters;
    LeftOutKinds leave;
};

ValidateWords validate_words(const ValidateQuestion& q) {
    const ValidationView& view = q.view;
    ValidateWords words;
    if (!q.metric.empty())
        words.metric = static_cast<Metric>(word_among("--metric", q.metric, metric_names()));
    if (!view.group.empty())
        word_among("--group", view.group, group_kinds);
    for (const std::string& key : view.residuals)
        word_among("--residuals", key, record_keys());
    if (!view.report.empty())
        word_among("--report", view.report, report_kinds);
    if (view.worst < 0)
        throw Error(ErrorKind::usage, "--worst: " + std::to_string(view.worst) + "; must be at least 1");
    for (const std::string& text : q.filters)
        words.filters.push_back(record_filter(text));
    words.leave = left_out_kinds(q.leave);
    const bool viewed = view.json || view.rows || view.worst > 0 || !view.group.empty() ||
                        !view.report.empty() || !view.residuals.empty();
    if (!q.leave.empty() && (viewed || !q.filters.empty() || words.metric || q.new_residuals))
        throw Error(ErrorKind::usage,
                    "--leave: prints a separate table; only --format can be combined with it");
    return words;
}

KernelErrors validated_kernels(const ValidateQuestion& q, const Sources& sources, const TakeRemark& remark) {
    require_unused({{"--json", q.view.json},
                    {"--rows", q.view.rows},
                    {"--group", !q.view.group.empty()},
                    {"--metric", !q.metric.empty()},
                    {"--report", !q.view.report.empty()},
                    {"--filter", !q.filters.empty()},
                    {"--residuals", !q.view.residuals.empty()},
                    {"--worst", q.view.worst > 0},
                    {"--leave", !q.leave.empty()},
                    {"--write-residuals", q.new_residuals}});
    const KernelTables tables =
        read_kernel_tables(q.files, q.accelerator, LinkChoice::measured, sources.catalogue(), remark);
    return kernel_errors(gemm_samples(tables), link_samples(tables));
}

/// What the runs say themselves of how far predictions are off.
Residuals residuals_of_runs(std::span<const SourcedRecord> records, const JobOf& job) {
    const Validation plain = validate(records, job, {});
    Residuals residuals = residuals_from(residuals_of(plain, records));
    const std::vector<LayoutRun> layouts = layout_runs(plain, records);
    residuals.leads = lead_errors(layouts);
    residuals.selection = selection_bias(layouts);
    return residuals;
}

/// A release that states none of the constants that are fitted has its stack's.
std::string stack_that_states(const std::string& id, const Catalogue& catalogue) {
    const JsonDocument own = catalogue.document(Room::stacks, id);
    for (const FitConstant& constant : fit_constants()) {
        if (constant.of == Subject::stack && choice_at(own.root, constant.name) != nullptr)
            return id;
    }
    const JsonValue* base = own.root.find("base");
    return base == nullptr ? id : stack_that_states(JsonNode(own, *base).string(), catalogue);
}

/// Jobs as `validate` takes the records for.
JobOf as_validated(std::span<const SourcedRecord> records, const JobOf& job, const Residuals& residuals) {
    std::map<const RunRecord*, std::string> sources;
    for (const SourcedRecord& record : records)
        sources[&record.record] = record.source;
    return [&job, &residuals, sources = std::move(sources)](const RunRecord& record) {
        return job_as_validated(record, sources.at(&record), job, residuals);
    };
}

ValidatedLeftOut left_out_answer(std::span<const SourcedRecord> records, const JobOf& job,
                                 const Residuals& residuals, const ValidateQuestion& q, LeftOutKinds kinds,
                                 const Sources& sources) {
    const bool settings = std::find(q.leave.begin(), q.leave.end(), "settings") != q.leave.end();
    ValidatedLeftOut answer{kinds, coverage_left_out(records, job, residuals, kinds), {}, {}};
    if (settings)
        answer.unstated = coverage_unstated(records, job, sources);
    if (!kinds.stack && !kinds.accelerator && !settings) {
        CalibrationOptions options;
        const Catalogue& catalogue = sources.catalogue();
        options.base_of = [&](const std::string& id) { return catalogue.base_of_stack(id); };
        options.stated_by = [&](const std::string& id) { return stack_that_states(id, catalogue); };
        options.rests_on_runs = [&](const std::string& id, std::string_view constant) {
            const auto claim = claim_of(catalogue.stack_document(id), constant);
            return claim && claim->kind == ClaimKind::fitted;
        };
        answer.medians =
            medians_left_out(errors_without_source(records, as_validated(records, job, residuals), options));
    }
    return answer;
}

/// Rows and skipped records that pass the filters.
Validation filtered(Validation validation, std::span<const SourcedRecord> records,
                    const std::vector<RecordFilter>& filters, std::optional<Metric> metric) {
    const auto out = [&](std::size_t record) {
        for (const RecordFilter& filter : filters) {
            if (record_key(records[record], validation.facts[record], filter.key) != filter.value)
                return true;
        }
        return false;
    };
    std::erase_if(validation.rows, [&](const ValidationRow& row) {
        return out(row.record) || (metric && row.metric != *metric);
    });
    std::erase_if(validation.skipped, [&](const SkippedRecord& skipped) { return out(skipped.record); });
    std::set<std::size_t> evaluated;
    for (const ValidationRow& row : validation.rows)
        evaluated.insert(row.record);
    validation.evaluated = evaluated.size();
    validation.records = evaluated.size() + validation.skipped.size();
    return validation;
}

}  // namespace

ValidateAnswer ask(const ValidateQuestion& question, const Sources& sources, const TakeRemark& remark) {
    const ValidateWords words = validate_words(question);
    if (are_kernel_files(question.files))
        return {validated_kernels(question, sources, remark)};
    std::vector<SourcedRecord> records = read_record_files(question.files, remark);
    const RecordCatalogue look_up = record_catalogue(sources.catalogue());
    const JobOf job = [&](const RunRecord& record) { return job_of(record, look_up); };
    const Residuals residuals =
        question.new_residuals ? residuals_of_runs(records, job) : sources.residuals();
    if (!question.leave.empty())
        return {left_out_answer(records, job, residuals, question, words.leave, sources)};
    const RecordGroups groups = read_record_groups(sources.catalogue());
    ValidateAnswer answer{ValidatedRuns{{}, validate(records, job, residuals), words.metric, {}}};
    ValidatedRuns& runs = std::get<ValidatedRuns>(answer.found);
    if (!words.filters.empty() || words.metric)
        runs.validation = filtered(std::move(runs.validation), records, words.filters, words.metric);
    summarize(records, groups, runs.validation);
    if (!question.view.report.empty())
        runs.diagnoses = read_diagnoses(sources.catalogue());
    runs.records = std::move(records);
    if (question.new_residuals)
        answer.residuals = residuals_json(residuals);
    return answer;
}

}  // namespace traincost
