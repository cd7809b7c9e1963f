// Measured kernels of files, sorted by what they measure and joined with the catalogue's models: for validate
// and calibrate.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traincost/ask/measured/remark.hpp"
#include "traincost/fit/kernels/kernel_errors.hpp"
#include "traincost/io/bench/kernel_data.hpp"
#include "traincost/io/bench/network_data.hpp"
#include "traincost/io/catalogue.hpp"

namespace traincost {

/// Products of one format on one accelerator.
struct GemmTable {
    GemmSample sample;
    GemmData data;            ///< the catalogue's, own or of the family
    std::int64_t unfittable;  ///< left out: few rows, or off the 16-byte grid
};

/// Collectives of one accelerator's scale-up domain.
struct LinkTable {
    LinkSample sample;
    LinkRecord link;
};

struct KernelTables {
    std::vector<GemmTable> gemms;
    std::vector<LinkTable> links;
    std::string sources;   ///< the files' names and what they say they come from
    std::string software;  ///< empty: unstated
};

/// Whether all of the files hold kernels; `Error` of kind usage where some do and some hold run records.
bool are_kernel_files(const std::vector<std::string>& files);

/// Which curves stand for a measured domain: those of the link of the accelerator's usual node, or, where
/// these were measured nowhere, those of a machine of that accelerator that was measured.
enum class LinkChoice : std::uint8_t { of_node, measured };

/// Reads the files. `accelerator`: only points of that one; points of a file that names none are of it.
/// `remark` is told what was not used, systems that are not in the catalogue among it. `Error` of kind input
/// where a point is faster than the peak of its format or twice its link, where nothing is left, and where
/// points name no accelerator and `accelerator` is empty.
KernelTables read_kernel_tables(const std::vector<std::string>& files, const std::string& accelerator,
                                LinkChoice curves, const Catalogue& catalogue, const TakeRemark& remark);

/// What the models and curves are held against.
std::vector<GemmSample> gemm_samples(const KernelTables& tables);
std::vector<LinkSample> link_samples(const KernelTables& tables);

}  // namespace traincost
