// The numbers of the GEMM time model, fitted to measured kernels (docs/model.md, "GEMM time").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traincost/base/quantity.hpp"
#include "traincost/cost/kernels/gemm.hpp"
#include "traincost/fit/statistics.hpp"
#include "traincost/spec/kernels/gemm_model.hpp"

namespace traincost {

/// One measured product of a linear layer y[m,n] = x[m,k] w[k,n].
struct GemmPoint {
    std::size_t model;  ///< whose: index into the models of a fit
    GemmPass pass;
    double m, n, k;  ///< of the forward product, whatever the pass
    Seconds time;
};

/// Whether a point is held out of a fit: half of all shapes, by the shape alone, so that the same points are
/// held out whoever fits or validates.
bool held_out(const GemmPoint& point);

/// Whether the fit can use a product: 64 rows or more, on the 16-byte grid. The limits of products off it are
/// not fitted.
bool fittable(const GemmPoint& point);

/// Fewer points of a format say too little.
inline constexpr std::int64_t least_gemm_points = 40;

struct GemmCalibration {
    GemmFit fit;
    std::int64_t points;         ///< that could be used
    std::int64_t fitted_points;  ///< of those, fitted to
    ErrorStatistics before;      ///< of the held-out points, with the numbers the models came with
    ErrorStatistics formula;     ///< with the fitted numbers and no correction
    ErrorStatistics after;
};

/// Which tiles a fit may choose from.
enum class TileMenus : std::uint8_t { present, all };

/// Fits one set of numbers to points of one or more accelerators: ln(predicted / measured) with the soft-L1
/// loss of width 0.05, Levenberg-Marquardt in the logarithms, weak pulls to the numbers the first model came
/// with, for each menu of tiles, divided k or not; then the smooth correction of what is left, by a Gaussian
/// process on its knots. `points` must be fittable; half of them (`held_out`) only measure the error.
/// Deterministic; uses all cores.
GemmCalibration calibrate_gemm(std::span<const GemmPoint> points, std::span<const GemmModel> models,
                               TileMenus menus = TileMenus::all);

/// The fit alone, to all the points.
GemmFit fit_gemm(std::span<const GemmPoint> points, std::span<const GemmModel> models, TileMenus menus);

/// (predicted - measured) / measured of each point; with `fit` in place of the models' own where it is given.
std::vector<double> gemm_errors(std::span<const GemmPoint> points, std::span<const GemmModel> models,
                                const GemmFit* fit = nullptr);

}  // namespace traincost
