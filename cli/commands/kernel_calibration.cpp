#include <cli/commands/kernel_calibration.hpp>
#include <cli/commands/kernel_tables.hpp>
#include <cli/commands/record_files.hpp>
#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/bench/kernel_writer.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/spec/names.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <ostream>
#include <set>

namespace traincost::cli {

namespace {

constexpr std::array<std::string_view, 6> collective_names = {"all-reduce", "all-gather", "reduce-scatter",
                                                              "all-to-all", "send/recv",  "broadcast"};

struct FittedGemm {
    const GemmTable* table;
    GemmCalibration calibration;
};

struct FittedLink {
    const LinkTable* table;
    LinkCalibration calibration;
};

void require_one_accelerator(const KernelTables& tables) {
    std::set<std::string> ids;
    for (const GemmTable& table : tables.gemms)
        ids.insert(table.accelerator.id);
    for (const LinkTable& table : tables.links)
        ids.insert(table.accelerator.id);
    if (ids.size() < 2)
        return;
    std::string all;
    for (const std::string& id : ids)
        all += (all.empty() ? "" : ", ") + id;
    throw Error(ErrorKind::input, "the files measure " + std::to_string(ids.size()) +
                                      " accelerators; choose one with --accelerator: " + all);
}

void require_enough(const GemmTable& table) {
    const auto n = static_cast<std::int64_t>(table.points.size());
    if (n >= least_gemm_points)
        return;
    throw Error(ErrorKind::input,
                table.accelerator.id + ", " + std::string(gemm_format_name(table.format)) + ": " +
                    std::to_string(n) + " products can be fitted to, at least " +
                    std::to_string(least_gemm_points) + " are needed" +
                    (table.unfittable > 0 ? "; " + std::to_string(table.unfittable) +
                                                " have fewer than 64 rows or n or k that is no multiple of 8"
                                          : ""));
}

void require_enough(const LinkTable& table, const LinkCalibration& calibration) {
    if (calibration.collectives.empty())
        throw Error(ErrorKind::input, table.accelerator.id + ": no collective has " +
                                          std::to_string(least_collective_points) + " points to fit to");
}

/// The catalogue's data of the accelerator with the fitted formats in place.
GemmData calibrated(const std::vector<FittedGemm>& fits, const KernelTables& tables,
                    const KernelCalibrationOptions& options) {
    const GemmTable& first = *fits.front().table;
    GemmData data = first.data;
    data.origin.id = "gemm-" + first.accelerator.id;
    data.origin.name = first.accelerator.id + ", measured";
    data.origin.measured = true;
    data.origin.date = options.date;
    data.origin.hardware = first.accelerator.id;
    data.watts_per_tflops.reset();  // the family's rule for members nobody measured
    data.origin.software = tables.software.empty() ? "unstated" : tables.software;
    data.origin.provenance.confidence = "high";
    data.origin.provenance.notes = {
        "Fitted by traincost calibrate to half of the shapes; the percentages are of the other half.",
        "As they were in " + first.data.origin.id +
            ": sustained_factor, factors of passes that were not measured, grouped and misaligned products."};
    data.origin.provenance.sources.insert(data.origin.provenance.sources.begin(), tables.sources);
    std::string kept;
    for (const GemmRecord& record : data.formats) {
        const bool fitted = std::any_of(
            fits.begin(), fits.end(), [&](const FittedGemm& f) { return f.table->format == record.format; });
        if (!fitted)
            kept += (kept.empty() ? "" : ", ") + std::string(gemm_format_name(record.format));
    }
    if (!kept.empty())
        data.origin.provenance.notes.push_back("Formats not measured, as they were: " + kept + ".");
    for (const FittedGemm& fitted : fits) {
        const GemmCalibration& c = fitted.calibration;
        const GemmRecord record{fitted.table->format,    c.points,
                                c.fitted_points,         100.0 * c.after.median_ape,
                                100.0 * c.after.p90_ape, c.fit};
        const auto there = std::find_if(data.formats.begin(), data.formats.end(),
                                        [&](const GemmRecord& r) { return r.format == record.format; });
        if (there != data.formats.end())
            *there = record;
        else
            data.formats.push_back(record);
    }
    return data;
}

LinkRecord calibrated(const FittedLink& fitted, const KernelTables& tables,
                      const KernelCalibrationOptions& options) {
    LinkRecord record = fitted.table->link;
    record.measured = true;
    record.date = options.date;
    record.hardware = fitted.table->accelerator.id;
    record.software = tables.software.empty() ? "unstated" : tables.software;
    record.curves = fitted.calibration.curves;
    LinkError error{};
    double fit = 0.0;
    double held_out = 0.0;
    std::string names;
    for (const CollectiveCalibration& c : fitted.calibration.collectives) {
        error.points += c.large_points;
        error.below_1MiB_points += c.points - c.large_points;
        fit += c.fitted.mape * static_cast<double>(c.large_points);
        held_out += c.held_out.mape * static_cast<double>(c.large_points);
        names += (names.empty() ? "" : ", ") +
                 std::string(collective_names[static_cast<std::size_t>(c.collective)]);
    }
    const double n = static_cast<double>(std::max<std::int64_t>(1, error.points));
    error.fit_percent = 100.0 * fit / n;
    error.cross_validated_percent = 100.0 * held_out / n;
    record.error = error;
    record.provenance.notes = {"Fitted by traincost calibrate: " + names + "; the others as they were in " +
                               fitted.table->link.id + "."};
    record.provenance.sources = {tables.sources};
    return record;
}

void write_data(const std::vector<FittedGemm>& gemms, const std::vector<FittedLink>& links,
                const KernelTables& tables, const KernelCalibrationOptions& options, Context& context) {
    const std::filesystem::path folder = std::filesystem::path(options.out) / "bench";
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    const auto write = [&](const std::string& id, const std::string& text) {
        const std::string path = (folder / (id + ".json")).string();
        write_file(path, text);
        context.err << "traincost: " << path << " written\n";
    };
    if (!gemms.empty()) {
        const GemmData data = calibrated(gemms, tables, options);
        write(data.origin.id, gemm_data_json(data));
    }
    for (const FittedLink& link : links) {
        const LinkRecord record = calibrated(link, tables, options);
        write(record.id, link_record_json(record));
    }
}

std::vector<Table> tables_of(const std::vector<FittedGemm>& gemms, const std::vector<FittedLink>& links) {
    std::vector<Table> tables;
    if (!gemms.empty()) {
        Table table{.title = "Matrix products: |error| on the half of the shapes held out",
                    .columns = {"accelerator", "format", "points", "fitted", "before: median", "90 %",
                                "formula alone: median", "90 %", "after: median", "90 %"}};
        for (const FittedGemm& g : gemms) {
            const GemmCalibration& c = g.calibration;
            table.rows.push_back({text_cell(g.table->accelerator.id),
                                  text_cell(gemm_format_name(g.table->format)), count_cell(c.points),
                                  count_cell(c.fitted_points), percent_cell(c.before.median_ape),
                                  percent_cell(c.before.p90_ape), percent_cell(c.formula.median_ape),
                                  percent_cell(c.formula.p90_ape), percent_cell(c.after.median_ape),
                                  percent_cell(c.after.p90_ape)});
        }
        tables.push_back(std::move(table));
    }
    if (!links.empty()) {
        Table table{.title = "Collectives: mean |error| of messages of 1 MiB and more",
                    .columns = {"accelerator", "curves", "collective", "points", "1 MiB and more", "before",
                                "fitted", "held out"}};
        for (const FittedLink& link : links) {
            for (const CollectiveCalibration& c : link.calibration.collectives) {
                table.rows.push_back({text_cell(link.table->accelerator.id), text_cell(link.table->link.id),
                                      text_cell(collective_names[static_cast<std::size_t>(c.collective)]),
                                      count_cell(c.points), count_cell(c.large_points),
                                      percent_cell(c.before.mape), percent_cell(c.fitted.mape),
                                      percent_cell(c.held_out.mape)});
            }
        }
        table.remarks = {"Held out: every fourth message size predicted by curves fitted to the others."};
        tables.push_back(std::move(table));
    }
    return tables;
}

void write_errors(JsonWriter& out, std::string_view key, const ErrorStatistics& e) {
    out.key(key)
        .begin_object()
        .member("n", e.n)
        .member("mape", e.mape)
        .member("median_ape", e.median_ape)
        .member("p90_ape", e.p90_ape)
        .end_object();
}

std::string json_of(const std::vector<FittedGemm>& gemms, const std::vector<FittedLink>& links) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1).key("gemm").begin_array();
    for (const FittedGemm& g : gemms) {
        out.begin_object()
            .member("accelerator", g.table->accelerator.id)
            .member("format", gemm_format_name(g.table->format))
            .member("points", g.calibration.points)
            .member("fitted_points", g.calibration.fitted_points);
        write_errors(out, "held_out_before", g.calibration.before);
        write_errors(out, "held_out_formula", g.calibration.formula);
        write_errors(out, "held_out_after", g.calibration.after);
        out.end_object();
    }
    out.end_array().key("collectives").begin_array();
    for (const FittedLink& link : links) {
        for (const CollectiveCalibration& c : link.calibration.collectives) {
            out.begin_object()
                .member("accelerator", link.table->accelerator.id)
                .member("curves", link.table->link.id)
                .member("collective", collective_names[static_cast<std::size_t>(c.collective)])
                .member("points", c.points);
            write_errors(out, "error_before", c.before);
            write_errors(out, "error_fitted", c.fitted);
            write_errors(out, "error_held_out", c.held_out);
            out.end_object();
        }
    }
    return out.end_array().end_object().text();
}

/// Each accelerator's products predicted with numbers fitted to the other accelerators of its family; alone
/// in its family, to all others.
Table transfer_table(const KernelTables& tables, const Catalogue& catalogue) {
    Table table{
        .title = "An accelerator left out: |error| of its products with the numbers of others",
        .columns = {"left out", "format", "fitted to", "n", "median", "90 %", "after one scale: median"}};
    const auto family = [&](const GemmTable& t) {
        return kernel_family(t.accelerator.architecture, catalogue.bench());
    };
    for (const GemmTable& target : tables.gemms) {
        std::vector<const GemmTable*> others;
        for (const bool any : {false, true}) {
            for (const GemmTable& other : tables.gemms) {
                if (other.format == target.format && other.accelerator.id != target.accelerator.id &&
                    (any || family(other) == family(target)))
                    others.push_back(&other);
            }
            if (!others.empty())
                break;
        }
        if (others.empty())
            continue;
        std::vector<GemmModel> models;
        std::vector<GemmPoint> points;
        std::string names;
        for (const GemmTable* other : others) {
            for (GemmPoint point : other->points) {
                point.model = models.size();
                if (!held_out(point))
                    points.push_back(point);
            }
            models.push_back(other->model);
            names += (names.empty() ? "" : ", ") + other->accelerator.id;
        }
        const GemmFit fit = fit_gemm(points, models, TileMenus::present);
        const std::vector<double> errors = gemm_errors(target.points, std::span(&target.model, 1), &fit);
        std::vector<double> logs;
        for (const double e : errors)
            logs.push_back(std::log1p(e));
        std::sort(logs.begin(), logs.end());
        const double middle = quantile(logs, 0.5);
        std::vector<double> scaled;
        for (const double l : logs)
            scaled.push_back(std::expm1(l - middle));
        const ErrorStatistics e = error_statistics(errors);
        table.rows.push_back({text_cell(target.accelerator.id), text_cell(gemm_format_name(target.format)),
                              text_cell(names), count_cell(e.n), percent_cell(e.median_ape),
                              percent_cell(e.p90_ape), percent_cell(error_statistics(scaled).median_ape)});
    }
    return table;
}

}  // namespace

void calibrate_kernels(const KernelCalibrationOptions& options, const Catalogue& catalogue,
                       Context& context) {
    const KernelTables tables =
        read_kernel_tables(options.files, options.accelerator, LinkChoice::of_node, catalogue, context);
    if (options.leave_one_out) {
        const Table table = transfer_table(tables, catalogue);
        if (table.rows.empty())
            throw Error(ErrorKind::input,
                        options.files.front() + ": needs products of two accelerators in one format");
        context.out << to_text(std::vector{table}, context.style);
        return;
    }
    require_one_accelerator(tables);
    std::vector<FittedGemm> gemms;
    for (const GemmTable& table : tables.gemms) {
        require_enough(table);
        gemms.push_back({&table, calibrate_gemm(table.points, std::span(&table.model, 1))});
    }
    std::vector<FittedLink> links;
    for (const LinkTable& table : tables.links) {
        links.push_back({&table, calibrate_link(table.points, table.network)});
        require_enough(table, links.back().calibration);
    }
    if (!options.out.empty())
        write_data(gemms, links, tables, options, context);
    if (options.json)
        context.out << json_of(gemms, links);
    else
        context.out << to_text(tables_of(gemms, links), context.style);
}

}  // namespace traincost::cli
