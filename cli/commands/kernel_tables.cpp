#include <cli/commands/kernel_tables.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/parallel.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/bench/kernel_points.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

namespace traincost::cli {

namespace {

DataType type_of(GemmFormat format) {
    switch (format) {
        case GemmFormat::fp8:
            return DataType::fp8;
        case GemmFormat::fp8_block:
            return DataType::mxfp8;
        case GemmFormat::fp4:
            return DataType::fp4;
        case GemmFormat::bf16:
            break;
    }
    return DataType::bf16;
}

/// The model of an accelerator's kernels of a format, at the clock of a short benchmark; nothing where a
/// figure is missing. Block-scaled fp8 runs at the peak of fp8.
std::optional<GemmModel> model_of(AcceleratorSpec chip, GemmFormat format, const Catalogue& catalogue) {
    auto& mxfp8 = chip.peak[static_cast<std::size_t>(DataType::mxfp8)];
    if (!mxfp8)
        mxfp8 = peak_rate(chip, DataType::fp8);
    auto model = gemm_model(chip, kernel_models_of(chip, catalogue.bench()), type_of(format));
    if (model) {
        model->sustained = 1.0;
        model->power_knee = 0.0;
    }
    return model;
}

/// Which catalogue accelerator points belong to.
class Chips {
public:
    Chips(const Catalogue& catalogue, const std::string& only, Context& context)
        : catalogue_(catalogue), context_(context) {
        if (!only.empty())
            only_ = catalogue.id(Room::accelerators, only);
    }

    /// The id, or nothing where the point is not wanted.
    std::optional<std::string> id_of(const std::string& name, const std::string& where) {
        if (name.empty()) {
            if (only_.empty())
                throw Error(ErrorKind::input,
                            where + ": the file names no accelerator; say which with --accelerator ID");
            return only_;
        }
        const auto [found, is_new] = ids_.try_emplace(name, std::nullopt);
        if (is_new) {
            found->second = catalogue_.find(Room::accelerators, name);
            for (const char* vendor : {"NVIDIA ", "AMD ", "Intel "}) {
                if (!found->second && name.starts_with(vendor))
                    found->second =
                        catalogue_.find(Room::accelerators, name.substr(std::string(vendor).size()));
            }
            if (!found->second)
                context_.err << "traincost: " << where << ": '" << name
                             << "' is not in the catalogue; its points are left out\n";
        }
        if (!found->second || (!only_.empty() && *found->second != only_))
            return std::nullopt;
        return found->second;
    }

private:
    const Catalogue& catalogue_;
    Context& context_;
    std::string only_;
    std::map<std::string, std::optional<std::string>> ids_;
};

void require_possible(const GemmPoint& p, const GemmModel& model, const MeasuredGemm& measured,
                      const std::string& chip) {
    constexpr double tolerance = 1.02;  // of the peak: boards clock a little above their data sheet
    const FlopRate rate = Flops(2.0 * p.m * p.n * p.k) / p.time;
    if (rate.value() > tolerance * model.peak.value())
        throw Error(ErrorKind::input, measured.where + ": " + std::to_string(static_cast<std::int64_t>(p.m)) +
                                          " x " + std::to_string(static_cast<std::int64_t>(p.n)) + " x " +
                                          std::to_string(static_cast<std::int64_t>(p.k)) + " in " +
                                          to_text(p.time) + " is " + to_text(rate) + ", above the " +
                                          std::string(gemm_format_name(measured.format)) + " peak of " +
                                          chip + ", " + to_text(model.peak));
}

void require_possible(const CollectivePoint& p, const Network& network, const MeasuredCollective& measured,
                      const std::string& chip) {
    constexpr double tolerance = 2.0;  // switches that reduce carry twice what a ring would have to
    const ByteRate rate = bus_bandwidth(p.collective, p.message, p.ranks, p.time);
    if (rate.value() > tolerance * network.scale_up.bandwidth.value())
        throw Error(ErrorKind::input,
                    measured.where + ": " + to_text(p.message) + " among " + std::to_string(p.ranks) +
                        " in " + to_text(p.time) + " is a bus bandwidth of " + to_text(rate) +
                        ", above the links of " + chip + ", " + to_text(network.scale_up.bandwidth));
}

class Sorter {
public:
    Sorter(const std::string& only, LinkChoice curves, const Catalogue& catalogue, Context& context)
        : catalogue_(catalogue), curves_(curves), chips_(catalogue, only, context) {
    }

    void add(const MeasuredGemm& measured) {
        const auto id = chips_.id_of(measured.accelerator, measured.where);
        if (!id)
            return;
        const auto key = std::pair(*id, measured.format);
        auto found = gemms_.find(key);
        if (found == gemms_.end()) {
            const AcceleratorSpec chip = catalogue_.accelerator(*id);
            const auto data = find_gemm_data(chip, catalogue_.bench());
            const auto model = model_of(chip, measured.format, catalogue_);
            if (!data || !model)
                throw Error(ErrorKind::input, measured.where + ": " + *id + " has no " +
                                                  std::string(gemm_format_name(measured.format)) +
                                                  " peak or bandwidth in the catalogue");
            found = gemms_.emplace(key, GemmTable{chip, measured.format, *data, *model, {}, 0}).first;
        }
        GemmTable& table = found->second;
        const GemmPoint point{0,          measured.pass, measured.m,
                              measured.n, measured.k,    Seconds(measured.us * 1e-6)};
        require_possible(point, table.model, measured, *id);
        if (fittable(point))
            table.points.push_back(point);
        else
            ++table.unfittable;
    }

    void add(const MeasuredCollective& measured) {
        const auto id = chips_.id_of(measured.accelerator, measured.where);
        if (!id)
            return;
        auto found = links_.find(*id);
        if (found == links_.end()) {
            ClusterSpec cluster = catalogue_.cluster(*id, 2).spec;
            auto link =
                find_link_record(cluster.network.scale_up.link, LinkKind::scale_up, catalogue_.bench());
            if (link && !link->measured && curves_ == LinkChoice::measured) {
                if (auto own = measured_on(*id)) {
                    cluster.network.scale_up.curves = own->curves;
                    link = std::move(own);
                }
            }
            if (!link)
                throw Error(ErrorKind::input, measured.where + ": no curves serve the link of " + *id +
                                                  ", '" + cluster.network.scale_up.link + "'");
            found =
                links_.emplace(*id, LinkTable{catalogue_.accelerator(*id), cluster.network, *link, {}}).first;
        }
        LinkTable& table = found->second;
        const CollectivePoint point{measured.collective, measured.ranks, Bytes(measured.bytes),
                                    Seconds(measured.us * 1e-6)};
        if (point.ranks > table.network.domain_size)
            throw Error(ErrorKind::input, measured.where + ": " + std::to_string(point.ranks) +
                                              " ranks are more than the scale-up domain of " + *id + ", " +
                                              std::to_string(table.network.domain_size));
        require_possible(point, table.network, measured, *id);
        table.points.push_back(point);
    }

    /// Curves that were measured on a machine of that accelerator.
    std::optional<LinkRecord> measured_on(const std::string& id) const {
        for (LinkRecord& record : link_records()) {
            if (record.kind == LinkKind::scale_up && record.measured &&
                canonical_name(record.hardware).find(id) != std::string::npos)
                return find_link_record(record.id, LinkKind::scale_up, catalogue_.bench());
        }
        return std::nullopt;
    }

    KernelTables tables() {
        KernelTables result;
        for (auto& [key, table] : gemms_)
            result.gemms.push_back(std::move(table));
        for (auto& [key, table] : links_)
            result.links.push_back(std::move(table));
        return result;
    }

private:
    const Catalogue& catalogue_;
    LinkChoice curves_;
    Chips chips_;
    std::map<std::pair<std::string, GemmFormat>, GemmTable> gemms_;
    std::map<std::string, LinkTable> links_;
};

}  // namespace

bool are_kernel_files(const std::vector<std::string>& files) {
    const auto first_other =
        std::find_if(files.begin(), files.end(), [](const std::string& f) { return !is_kernel_file(f); });
    if (first_other == files.end())
        return !files.empty();
    const auto kernels = std::find_if(files.begin(), files.end(), is_kernel_file);
    if (kernels != files.end())
        throw Error(ErrorKind::usage,
                    *kernels + " holds kernels and " + *first_other + " run records; give files of one kind");
    return false;
}

void require_unused(const std::vector<std::pair<std::string_view, bool>>& options) {
    for (const auto& [name, given] : options) {
        if (given)
            throw Error(ErrorKind::usage, std::string(name) + ": is for run records; the files hold kernels");
    }
}

KernelTables read_kernel_tables(const std::vector<std::string>& files, const std::string& accelerator,
                                LinkChoice curves, const Catalogue& catalogue, Context& context) {
    Sorter sorter(accelerator, curves, catalogue, context);
    std::string sources;
    std::string software;
    for (const std::string& path : files) {
        const KernelFile file = read_kernel_file(path);
        for (const std::string& remark : file.remarks)
            context.err << "traincost: " << remark << '\n';
        for (const MeasuredGemm& point : file.gemms)
            sorter.add(point);
        for (const MeasuredCollective& point : file.collectives)
            sorter.add(point);
        sources +=
            (sources.empty() ? "" : "; ") + file.name + (file.source.empty() ? "" : ": " + file.source);
        if (!file.software.empty())
            software += (software.empty() ? "" : ", ") + file.software;
    }
    KernelTables tables = sorter.tables();
    tables.sources = sources;
    tables.software = software;
    if (tables.gemms.empty() && tables.links.empty())
        throw Error(ErrorKind::input,
                    files.front() + ": has no point of " +
                        (accelerator.empty() ? "an accelerator of the catalogue" : accelerator));
    return tables;
}

std::vector<Table> kernel_error_tables(const KernelTables& tables) {
    std::vector<Table> result;
    std::vector<double> all;
    const auto row = [](std::string_view name, std::string_view of, const ErrorStatistics& e) {
        return std::vector<Cell>{text_cell(name),         text_cell(of),
                                 count_cell(e.n),         percent_cell(e.median_ape),
                                 percent_cell(e.p90_ape), percent_cell(e.bias)};
    };
    if (!tables.gemms.empty()) {
        Table table{.title = "Matrix products, the half of the shapes that is held out, m 64 and more",
                    .columns = {"accelerator", "format", "n", "median |error|", "90 %", "bias"}};
        for (const GemmTable& gemm : tables.gemms) {
            std::vector<GemmPoint> half;
            std::copy_if(gemm.points.begin(), gemm.points.end(), std::back_inserter(half), held_out);
            const std::vector<double> errors = gemm_errors(half, std::span(&gemm.model, 1));
            all.insert(all.end(), errors.begin(), errors.end());
            table.rows.push_back(
                row(gemm.accelerator.id, gemm_format_name(gemm.format), error_statistics(errors)));
        }
        table.rows.push_back(row("all", "", error_statistics(all)));
        result.push_back(std::move(table));
    }
    if (!tables.links.empty()) {
        Table table{.title = "Collectives in one domain, 1 MiB and more",
                    .columns = {"accelerator", "curves", "n", "mean |error|", "90 %", "bias",
                                "held out: mean", "90 %"}};
        std::vector<double> as_is;
        std::vector<double> out;
        const auto line = [&](std::string_view name, std::string_view of, const std::vector<double>& errors,
                              const std::vector<double>& held) {
            const ErrorStatistics e = error_statistics(errors);
            const ErrorStatistics h = error_statistics(held);
            table.rows.push_back({text_cell(name), text_cell(of), count_cell(e.n), percent_cell(e.mape),
                                  percent_cell(e.p90_ape), percent_cell(e.bias), percent_cell(h.mape),
                                  percent_cell(h.p90_ape)});
        };
        const auto held = parallel_map(tables.links.size(), [&](std::size_t i) {
            return held_out_collective_errors(tables.links[i].points, tables.links[i].network);
        });
        for (std::size_t i = 0; i < tables.links.size(); ++i) {
            const LinkTable& link = tables.links[i];
            const std::vector<double> errors = collective_errors(link.points, link.network);
            as_is.insert(as_is.end(), errors.begin(), errors.end());
            out.insert(out.end(), held[i].begin(), held[i].end());
            line(link.accelerator.id, link.link.id, errors, held[i]);
        }
        line("all", "", as_is, out);
        table.remarks = {"Held out: every fourth message size predicted by curves fitted to the others."};
        result.push_back(std::move(table));
    }
    return result;
}

}  // namespace traincost::cli
