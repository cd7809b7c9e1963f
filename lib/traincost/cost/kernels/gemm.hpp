// Time of matrix products from their shape: tiles in waves over the compute units, the memory roofline with
// re-reads, split k, prologue and launch (docs/model.md, "GEMM time").
#pragma once

#include <cstdint>
#include <optional>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/kernels/kernel_shapes.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/kernels/gemm_model.hpp"
#include "traincost/spec/kernels/kernel_models.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

/// The three products of a linear layer y[m,n] = x[m,k] w[k,n].
enum class GemmPass : std::uint8_t {
    forward,          ///< y = x w
    dgrad,            ///< dx[m,k] = dy[m,n] wT
    wgrad,            ///< dw[n,k] = dyT x[m,k]
    wgrad_accumulate  ///< the same, added to an fp32 gradient
};

/// Time of one kernel (and, for quantised formats, of the kernels that quantise its activations) without host
/// overhead. `forward` is the shape of the forward product whatever the pass; a count of 0 or an empty
/// product takes no time.
Seconds gemm_time(const GemmShape& forward, GemmPass pass, const GemmModel& model);

/// Seconds of the tiles of the best kernel of the menu; the term of `gemm_time` that fills the matrix units.
Seconds gemm_compute_time(double m, double n, double k, double count, const GemmModel& model);

/// Bytes that cross the memory bus: operands once, again where L2 doesn't keep them, and the product.
Bytes gemm_traffic(double m, double n, double k, double count, const GemmModel& model);

/// The model of inputs of `type` on an accelerator; nothing where it cannot run them or its peak, bandwidth
/// or fit is missing. tf32, fp16 and fp32 take the 16-bit fit at their own peak; mxfp8 that of block scales,
/// or the plain one. `scaling` is that of fp8.
std::optional<GemmModel> gemm_model(const AcceleratorSpec& accelerator, const KernelModels& kernels,
                                    DataType type, Fp8Scaling scaling = Fp8Scaling::tensorwise);

}  // namespace traincost
