#include "traincost/ask/measured/kernel_calibration.hpp"

#include <algorithm>
#include <set>

#include "traincost/base/error.hpp"
#include "traincost/io/bench/kernel_writer.hpp"

namespace traincost {

namespace {

void require_one_accelerator(const KernelTables& tables) {
    std::set<std::string> ids;
    for (const GemmTable& table : tables.gemms)
        ids.insert(table.sample.accelerator);
    for (const LinkTable& table : tables.links)
        ids.insert(table.sample.accelerator);
    if (ids.size() < 2)
        return;
    std::string all;
    for (const std::string& id : ids)
        all += (all.empty() ? "" : ", ") + id;
    throw Error(ErrorKind::input, "the files measure " + std::to_string(ids.size()) +
                                      " accelerators; choose one with --accelerator: " + all);
}

void require_enough(const GemmTable& table) {
    const auto n = static_cast<std::int64_t>(table.sample.points.size());
    if (n >= least_gemm_points)
        return;
    throw Error(
        ErrorKind::input,
        table.sample.accelerator + ", " + std::string(gemm_format_name(table.sample.format)) + ": " +
            std::to_string(n) + " products are usable; at least " + std::to_string(least_gemm_points) +
            " are needed" +
            (table.unfittable > 0 ? "; " + std::to_string(table.unfittable) +
                                        " have fewer than 64 rows, or an n or k that is not a multiple of 8"
                                  : ""));
}

void require_enough(const LinkTable& table, const LinkCalibration& calibration) {
    if (calibration.collectives.empty())
        throw Error(ErrorKind::input, table.sample.accelerator + ": no collective has " +
                                          std::to_string(least_collective_points) + " points to fit to");
}

/// The catalogue's data of the accelerator with the fitted formats in place.
GemmData calibrated_gemm_data(const std::vector<FittedGemm>& fits, const KernelTables& tables,
                              const std::string& date) {
    const GemmTable& first = tables.gemms.front();
    GemmData data = first.data;
    data.origin.id = "gemm-" + first.sample.accelerator;
    data.origin.name = first.sample.accelerator + ", measured";
    data.origin.measured = true;
    data.origin.date = date;
    data.origin.hardware = first.sample.accelerator;
    data.watts_per_tflops.reset();  // the family's rule for members nobody measured
    data.origin.software = tables.software.empty() ? "unstated" : tables.software;
    data.origin.provenance.confidence = "high";
    data.origin.provenance.notes = {
        "Fitted by traincost calibrate to half of the shapes; the percentages are errors on the other half.",
        "Unchanged from " + first.data.origin.id +
            ": sustained_factor, factors of passes that were not measured, grouped and misaligned products."};
    data.origin.provenance.sources.insert(data.origin.provenance.sources.begin(), tables.sources);
    std::string kept;
    for (const GemmRecord& record : data.formats) {
        const bool fitted = std::any_of(fits.begin(), fits.end(),
                                        [&](const FittedGemm& f) { return f.format == record.format; });
        if (!fitted)
            kept += (kept.empty() ? "" : ", ") + std::string(gemm_format_name(record.format));
    }
    if (!kept.empty())
        data.origin.provenance.notes.push_back("Formats not measured, unchanged: " + kept + ".");
    for (const FittedGemm& fitted : fits) {
        const GemmCalibration& c = fitted.calibration;
        const GemmRecord record{fitted.format,           c.points,
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

LinkRecord calibrated_link_record(const FittedLink& fitted, const LinkRecord& before,
                                  const KernelTables& tables, const std::string& date) {
    LinkRecord record = before;
    record.measured = true;
    record.date = date;
    record.hardware = fitted.accelerator;
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
        names += (names.empty() ? "" : ", ") + std::string(collective_name(c.collective));
    }
    const double n = static_cast<double>(std::max<std::int64_t>(1, error.points));
    error.fit_percent = 100.0 * fit / n;
    error.cross_validated_percent = 100.0 * held_out / n;
    record.error = error;
    record.provenance.notes = {"Fitted by traincost calibrate: " + names + "; the others unchanged from " +
                               before.id + "."};
    record.provenance.sources = {tables.sources};
    return record;
}

std::vector<DataRecord> calibrated_kernel_records(const KernelCalibrationAnswer& answer,
                                                  const KernelTables& tables, const std::string& date) {
    std::vector<DataRecord> records;
    if (!answer.gemms.empty()) {
        const GemmData data = calibrated_gemm_data(answer.gemms, tables, date);
        records.push_back({"bench", data.origin.id, gemm_data_json(data)});
    }
    for (std::size_t i = 0; i < answer.links.size(); ++i) {
        const LinkRecord record = calibrated_link_record(answer.links[i], tables.links[i].link, tables, date);
        records.push_back({"bench", record.id, link_record_json(record)});
    }
    return records;
}

}  // namespace

KernelCalibrationAnswer ask(const KernelCalibrationQuestion& question, const Catalogue& catalogue,
                            const TakeRemark& remark) {
    const KernelTables tables =
        read_kernel_tables(question.files, question.accelerator, LinkChoice::of_node, catalogue, remark);
    KernelCalibrationAnswer answer;
    if (question.transfers) {
        answer.transfers = gemm_transfers(gemm_samples(tables));
        if (answer.transfers.empty())
            throw Error(ErrorKind::input,
                        question.files.front() + ": needs products of two accelerators in one format");
        return answer;
    }
    require_one_accelerator(tables);
    for (const GemmTable& table : tables.gemms) {
        require_enough(table);
        answer.gemms.push_back({table.sample.accelerator, table.sample.format,
                                calibrate_gemm(table.sample.points, std::span(&table.sample.model, 1))});
    }
    for (const LinkTable& table : tables.links) {
        answer.links.push_back({table.sample.accelerator, table.link.id,
                                calibrate_link(table.sample.points, table.sample.network)});
        require_enough(table, answer.links.back().calibration);
    }
    answer.records = calibrated_kernel_records(answer, tables, question.date);
    return answer;
}

}  // namespace traincost
