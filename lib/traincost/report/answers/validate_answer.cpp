#include "traincost/report/answers/validate_answer.hpp"

#include <array>
#include <iterator>

#include "traincost/ask/measured/allowed_word.hpp"
#include "traincost/io/answers/validation_json.hpp"
#include "traincost/report/answers/accuracy_page.hpp"
#include "traincost/report/csv.hpp"
#include "traincost/report/tables/accuracy_tables.hpp"
#include "traincost/report/tables/kernel_tables.hpp"
#include "traincost/report/tables/left_out_tables.hpp"
#include "traincost/report/tables/validation_tables.hpp"

namespace traincost {

namespace {

Format validate_format(const std::string& format) {
    return static_cast<Format>(word_among("--format", format, format_names()));
}

std::vector<Table> validated_tables(const ValidatedRuns& runs, const ValidationView& view) {
    const Validation& validation = runs.validation;
    std::vector<Table> tables;
    if (!view.residuals.empty()) {
        tables.push_back(residual_table(validation, runs.records, runs.metric.value_or(Metric::step_time),
                                        view.residuals));
        return tables;
    }
    if (view.rows)
        tables.push_back(row_table(validation, runs.records));
    if (view.worst > 0) {
        for (int m = 0; m < metric_count; ++m) {
            Table table = worst_table(validation, runs.records, static_cast<Metric>(m),
                                      static_cast<std::size_t>(view.worst));
            if (!table.rows.empty())
                tables.push_back(std::move(table));
        }
    }
    if (view.rows || view.worst > 0)
        return tables;
    for (std::vector<Table>& part :
         std::array{error_tables(validation, view.group), verdict_tables(validation, view.group),
                    safety_tables(validation), ranking_tables(validation)}) {
        tables.insert(tables.end(), std::make_move_iterator(part.begin()),
                      std::make_move_iterator(part.end()));
    }
    if (!validation.skipped.empty())
        tables.push_back(skipped_table(validation, runs.records));
    return tables;
}

std::vector<Table> left_out_answer_tables(const ValidatedLeftOut& left) {
    std::vector<Table> tables = {coverage_table(left.coverage, left.kinds)};
    if (left.unstated)
        tables.push_back(coverage_table(*left.unstated,
                                        "80% intervals if recomputation, attention kernel and compiler are "
                                        "unstated, without runs of the same source and stack"));
    if (left.medians)
        tables.push_back(left_out_error_table(*left.medians));
    return tables;
}

std::string validated_text(const ValidatedRuns& runs, const ValidationView& view, const std::string& name,
                           const TextStyle& style) {
    const Validation& validation = runs.validation;
    if (view.json)
        return validation_json(validation, runs.records);
    if (view.report == "csv")
        return to_csv(std::array{measures_table(validation)});
    if (!view.report.empty())
        return accuracy_page(validation, runs.records, runs.diagnoses);
    const Format format = validate_format(name);
    const std::string head = format == Format::table
                                 ? std::to_string(validation.evaluated) + " of " +
                                       std::to_string(validation.records) + " records evaluated\n\n"
                                 : std::string();
    return head + render(validated_tables(runs, view), format, style);
}

}  // namespace

std::string validate_text(const ValidateAnswer& answer, const ValidationView& view, const std::string& format,
                          const TextStyle& style) {
    if (const auto* kernels = std::get_if<KernelErrors>(&answer.found))
        return render(kernel_error_tables(*kernels), validate_format(format));
    if (const auto* left = std::get_if<ValidatedLeftOut>(&answer.found))
        return render(left_out_answer_tables(*left), validate_format(format), style);
    return validated_text(std::get<ValidatedRuns>(answer.found), view, format, style);
}

}  // namespace traincost
