// How well the models of kernels predict measured ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traincost/fit/kernels/gemm_fit.hpp"
#include "traincost/fit/kernels/link_fit.hpp"
#include "traincost/fit/statistics.hpp"

namespace traincost {

/// Products of one format measured on one accelerator.
struct GemmSample {
    std::string accelerator;
    std::string family;  ///< of accelerators that run the same kernels
    GemmFormat format;
    GemmModel model;  ///< at the clock of a short benchmark
    std::vector<GemmPoint> points;
};

/// Collectives measured in the scale-up domain of one accelerator.
struct LinkSample {
    std::string accelerator;
    std::string curves;  ///< whose they are that the network has
    Network network;
    std::vector<CollectivePoint> points;
};

/// Of the half of the shapes that a calibration holds out.
struct GemmErrors {
    std::string accelerator;
    GemmFormat format;
    ErrorStatistics errors;
};

/// Of messages of 1 MiB and more.
struct LinkErrors {
    std::string accelerator;
    std::string curves;
    ErrorStatistics errors;
    ErrorStatistics held_out;  ///< every fourth size predicted by curves fitted to the others
};

/// |error| of every sample, in their order, and of all points together. No points: all statistics 0.
struct KernelErrors {
    std::vector<GemmErrors> gemms;
    ErrorStatistics all_gemms;
    std::vector<LinkErrors> links;
    ErrorStatistics all_links;
    ErrorStatistics all_links_held_out;
};

/// Uses all cores.
KernelErrors kernel_errors(std::span<const GemmSample> gemms, std::span<const LinkSample> links);

/// An accelerator whose products were predicted with the numbers of others.
struct GemmTransfer {
    std::string accelerator;
    GemmFormat format;
    std::vector<std::string> fitted_to;
    ErrorStatistics errors;
    ErrorStatistics scaled;  ///< after one factor that puts their median right
};

/// Each accelerator's products predicted with numbers fitted to the other accelerators of its family that
/// were measured in the same format; alone in its family, to all others. Accelerators alone in their format
/// are left out.
std::vector<GemmTransfer> gemm_transfers(std::span<const GemmSample> samples);

}  // namespace traincost
