#include "traincost/report/answers/calibrate_answer.hpp"

#include <span>

#include "traincost/base/text.hpp"
#include "traincost/io/bench/calibration_json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/tables/kernel_tables.hpp"

namespace traincost {

namespace {

/// Of one record nothing can be held out.
Cell held_error_cell(const ErrorStatistics& errors) {
    return errors.n > 0 ? percent_cell(errors.mape) : empty_cell();
}

std::vector<Table> fitted_tables(const std::vector<Calibration>& calibrations) {
    Table errors{
        .title = "Mean |error|",
        .columns = {"stack or accelerator", "figure", "n", "before", "fitted", "held out", "bias held out"}};
    Table fitted{.title = "Constants",
                 .columns = {"stack or accelerator", "constant", "before", "after", "+-", ""}};
    for (const Calibration& c : calibrations) {
        errors.rows.push_back({text_cell(c.subject), text_cell(c.to == Fitted::time ? "time" : "memory"),
                               count_cell(c.fitted.n), held_error_cell(c.before), held_error_cell(c.fitted),
                               held_error_cell(c.held_out),
                               c.held_out.n > 0 ? percent_cell(c.held_out.bias) : empty_cell()});
        for (const FittedConstant& constant : c.constants) {
            if (constant.bound) {
                fitted.rows.push_back({text_cell(c.subject), text_cell(constant.constant->name),
                                       number_cell(constant.before), number_cell(constant.after),
                                       number_cell(constant.standard_error),
                                       text_cell(constant.at_bound ? "at the limit of its range" : "")});
            }
        }
    }
    fitted.remarks = {"Constants that the records do not affect are not listed and keep their values."};
    return {errors, fitted};
}

std::string named_constants(std::span<const std::string_view> names, std::span<const double> values) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (text.empty() ? "" : ", ") + std::string(names[i]) + " " + to_significant(values[i]);
    return text;
}

/// A table a stack or accelerator: each group as it is, and predicted from the others.
std::vector<Table> cross_validated_tables(const std::vector<CrossValidation>& validations,
                                          const std::string& by) {
    std::vector<Table> tables;
    for (const CrossValidation& v : validations) {
        Table table{.title = v.subject + ", " + (v.to == Fitted::time ? "time" : "memory") +
                             ": mean |error|, each " + by + " left out in turn",
                    .columns = {by, "n", "as it is", "bias", "fitted to the others", "bias", "constants"}};
        const auto row = [&](const std::string& name, const ErrorStatistics& as_is,
                             const ErrorStatistics& refitted, const std::string& constants) {
            table.rows.push_back({text_cell(name), count_cell(as_is.n), held_error_cell(as_is),
                                  percent_cell(as_is.bias), held_error_cell(refitted),
                                  percent_cell(refitted.bias), text_cell(constants)});
        };
        for (const LeftOutGroup& group : v.groups)
            row(group.group, group.as_is, group.refitted, named_constants(v.names, group.constants));
        row("all", v.as_is, v.refitted, named_constants(v.names, v.present) + " (present)");
        tables.push_back(std::move(table));
    }
    return tables;
}

}  // namespace

std::vector<Table> calibrate_tables(const CalibrateAnswer& answer) {
    if (!answer.yes())
        return {};
    if (const auto* kernels = std::get_if<KernelCalibrationAnswer>(&answer.found))
        return kernel_calibration_tables(*kernels);
    if (const auto* crossed = std::get_if<CrossValidatedStacks>(&answer.found))
        return cross_validated_tables(crossed->validations, crossed->by);
    return fitted_tables(std::get<FittedStacks>(answer.found).calibrations);
}

std::string nothing_fitted_text(const CalibrateAnswer& answer) {
    if (answer.yes())
        return {};
    if (std::holds_alternative<CrossValidatedStacks>(answer.found))
        return "no stack has enough records in two groups to fit to";
    const std::int64_t least = std::get<FittedStacks>(answer.found).least_records;
    return "no stack has " + std::to_string(least) + (least == 1 ? " record" : " records") + " to fit to";
}

std::string calibrate_json(const CalibrateAnswer& answer) {
    if (const auto* crossed = std::get_if<CrossValidatedStacks>(&answer.found))
        return cross_validation_json(crossed->validations, crossed->by);
    if (const auto* fitted = std::get_if<FittedStacks>(&answer.found))
        return calibration_json(fitted->calibrations);
    const auto& kernels = std::get<KernelCalibrationAnswer>(answer.found);
    if (!kernels.transfers.empty())
        return {};
    JsonWriter out;
    write_json(out, kernels);
    return out.text();
}

}  // namespace traincost
