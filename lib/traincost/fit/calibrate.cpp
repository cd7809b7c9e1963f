#include "traincost/fit/calibrate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "traincost/base/parallel.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/fit/record_keys.hpp"
#include "traincost/fit/uncertainty.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 6> group_names = {"source", "accelerator", "stack",
                                                         "model",  "size",        "class"};

ErrorStatistics statistics(const std::vector<double>& log_errors) {
    std::vector<double> errors;
    for (const double e : log_errors)
        errors.push_back(std::expm1(e));
    return error_statistics(errors);
}

/// The errors of one group, predicted with constants fitted to the rest.
std::vector<double> errors_without(const FitSamples& inside, const FitSamples& outside, Fitted to,
                                   const ChosenConstants& chosen, ConstantFit* fitted = nullptr) {
    ConstantFit rest = fit(outside, to, chosen);
    std::vector<double> errors = log_errors(inside, to, chosen, rest.values);
    if (fitted != nullptr)
        *fitted = std::move(rest);
    return errors;
}

/// Predicts each fold with constants fitted to the others.
ErrorStatistics held_out_errors(const FitSamples& samples, Fitted to, const ChosenConstants& chosen) {
    std::vector<double> errors;
    for (int fold = 0; fold < calibration_folds; ++fold) {
        FitSamples inside;
        FitSamples outside;
        for (const FitSample* sample : samples)
            (fold_of(sample->record->id, calibration_folds) == fold ? inside : outside).push_back(sample);
        if (inside.empty() || outside.empty())
            continue;
        const std::vector<double> some = errors_without(inside, outside, to, chosen);
        errors.insert(errors.end(), some.begin(), some.end());
    }
    return statistics(errors);
}

bool measured(const RunRecord& record, Fitted to) {
    const RecordMeasured& m = record.measured;
    if (to == Fitted::memory)
        return m.memory_bytes.has_value();
    return m.step_time_s || m.tokens_per_s_per_accelerator || m.tflops_per_accelerator;
}

ChosenConstants chosen_constants(const CalibrationOptions& options, Subject of, Fitted to) {
    ChosenConstants chosen;
    for (const FitConstant& constant : fit_constants()) {
        const bool named = std::find(options.constants.begin(), options.constants.end(), constant.name) !=
                           options.constants.end();
        const bool usual = of == Subject::stack && (!constant.by_name || options.rests_on_runs);
        const bool meant = options.constants.empty() ? usual : named;
        if (constant.of == of && constant.to == to && meant)
            chosen.push_back(&constant);
    }
    return chosen;
}

/// No more than `most`: half from inside a node and half from several nodes while there are both, each half
/// those with the smallest hash, the same for any order of the file. A thousand small runs shall not outvote
/// seventy large ones.
void thin(FitSamples& samples, std::int64_t most) {
    constexpr int wide = 1 << 30;
    std::stable_sort(samples.begin(), samples.end(), [](const FitSample* a, const FitSample* b) {
        return fold_of(a->record->id, wide) < fold_of(b->record->id, wide);
    });
    const auto several = std::stable_partition(samples.begin(), samples.end(),
                                               [](const FitSample* s) { return nodes(s->job.cluster) == 1; });
    const std::int64_t inside = several - samples.begin();
    const std::int64_t across = samples.end() - several;
    const std::int64_t fair =
        std::min(std::min(inside, across) == 0 ? most : 2 * std::min(inside, across), most);
    const std::int64_t keep_across = std::min(across, std::max(fair / 2, fair - inside));
    const std::int64_t keep_inside = std::min(inside, fair - keep_across);
    samples.erase(several + keep_across, samples.end());
    samples.erase(samples.begin() + keep_inside, several);
}

/// The samples of one stack or accelerator that measure what is fitted.
struct Subjects {
    std::string name;
    Subject of;
    Fitted to;
    ChosenConstants chosen;
    FitSamples samples;
};

/// Every stack and accelerator with constants to fit and enough records. `samples` keeps what they point to.
std::vector<Subjects> subjects_of(std::span<const SourcedRecord> records, const JobOf& job_of,
                                  const CalibrationOptions& options, std::vector<FitSample>& samples) {
    auto described = parallel_map(records.size(), [&](std::size_t i) { return job_of(records[i].record); });
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (described[i].job && validate(*described[i].job).empty())
            samples.push_back({&records[i].record, std::move(*described[i].job)});
    }
    std::vector<Subjects> result;
    const auto name_of = [&](const FitSample& sample, Subject of) {
        const std::string& stack = sample.job.stack.id;
        if (of == Subject::stack)
            return options.stated_by ? options.stated_by(stack) : stack;
        return sample.job.cluster.accelerator.id;
    };
    for (const Subject of : {Subject::stack, Subject::accelerator}) {
        std::map<std::string, FitSamples> by_name;
        for (const FitSample& sample : samples)
            by_name[name_of(sample, of)].push_back(&sample);
        for (const auto& [name, all] : by_name) {
            for (const Fitted to : {Fitted::time, Fitted::memory}) {
                Subjects subject{name, of, to, chosen_constants(options, of, to), {}};
                if (of == Subject::stack && options.rests_on_runs) {
                    std::erase_if(subject.chosen, [&, stack = name](const FitConstant* constant) {
                        return !options.rests_on_runs(stack, constant->name);
                    });
                }
                std::copy_if(all.begin(), all.end(), std::back_inserter(subject.samples),
                             [&](const FitSample* sample) { return measured(*sample->record, to); });
                if ((subject.chosen.empty() && !options.rests_on_runs) ||
                    static_cast<std::int64_t>(subject.samples.size()) < options.least_records)
                    continue;
                result.push_back(std::move(subject));
            }
        }
    }
    return result;
}

/// How alike errors of one source are: the share of the variance of ln(predicted / measured) that lies
/// between sources. 28 pairs of stack and source with five step times or more: 0.11 between, 0.17 within
/// (2026-11-23).
constexpr double alike = 0.30;

/// Errors' variance (0.04, as above) over that of stacks' constants in units of their ranges (0.2 squared).
constexpr double pull_to_base = 1.0;

/// Records beyond which a fit is theirs alone; fewer move the constants only as far as they bear.
constexpr std::size_t many = 12;

Calibration calibrate_subject(const Subjects& subject, std::int64_t most) {
    FitSamples samples = subject.samples;
    thin(samples, most);
    Calibration result{subject.name, subject.of, subject.to, {}, {}, {}, {}};
    result.before = statistics(log_errors(samples, subject.to, {}, {}));
    FitPrior prior;
    if (samples.size() < many)
        prior.weight = pull_to_base;
    const ConstantFit best = fit(samples, subject.to, subject.chosen, prior);
    result.fitted = statistics(log_errors(samples, subject.to, subject.chosen, best.values));
    result.held_out = held_out_errors(samples, subject.to, subject.chosen);
    for (std::size_t i = 0; i < subject.chosen.size(); ++i) {
        const FitConstant& constant = *subject.chosen[i];
        result.constants.push_back({&constant, constant.get(samples.front()->job), best.values[i],
                                    best.standard_errors[i], best.bound[i], best.at_bound[i]});
    }
    return result;
}

/// No more than `most` of all groups together, each group's part those with the smallest hash.
void thin(std::map<std::string, FitSamples>& groups, std::int64_t most) {
    constexpr int wide = 1 << 30;
    const auto fair = static_cast<std::size_t>(
        std::max<std::int64_t>(1, most / static_cast<std::int64_t>(std::max<std::size_t>(1, groups.size()))));
    for (auto& [name, group] : groups) {
        std::stable_sort(group.begin(), group.end(), [](const FitSample* a, const FitSample* b) {
            return fold_of(a->record->id, wide) < fold_of(b->record->id, wide);
        });
        group.resize(std::min(group.size(), fair));
    }
}

/// What groups by source, model and so on are called; facts are made from the job where they are asked for.
std::string group_of(const FitSample& sample, const std::string& source, std::string_view by) {
    RecordFacts facts;
    facts.accelerator_class = accelerator_class(sample.job.cluster.accelerator);
    if (by == "size")
        facts.parameters = static_cast<double>(estimate(sample.job).parameters.total);
    return record_key({*sample.record, source}, facts, by).value_or("?");
}

std::optional<CrossValidation> cross_validate_subject(const Subjects& subject,
                                                      const std::map<std::string, FitSamples>& groups) {
    if (groups.size() < 2)
        return std::nullopt;
    FitSamples samples;
    for (const auto& [name, group] : groups)
        samples.insert(samples.end(), group.begin(), group.end());
    const ConstantFit all = fit(samples, subject.to, subject.chosen);
    ChosenConstants bearing;
    CrossValidation result{subject.name, subject.of, subject.to, {}, {}, {}, {}, {}};
    for (std::size_t i = 0; i < subject.chosen.size(); ++i) {
        if (!all.bound[i])
            continue;
        bearing.push_back(subject.chosen[i]);
        result.names.push_back(subject.chosen[i]->name);
        result.present.push_back(subject.chosen[i]->get(samples.front()->job));
    }
    if (bearing.empty())
        return std::nullopt;
    std::vector<double> as_is;
    std::vector<double> refitted;
    for (const auto& [name, inside] : groups) {
        FitSamples outside;
        for (const auto& [other, group] : groups) {
            if (other != name)
                outside.insert(outside.end(), group.begin(), group.end());
        }
        ConstantFit rest;
        const std::vector<double> before = log_errors(inside, subject.to, {}, {});
        const std::vector<double> after = errors_without(inside, outside, subject.to, bearing, &rest);
        result.groups.push_back({name, statistics(before), statistics(after), rest.values});
        as_is.insert(as_is.end(), before.begin(), before.end());
        refitted.insert(refitted.end(), after.begin(), after.end());
    }
    result.as_is = statistics(as_is);
    result.refitted = statistics(refitted);
    return result;
}

using SamplesBySource = std::map<std::string, FitSamples>;

/// What n runs of one source count as, each.
double weight_of_one(std::size_t n) {
    return 1.0 / (1.0 + (static_cast<double>(n) - 1.0) * alike);
}

/// The constants before any record is seen: those of the stack this one is written over. A stack that is
/// written over none has no effect of a constant that rests on runs.
std::vector<double> without_records(const Subjects& subject, const CalibrationOptions& options) {
    Job job = subject.samples.front()->job;
    std::optional<StackSpec> base;
    if (options.base_of)
        base = options.base_of(subject.name);
    if (base)
        job.stack = std::move(*base);
    std::vector<double> values;
    for (const FitConstant* constant : subject.chosen)
        values.push_back(!base && options.rests_on_runs
                             ? constant->low
                             : std::clamp(constant->get(job), constant->low, constant->high));
    return values;
}

/// Fitted to all sources but one, each as a few runs, from the constants before any record is seen.
std::vector<double> fitted_to_others(const SamplesBySource& others, const Subjects& subject,
                                     const CalibrationOptions& options) {
    FitPrior prior{pull_to_base, without_records(subject, options), {}};
    FitSamples samples;
    for (const auto& [name, group] : others) {
        samples.insert(samples.end(), group.begin(), group.end());
        prior.sample_weights.insert(prior.sample_weights.end(), group.size(), weight_of_one(group.size()));
    }
    return samples.empty() ? prior.centre : fit(samples, subject.to, subject.chosen, prior).values;
}

void add_errors_without(const std::string& source, const SamplesBySource& sources, const Subjects& subject,
                        const CalibrationOptions& options, std::vector<LeftOutError>& errors) {
    const FitSamples& inside = sources.at(source);
    SamplesBySource rest = sources;
    rest.erase(source);
    thin(rest, options.most_records);
    const std::vector<double> before = log_errors(inside, subject.to, {}, {});
    const std::vector<double> after =
        subject.chosen.empty()
            ? before
            : log_errors(inside, subject.to, subject.chosen, fitted_to_others(rest, subject, options));
    for (std::size_t i = 0; i < before.size(); ++i)
        errors.push_back({source, subject.to, before[i], after[i], !rest.empty()});
}

}  // namespace

std::vector<LeftOutError> errors_without_source(std::span<const SourcedRecord> records, const JobOf& job_of,
                                                const CalibrationOptions& options) {
    std::map<const RunRecord*, std::string> source_of;
    for (const SourcedRecord& record : records)
        source_of[&record.record] = record.source;
    CalibrationOptions every_stack = options;
    every_stack.least_records = 1;
    std::vector<FitSample> samples;
    std::vector<LeftOutError> errors;
    for (const Subjects& subject : subjects_of(records, job_of, every_stack, samples)) {
        if (subject.of != Subject::stack)
            continue;
        SamplesBySource sources;
        for (const FitSample* sample : subject.samples)
            sources[source_of.at(sample->record)].push_back(sample);
        for (const auto& [source, inside] : sources)
            add_errors_without(source, sources, subject, options, errors);
    }
    return errors;
}

std::vector<Calibration> calibrate(std::span<const SourcedRecord> records, const JobOf& job_of,
                                   const CalibrationOptions& options) {
    std::vector<FitSample> samples;
    std::vector<Calibration> result;
    for (const Subjects& subject : subjects_of(records, job_of, options, samples))
        result.push_back(calibrate_subject(subject, options.most_records));
    return result;
}

StackSpec calibrated(StackSpec stack, const Calibration& calibration) {
    Job job{};
    job.stack = std::move(stack);
    for (const FittedConstant& fitted : calibration.constants)
        fitted.constant->set(job, fitted.after);
    return job.stack;
}

std::span<const std::string_view> cross_validation_groups() {
    return group_names;
}

std::vector<CrossValidation> cross_validate(std::span<const SourcedRecord> records, const JobOf& job_of,
                                            const CalibrationOptions& options, std::string_view by) {
    std::map<const RunRecord*, std::string> sources;
    for (const SourcedRecord& record : records)
        sources[&record.record] = record.source;
    CalibrationOptions enough = options;
    enough.least_records =
        options.least_records > 1 ? options.least_records : static_cast<std::int64_t>(many);
    std::vector<FitSample> samples;
    std::vector<CrossValidation> result;
    for (const Subjects& subject : subjects_of(records, job_of, enough, samples)) {
        std::map<std::string, FitSamples> groups;
        for (const FitSample* sample : subject.samples)
            groups[group_of(*sample, sources.at(sample->record), by)].push_back(sample);
        thin(groups, options.most_records);
        if (auto validated = cross_validate_subject(subject, groups))
            result.push_back(std::move(*validated));
    }
    return result;
}

}  // namespace traincost
