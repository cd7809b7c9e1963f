#include "traincost/ask/measured/calibrate_question.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "traincost/ask/measured/allowed_word.hpp"
#include "traincost/ask/measured/record_files.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/bench/accelerator_kernels.hpp"
#include "traincost/io/bench/calibration_json.hpp"
#include "traincost/io/bench/kernel_writer.hpp"
#include "traincost/io/record_catalogue.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 1> kernel_groups = {"accelerator"};

void require_constants(const std::vector<std::string>& names) {
    std::vector<std::string_view> known;
    for (const FitConstant& constant : fit_constants())
        known.push_back(constant.name);
    for (const std::string& name : names)
        word_among("--constants", name, known);
}

std::vector<std::string> names_of_sources(std::span<const SourcedRecord> records) {
    std::set<std::string> sources;
    for (const SourcedRecord& record : records)
        sources.insert(record.source);
    return {sources.begin(), sources.end()};
}

std::string comma_list(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? "" : ", ") + name;
    return all;
}

/// One record a stack or accelerator.
std::vector<DataRecord> fitted_records(const std::vector<Calibration>& calibrations,
                                       const std::vector<std::string>& sources, const Catalogue& catalogue) {
    std::vector<DataRecord> records;
    std::map<std::string, std::vector<Calibration>> by_stack;
    for (const Calibration& c : calibrations) {
        if (c.of == Subject::stack) {
            by_stack[c.subject].push_back(c);
            continue;
        }
        const AcceleratorSpec chip = catalogue.accelerator(c.subject);
        std::optional<GemmData> data = find_gemm_data(chip, catalogue.bench());
        if (!data || !c.constants.front().bound)
            continue;
        data->origin.id = "gemm-" + chip.id;
        data->sustained_factor = std::stod(to_significant(c.constants.front().after, 3));
        data->origin.provenance.notes.push_back(
            "sustained_factor fitted to " + std::to_string(c.fitted.n) + " measurements of " +
            comma_list(sources) + "; mean error of records held out " + percent_text(c.held_out.mape));
        records.push_back({"bench", data->origin.id, gemm_data_json(*data)});
    }
    for (const auto& [stack, of_stack] : by_stack) {
        records.push_back(
            {"stacks", catalogue.id(Room::stacks, stack),
             calibrated_stack_record(catalogue.document(Room::stacks, stack), of_stack, sources)});
    }
    return records;
}

KernelCalibrationAnswer calibrated_kernels(const CalibrateQuestion& q, const Sources& sources,
                                           const TakeRemark& remark) {
    require_unused({{"--stack", !q.stacks.empty()}, {"--constants", !q.fit.constants.empty()}});
    if (!q.cross_validate.empty())
        word_among("--cross-validate", q.cross_validate, kernel_groups);
    return ask(KernelCalibrationQuestion{q.files, q.accelerator, q.date, !q.cross_validate.empty()},
               sources.catalogue(), remark);
}

}  // namespace

bool CalibrateAnswer::yes() const {
    if (const auto* fitted = std::get_if<FittedStacks>(&found))
        return !fitted->calibrations.empty();
    if (const auto* crossed = std::get_if<CrossValidatedStacks>(&found))
        return !crossed->validations.empty();
    return true;
}

const std::vector<DataRecord>& CalibrateAnswer::records() const {
    static const std::vector<DataRecord> none;
    if (const auto* fitted = std::get_if<FittedStacks>(&found))
        return fitted->records;
    const auto* kernels = std::get_if<KernelCalibrationAnswer>(&found);
    return kernels != nullptr ? kernels->records : none;
}

CalibrateAnswer ask(const CalibrateQuestion& question, const Sources& sources, const TakeRemark& remark) {
    if (are_kernel_files(question.files))
        return {calibrated_kernels(question, sources, remark)};
    require_constants(question.fit.constants);
    std::vector<SourcedRecord> records = read_record_files(question.files, remark);
    const std::vector<std::string>& stacks = question.stacks;
    if (!stacks.empty()) {
        std::erase_if(records, [&](const SourcedRecord& record) {
            return std::find(stacks.begin(), stacks.end(), record.record.run.stack) == stacks.end();
        });
    }
    const RecordCatalogue look_up = record_catalogue(sources.catalogue());
    const JobOf job = [&](const RunRecord& record) { return job_of(record, look_up); };
    if (!question.cross_validate.empty()) {
        word_among("--cross-validate", question.cross_validate, cross_validation_groups());
        return {CrossValidatedStacks{question.cross_validate,
                                     cross_validate(records, job, question.fit, question.cross_validate)}};
    }
    FittedStacks fitted{calibrate(records, job, question.fit), {}, question.fit.least_records};
    if (question.records)
        fitted.records = fitted_records(fitted.calibrations, names_of_sources(records), sources.catalogue());
    return {std::move(fitted)};
}

}  // namespace traincost
