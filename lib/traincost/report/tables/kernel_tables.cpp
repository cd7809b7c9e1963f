#include "traincost/report/tables/kernel_tables.hpp"

#include <string>
#include <string_view>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

Table gemm_error_table(const KernelErrors& errors) {
    Table table{.title = "Matrix products: held-out half of the shapes, m of 64 and more",
                .columns = {"accelerator", "format", "n", "median |error|", "90 %", "bias"}};
    const auto row = [&](std::string_view name, std::string_view of, const ErrorStatistics& e) {
        table.rows.push_back({text_cell(name), text_cell(of), count_cell(e.n), percent_cell(e.median_ape),
                              percent_cell(e.p90_ape), percent_cell(e.bias)});
    };
    for (const GemmErrors& gemm : errors.gemms)
        row(gemm.accelerator, gemm_format_name(gemm.format), gemm.errors);
    row("all", "", errors.all_gemms);
    return table;
}

Table link_error_table(const KernelErrors& errors) {
    Table table{
        .title = "Collectives in one domain: 1 MiB and more",
        .columns = {"accelerator", "curves", "n", "mean |error|", "90 %", "bias", "held out: mean", "90 %"}};
    const auto row = [&](std::string_view name, std::string_view of, const ErrorStatistics& e,
                         const ErrorStatistics& held_out) {
        table.rows.push_back({text_cell(name), text_cell(of), count_cell(e.n), percent_cell(e.mape),
                              percent_cell(e.p90_ape), percent_cell(e.bias), percent_cell(held_out.mape),
                              percent_cell(held_out.p90_ape)});
    };
    for (const LinkErrors& link : errors.links)
        row(link.accelerator, link.curves, link.errors, link.held_out);
    row("all", "", errors.all_links, errors.all_links_held_out);
    table.remarks = {"Held out: every fourth message size predicted by curves fitted to the others."};
    return table;
}

Table kernel_transfer_table(const std::vector<GemmTransfer>& transfers) {
    Table table{
        .title = "Each accelerator left out: |error| of its products with numbers fitted to the others",
        .columns = {"left out", "format", "fitted to", "n", "median", "90 %", "after one scale: median"}};
    for (const GemmTransfer& transfer : transfers) {
        std::string names;
        for (const std::string& name : transfer.fitted_to)
            names += (names.empty() ? "" : ", ") + name;
        table.rows.push_back({text_cell(transfer.accelerator), text_cell(gemm_format_name(transfer.format)),
                              text_cell(names), count_cell(transfer.errors.n),
                              percent_cell(transfer.errors.median_ape), percent_cell(transfer.errors.p90_ape),
                              percent_cell(transfer.scaled.median_ape)});
    }
    return table;
}

void write_kernel_errors(JsonWriter& out, std::string_view key, const ErrorStatistics& e) {
    out.key(key)
        .begin_object()
        .member("n", e.n)
        .member("mape", e.mape)
        .member("median_ape", e.median_ape)
        .member("p90_ape", e.p90_ape)
        .end_object();
}

}  // namespace

std::vector<Table> kernel_error_tables(const KernelErrors& errors) {
    std::vector<Table> tables;
    if (!errors.gemms.empty())
        tables.push_back(gemm_error_table(errors));
    if (!errors.links.empty())
        tables.push_back(link_error_table(errors));
    return tables;
}

std::vector<Table> kernel_calibration_tables(const KernelCalibrationAnswer& answer) {
    if (!answer.transfers.empty())
        return {kernel_transfer_table(answer.transfers)};
    std::vector<Table> tables;
    if (!answer.gemms.empty()) {
        Table table{.title = "Matrix products: |error| on the held-out half of the shapes",
                    .columns = {"accelerator", "format", "points", "fitted", "before: median", "90 %",
                                "formula alone: median", "90 %", "after: median", "90 %"}};
        for (const FittedGemm& g : answer.gemms) {
            const GemmCalibration& c = g.calibration;
            table.rows.push_back({text_cell(g.accelerator), text_cell(gemm_format_name(g.format)),
                                  count_cell(c.points), count_cell(c.fitted_points),
                                  percent_cell(c.before.median_ape), percent_cell(c.before.p90_ape),
                                  percent_cell(c.formula.median_ape), percent_cell(c.formula.p90_ape),
                                  percent_cell(c.after.median_ape), percent_cell(c.after.p90_ape)});
        }
        tables.push_back(std::move(table));
    }
    if (!answer.links.empty()) {
        Table table{.title = "Collectives: mean |error| of messages of 1 MiB and more",
                    .columns = {"accelerator", "curves", "collective", "points", "1 MiB and more", "before",
                                "fitted", "held out"}};
        for (const FittedLink& link : answer.links) {
            for (const CollectiveCalibration& c : link.calibration.collectives) {
                table.rows.push_back({text_cell(link.accelerator), text_cell(link.curves),
                                      text_cell(collective_name(c.collective)), count_cell(c.points),
                                      count_cell(c.large_points), percent_cell(c.before.mape),
                                      percent_cell(c.fitted.mape), percent_cell(c.held_out.mape)});
            }
        }
        table.remarks = {"Held out: every fourth message size predicted by curves fitted to the others."};
        tables.push_back(std::move(table));
    }
    return tables;
}

void write_json(JsonWriter& out, const KernelCalibrationAnswer& answer) {
    out.begin_object().member("schema_version", 1).key("gemm").begin_array();
    for (const FittedGemm& g : answer.gemms) {
        out.begin_object()
            .member("accelerator", g.accelerator)
            .member("format", gemm_format_name(g.format))
            .member("points", g.calibration.points)
            .member("fitted_points", g.calibration.fitted_points);
        write_kernel_errors(out, "held_out_before", g.calibration.before);
        write_kernel_errors(out, "held_out_formula", g.calibration.formula);
        write_kernel_errors(out, "held_out_after", g.calibration.after);
        out.end_object();
    }
    out.end_array().key("collectives").begin_array();
    for (const FittedLink& link : answer.links) {
        for (const CollectiveCalibration& c : link.calibration.collectives) {
            out.begin_object()
                .member("accelerator", link.accelerator)
                .member("curves", link.curves)
                .member("collective", collective_name(c.collective))
                .member("points", c.points);
            write_kernel_errors(out, "error_before", c.before);
            write_kernel_errors(out, "error_fitted", c.fitted);
            write_kernel_errors(out, "error_held_out", c.held_out);
            out.end_object();
        }
    }
    out.end_array().end_object();
}

}  // namespace traincost
