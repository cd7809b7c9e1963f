#include "traincost/fit/kernels/kernel_errors.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "traincost/base/parallel.hpp"

namespace traincost {

namespace {

/// The other samples of the format: of the family, else all.
std::vector<const GemmSample*> kernel_relatives(const GemmSample& target,
                                                std::span<const GemmSample> samples) {
    std::vector<const GemmSample*> others;
    for (const bool any : {false, true}) {
        for (const GemmSample& other : samples) {
            if (other.format == target.format && other.accelerator != target.accelerator &&
                (any || other.family == target.family))
                others.push_back(&other);
        }
        if (!others.empty())
            break;
    }
    return others;
}

/// The errors after one factor on all predictions that makes their median 0.
std::vector<double> rescaled(const std::vector<double>& errors) {
    std::vector<double> logs;
    for (const double e : errors)
        logs.push_back(std::log1p(e));
    std::sort(logs.begin(), logs.end());
    const double middle = quantile(logs, 0.5);
    std::vector<double> scaled;
    for (const double l : logs)
        scaled.push_back(std::expm1(l - middle));
    return scaled;
}

}  // namespace

KernelErrors kernel_errors(std::span<const GemmSample> gemms, std::span<const LinkSample> links) {
    KernelErrors result{};
    std::vector<double> all;
    for (const GemmSample& sample : gemms) {
        std::vector<GemmPoint> half;
        std::copy_if(sample.points.begin(), sample.points.end(), std::back_inserter(half), held_out);
        const std::vector<double> errors = gemm_errors(half, std::span(&sample.model, 1));
        all.insert(all.end(), errors.begin(), errors.end());
        result.gemms.push_back({sample.accelerator, sample.format, error_statistics(errors)});
    }
    result.all_gemms = error_statistics(all);

    const auto held = parallel_map(links.size(), [&](std::size_t i) {
        return held_out_collective_errors(links[i].points, links[i].network);
    });
    std::vector<double> as_is;
    std::vector<double> out;
    for (std::size_t i = 0; i < links.size(); ++i) {
        const std::vector<double> errors = collective_errors(links[i].points, links[i].network);
        as_is.insert(as_is.end(), errors.begin(), errors.end());
        out.insert(out.end(), held[i].begin(), held[i].end());
        result.links.push_back(
            {links[i].accelerator, links[i].curves, error_statistics(errors), error_statistics(held[i])});
    }
    result.all_links = error_statistics(as_is);
    result.all_links_held_out = error_statistics(out);
    return result;
}

std::vector<GemmTransfer> gemm_transfers(std::span<const GemmSample> samples) {
    std::vector<GemmTransfer> result;
    for (const GemmSample& target : samples) {
        const std::vector<const GemmSample*> others = kernel_relatives(target, samples);
        if (others.empty())
            continue;
        std::vector<GemmModel> models;
        std::vector<GemmPoint> points;
        std::vector<std::string> names;
        for (const GemmSample* other : others) {
            for (GemmPoint point : other->points) {
                point.model = models.size();
                if (!held_out(point))
                    points.push_back(point);
            }
            models.push_back(other->model);
            names.push_back(other->accelerator);
        }
        const GemmFit fit = fit_gemm(points, models, TileMenus::present);
        const std::vector<double> errors = gemm_errors(target.points, std::span(&target.model, 1), &fit);
        result.push_back({target.accelerator, target.format, std::move(names), error_statistics(errors),
                          error_statistics(rescaled(errors))});
    }
    return result;
}

}  // namespace traincost
