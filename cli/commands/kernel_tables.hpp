// Measured kernels of files, sorted by what they measure and joined with the catalogue's models: for validate
// and calibrate.
#pragma once

#include <cli/context.hpp>
#include <traincost/fit/gemm_fit.hpp>
#include <traincost/fit/link_fit.hpp>
#include <traincost/io/bench/kernel_data.hpp>
#include <traincost/io/bench/network_data.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/report/table.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace traincost::cli {

/// Products of one format on one accelerator.
struct GemmTable {
    AcceleratorSpec accelerator;
    GemmFormat format;
    GemmData data;    ///< the catalogue's, own or of the family
    GemmModel model;  ///< at the clock of a short benchmark
    std::vector<GemmPoint> points;
    std::int64_t unfittable;  ///< left out: few rows, or off the 16-byte grid
};

/// Collectives of one accelerator's scale-up domain.
struct LinkTable {
    AcceleratorSpec accelerator;
    Network network;
    LinkRecord link;
    std::vector<CollectivePoint> points;
};

struct KernelTables {
    std::vector<GemmTable> gemms;
    std::vector<LinkTable> links;
    std::string sources;   ///< the files' names and what they say they come from
    std::string software;  ///< empty: unstated
};

/// Whether all of the files hold kernels; `Error` of kind usage where some do and some hold run records.
bool are_kernel_files(const std::vector<std::string>& files);

/// `Error` of kind usage where an option that speaks of run records was given.
void require_unused(const std::vector<std::pair<std::string_view, bool>>& options);

/// Which curves stand for a measured domain: those of the link of the accelerator's usual node, or, where
/// these were measured nowhere, those of a machine of that accelerator that was measured.
enum class LinkChoice : std::uint8_t { of_node, measured };

/// Reads the files. `accelerator`: only points of that one; points of a file that names none are of it.
/// Systems that are not in the catalogue are named on `context.err` and left out. `Error` of kind input where
/// a point is faster than the peak of its format or twice its link, where nothing is left, and where points
/// name no accelerator and `accelerator` is empty.
KernelTables read_kernel_tables(const std::vector<std::string>& files, const std::string& accelerator,
                                LinkChoice curves, const Catalogue& catalogue, Context& context);

/// |error| of the catalogue's models on measured kernels: products by accelerator and format, on the half of
/// the shapes that a calibration holds out; collectives of 1 MiB and more by accelerator, as they are and
/// with every fourth size predicted from the others.
std::vector<Table> kernel_error_tables(const KernelTables& tables);

}  // namespace traincost::cli
