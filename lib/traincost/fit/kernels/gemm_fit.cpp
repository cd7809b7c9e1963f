#include "traincost/fit/kernels/gemm_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <Eigen/Dense>

#include "traincost/base/parallel.hpp"
#include "traincost/fit/kernels/robust_descent.hpp"

namespace traincost {

namespace {

using GemmPoints = std::vector<GemmPoint>;
using Models = std::vector<GemmModel>;

/// Errors beyond this grow the loss linearly.
constexpr double gemm_loss_width = 0.05;

/// A number of the fit: its logarithm is sought in [low, high], pulled to where it started as weakly as
/// `spread` (a standard deviation of the logarithm) says.
struct GemmNumber {
    double (*get)(const GemmFit& fit);
    void (*set)(GemmFit& fit, double value);
    double low;
    double high;
    double spread;
    bool quantised_only;
};

#define TRAINCOST_NUMBER(field, low, high, spread, quantised)                                           \
    GemmNumber {                                                                                        \
        [](const GemmFit& f) { return f.field; }, [](GemmFit& f, double x) { f.field = x; }, low, high, \
            spread, quantised                                                                           \
    }
#define TRAINCOST_TIME(field, low, high, spread, quantised)                                  \
    GemmNumber {                                                                             \
        [](const GemmFit& f) { return f.field.value(); },                                    \
            [](GemmFit& f, double x) { f.field = Seconds(x); }, low, high, spread, quantised \
    }
constexpr std::array numbers = {
    TRAINCOST_NUMBER(efficiency, 0.05, 1.2, 1.0, false),
    TRAINCOST_NUMBER(tile_penalty, 0.5, 2e4, 1.5, false),
    TRAINCOST_NUMBER(k_prologue, 2.0, 4e3, 1.0, false),
    TRAINCOST_NUMBER(wave_quantisation, 0.01, 1.0, 1.0, false),
    TRAINCOST_NUMBER(memory_efficiency, 0.2, 1.2, 1.0, false),
    TRAINCOST_NUMBER(blend, 1.0, 12.0, 0.5, false),
    TRAINCOST_TIME(launch, 5e-8, 2e-5, 0.5, false),
    TRAINCOST_TIME(wave, 1e-8, 1e-5, 1.0, false),
    TRAINCOST_TIME(split, 5e-7, 3e-5, 0.5, false),
    TRAINCOST_NUMBER(reread_rows, 64.0, 8192.0, 0.7, false),
    TRAINCOST_NUMBER(cache_share, 0.1, 4.0, 0.7, false),
    TRAINCOST_NUMBER(droop, 1e-3, 1.0, 1.0, false),
    TRAINCOST_TIME(quantise_launch, 1e-7, 5e-5, 1.0, true),
    TRAINCOST_NUMBER(quantise_efficiency, 0.02, 1.5, 1.0, true),
    // Last: passes other than forward.
    TRAINCOST_NUMBER(dgrad, 0.7, 1.5, 0.2, false),
    TRAINCOST_NUMBER(wgrad, 0.7, 1.5, 0.2, false),
};
#undef TRAINCOST_NUMBER
#undef TRAINCOST_TIME
constexpr std::size_t dgrad_number = numbers.size() - 2;
constexpr std::size_t wgrad_number = numbers.size() - 1;

GemmCorrection no_correction() {
    GemmCorrection c{};
    // m 64 to 32768, n and k 512 to 51200: what is measured. Denser where library kernels change.
    const double k5 = std::log2(5120.0);
    const double k12 = std::log2(12288.0);
    const double k51 = std::log2(51200.0);
    c.log2_m = {6, 7, 9, 11, 13, 15};
    c.log2_n = {9, 10, 11, k5, k12, k51};
    c.log2_k = c.log2_n;
    return c;
}

/// A copy of each accelerator's model with that fit.
Models with(std::span<const GemmModel> models, const GemmFit& fit) {
    Models result(models.begin(), models.end());
    for (GemmModel& model : result)
        model.fit = fit;
    return result;
}

/// ln(predicted / measured)
std::vector<double> gemm_log_errors(std::span<const GemmPoint> points, const Models& models) {
    std::vector<double> errors;
    errors.reserve(points.size());
    for (const GemmPoint& p : points)
        errors.push_back(std::log(gemm_time({p.m, p.n, p.k}, p.pass, models[p.model]) / p.time));
    return errors;
}

/// A fit in the making: what is sought, and where it started.
class GemmSearch {
public:
    GemmSearch(std::span<const GemmPoint> points, std::span<const GemmModel> models, const GemmFit& start)
        : points_(points), models_(models), start_(start) {
        const auto measured = [&](GemmPass pass) {
            return std::any_of(points.begin(), points.end(),
                               [&](const GemmPoint& p) { return p.pass == pass; });
        };
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            const bool asked = i == dgrad_number   ? measured(GemmPass::dgrad)
                               : i == wgrad_number ? measured(GemmPass::wgrad)
                                                   : !numbers[i].quantised_only || models.front().quantises;
            if (asked)
                sought_.push_back(&numbers[i]);
        }
    }

    /// The fit of least robust error, each number pulled to where it started.
    GemmFit best(int most_steps, double* final_loss) const {
        RobustProblem problem{.expected = {},
                              .low = {},
                              .high = {},
                              .spread = {},
                              .weights = std::vector<double>(points_.size(), 1.0),
                              .loss_width = gemm_loss_width,
                              .least_gain = 1e-4,
                              .most_steps = most_steps};
        for (const GemmNumber* number : sought_) {
            problem.expected.push_back(std::log(std::clamp(number->get(start_), number->low, number->high)));
            problem.low.push_back(std::log(number->low));
            problem.high.push_back(std::log(number->high));
            problem.spread.push_back(number->spread);
        }
        const RobustSolution solution = robust_descent(
            problem, problem.expected,
            [&](std::span<const double> x) { return gemm_log_errors(points_, with(models_, fit_at(x))); });
        *final_loss = solution.loss;
        return fit_at(solution.x);
    }

private:
    GemmFit fit_at(std::span<const double> x) const {
        GemmFit fit = start_;
        for (std::size_t i = 0; i < x.size(); ++i)
            sought_[i]->set(fit, std::exp(x[i]));
        return fit;
    }

    std::span<const GemmPoint> points_;
    std::span<const GemmModel> models_;
    GemmFit start_;
    std::vector<const GemmNumber*> sought_;
};

using Menu = std::array<GemmTile, gemm_tile_count>;

/// The menus of tiles libraries were found to have.
std::vector<Menu> menus_of(const GemmFit& start, TileMenus which) {
    std::vector<Menu> menus = {start.tiles};
    if (which == TileMenus::present)
        return menus;
    const std::array<Menu, 4> known = {
        {{{{128, 128}, {128, 64}, {64, 128}, {64, 64}}},
         {{{256, 128}, {128, 256}, {128, 128}, {64, 256}, {256, 64}, {128, 64}, {64, 128}, {64, 64}}},
         {{{256, 256}, {256, 128}, {128, 256}, {128, 128}, {256, 64}, {64, 256}, {128, 64}, {64, 128}}},
         {{{128, 128}}}}};
    for (const Menu& menu : known) {
        if (menu != start.tiles)
            menus.push_back(menu);
    }
    return menus;
}

/// Weights of the eight knots around each point, times the points' own weights.
Eigen::MatrixXd interpolation(std::span<const GemmPoint> points, const GemmCorrection& grid) {
    constexpr std::size_t g = GemmCorrection::knots;
    Eigen::MatrixXd basis =
        Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(points.size()), static_cast<Eigen::Index>(g * g * g));
    const auto place = [](double x, const std::array<double, g>& knots) {
        std::size_t i = 0;
        while (i + 2 < g && x >= knots[i + 1])
            ++i;
        return std::pair(i, std::clamp((x - knots[i]) / (knots[i + 1] - knots[i]), 0.0, 1.0));
    };
    for (std::size_t row = 0; row < points.size(); ++row) {
        const GemmPoint& p = points[row];
        // The product that is run: forward m n k, dgrad m k n, wgrad n k m.
        const bool wgrad = p.pass == GemmPass::wgrad || p.pass == GemmPass::wgrad_accumulate;
        const double m = wgrad ? p.n : p.m;
        const double n = p.pass == GemmPass::forward ? p.n : p.k;
        const double k = p.pass == GemmPass::forward ? p.k : wgrad ? p.m : p.n;
        const auto a = place(std::log2(m), grid.log2_m);
        const auto b = place(std::log2(n), grid.log2_n);
        const auto c = place(std::log2(k), grid.log2_k);
        for (std::size_t corner = 0; corner < 8; ++corner) {
            const std::size_t i = corner & 1;
            const std::size_t j = (corner >> 1) & 1;
            const std::size_t l = corner >> 2;
            const auto share = [](double fraction, std::size_t upper) {
                return upper == 1 ? fraction : 1.0 - fraction;
            };
            basis(static_cast<Eigen::Index>(row),
                  static_cast<Eigen::Index>(((a.first + i) * g + b.first + j) * g + c.first + l)) +=
                share(a.second, i) * share(b.second, j) * share(c.second, l);
        }
    }
    return basis;
}

/// Covariance exp(-d / 5) of two knots d octaves apart: neighbours say nearly the same.
Eigen::MatrixXd knot_covariance(const GemmCorrection& grid) {
    constexpr std::size_t g = GemmCorrection::knots;
    constexpr double octaves = 5.0;
    const auto at = [&](std::size_t index) {
        return Eigen::Vector3d(grid.log2_m[index / (g * g)], grid.log2_n[index / g % g],
                               grid.log2_k[index % g]);
    };
    Eigen::MatrixXd covariance(g * g * g, g * g * g);
    for (std::size_t i = 0; i < g * g * g; ++i) {
        for (std::size_t j = 0; j < g * g * g; ++j) {
            covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
                std::exp(-(at(i) - at(j)).norm() / octaves);
        }
    }
    return covariance;
}

/// What the formula leaves, smoothed: mean of a Gaussian process with that covariance and a noise of 0.3 on
/// every point, outliers discounted (Huber's weights at the loss's width).
GemmCorrection correction_of(std::span<const GemmPoint> points, const Models& models) {
    constexpr double noise = 0.3;
    GemmCorrection grid = no_correction();
    const std::vector<double> errors = gemm_log_errors(points, models);
    const Eigen::VectorXd left =
        -Eigen::Map<const Eigen::VectorXd>(errors.data(), static_cast<Eigen::Index>(errors.size()));
    Eigen::MatrixXd basis = interpolation(points, grid);
    Eigen::VectorXd weights(left.size());
    for (Eigen::Index i = 0; i < left.size(); ++i)
        weights[i] = std::min(1.0, 2.0 * gemm_loss_width / std::max(1e-12, std::abs(left[i])));
    const Eigen::MatrixXd weighted = basis.transpose() * weights.asDiagonal();
    const Eigen::MatrixXd prior = knot_covariance(grid).inverse() * (noise * noise);
    const Eigen::VectorXd knots = (weighted * basis + prior).ldlt().solve(weighted * left);
    for (std::size_t i = 0; i < grid.log_ratio.size(); ++i)
        grid.log_ratio[i] = static_cast<float>(knots[static_cast<Eigen::Index>(i)]);
    return grid;
}

ErrorStatistics gemm_statistics(std::span<const GemmPoint> points, const Models& models) {
    return error_statistics(gemm_errors(points, models));
}

}  // namespace

bool held_out(const GemmPoint& point) {
    const auto text = [](double x) { return std::to_string(static_cast<std::int64_t>(x)); };
    return fold_of(text(point.m) + "," + text(point.n) + "," + text(point.k), 64) % 2 == 1;
}

bool fittable(const GemmPoint& point) {
    constexpr double least_rows = 64.0;
    const auto bits = static_cast<std::int64_t>(point.n) | static_cast<std::int64_t>(point.k);
    return point.m >= least_rows && (bits & 7) == 0;
}

std::vector<double> gemm_errors(std::span<const GemmPoint> points, std::span<const GemmModel> models,
                                const GemmFit* fit) {
    const Models own = fit != nullptr ? with(models, *fit) : Models(models.begin(), models.end());
    std::vector<double> errors;
    for (const double e : gemm_log_errors(points, own))
        errors.push_back(std::exp(e) - 1.0);
    return errors;
}

GemmFit fit_gemm(std::span<const GemmPoint> points, std::span<const GemmModel> models, TileMenus which) {
    GemmFit start = models.front().fit;
    start.correction = no_correction();
    struct Trial {
        GemmFit start;
        GemmFit fit;
        double loss;
    };
    std::vector<Trial> trials;
    for (const Menu& menu : menus_of(start, which)) {
        for (const bool split : {true, false}) {
            Trial trial{start, start, 0.0};
            trial.start.tiles = menu;
            if (which == TileMenus::all)
                trial.start.split_k = split;
            trials.push_back(trial);
            if (which == TileMenus::present)
                break;
        }
    }
    // Every menu is tried on part of the points, the best two on all.
    constexpr std::size_t sample = 250;
    constexpr std::size_t finalists = 2;
    const auto run = [&](std::span<const GemmPoint> some, std::size_t n, int steps) {
        const auto fits = parallel_map(n, [&](std::size_t i) {
            Trial trial = trials[i];
            trial.fit = GemmSearch(some, models, trial.start).best(steps, &trial.loss);
            return trial;
        });
        std::copy(fits.begin(), fits.end(), trials.begin());
        std::stable_sort(trials.begin(), trials.begin() + static_cast<std::ptrdiff_t>(n),
                         [](const Trial& a, const Trial& b) { return a.loss < b.loss; });
    };
    if (trials.size() > finalists && points.size() > sample) {
        GemmPoints some;
        for (std::size_t i = 0; i < sample; ++i)
            some.push_back(points[i * points.size() / sample]);
        run(some, trials.size(), 12);
    }
    run(points, std::min(trials.size(), points.size() > sample ? finalists : trials.size()), 40);
    GemmFit fit = trials.front().fit;
    fit.correction = correction_of(points, with(models, fit));
    return fit;
}

GemmCalibration calibrate_gemm(std::span<const GemmPoint> points, std::span<const GemmModel> models,
                               TileMenus menus) {
    GemmPoints inside;
    GemmPoints outside;
    for (const GemmPoint& point : points)
        (held_out(point) ? outside : inside).push_back(point);
    GemmCalibration result{fit_gemm(inside, models, menus),
                           static_cast<std::int64_t>(points.size()),
                           static_cast<std::int64_t>(inside.size()),
                           {},
                           {},
                           {}};
    result.before = gemm_statistics(outside, Models(models.begin(), models.end()));
    GemmFit formula = result.fit;
    formula.correction = no_correction();
    result.formula = gemm_statistics(outside, with(models, formula));
    result.after = gemm_statistics(outside, with(models, result.fit));
    return result;
}

}  // namespace traincost
