// Measured kernels from files: what `calibrate` fits to and `validate` holds the kernel models against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traincost/cost/collectives.hpp"
#include "traincost/cost/kernels/gemm.hpp"
#include "traincost/spec/kernels/gemm_model.hpp"

namespace traincost {

/// One product of a linear layer, forward shape.
struct MeasuredGemm {
    std::string accelerator;  ///< as the file says it; empty where it doesn't
    GemmFormat format;
    GemmPass pass;
    double m, n, k;
    double us;
    std::string where;  ///< "file:line", or place in the document
};

/// One collective inside one scale-up domain; bytes as nccl-tests counts them.
struct MeasuredCollective {
    std::string accelerator;
    Collective collective;
    std::int64_t ranks;
    double bytes;
    double us;
    std::string where;
};

struct KernelFile {
    std::string name;  ///< without folder and extension
    std::string source;
    std::string software;  ///< empty where the file is silent
    std::vector<MeasuredGemm> gemms;
    std::vector<MeasuredCollective> collectives;
    std::vector<std::string> remarks;  ///< what was not used
};

/// Whether the file holds measured kernels rather than run records; false also where it can't be read.
bool is_kernel_file(const std::string& path);

/// Reads one of
///   - JSON lines {"kind": "gemm", "dtype", "tokens", "n", "k", "fwd_us", "dgrad_us"?, "wgrad_us"?} and
///     {"kind": "nccl", "op", "gpus", "bytes", "us"}, with an optional {"kind": "device", "name", "torch"?};
///   - JSON lines {"accelerator", "format", "m", "n", "k", "us"} and
///     {"accelerator", "op", "gpus", "bytes", "us"};
///   - {"tables": {ACCELERATOR: {FORMAT: [[m, n, k, us] …]}}};
///   - {"systems": {ACCELERATOR: {OP: {RANKS: [[bytes, us] …]}}}}.
/// `Error` of kind input where a value is missing, not positive or of the wrong type, where two devices are
/// named, and where nothing of these kinds is in it.
KernelFile read_kernel_file(const std::string& path);

/// The same of a file's text; `path` is what errors call it.
KernelFile kernel_file_from_text(const std::string& text, const std::string& path);

}  // namespace traincost
