// `calibrate` on measured kernels.
#pragma once

#include <cli/context.hpp>
#include <traincost/io/catalogue.hpp>

#include <string>
#include <vector>

namespace traincost::cli {

struct KernelCalibrationOptions {
    std::vector<std::string> files;
    std::string accelerator;  ///< empty: the one the files are of
    std::string out;          ///< folder to write bench/ files into; empty: none
    std::string date;
    bool leave_one_out = false;  ///< predict each accelerator from its family's others
    bool json = false;
};

/// Fits matrix-product models and link curves to measured kernels, prints the errors of points held out
/// before and after, and writes what --data overrides the catalogue with. Files of several accelerators need
/// `accelerator`, but for `leave_one_out`.
void calibrate_kernels(const KernelCalibrationOptions& options, const Catalogue& catalogue, Context& context);

}  // namespace traincost::cli
