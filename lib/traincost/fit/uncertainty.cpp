#include "traincost/fit/uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/base/text.hpp"

namespace traincost {

std::string words_of(const Comparable& c, const ResidualGroupKey& group) {
    const auto runs = [](std::int64_t n, std::string_view other, std::string_view of, std::int64_t sources) {
        return std::to_string(n) + std::string(other) + (n == 1 ? " run" : " runs") + std::string(of) +
               " from " + std::to_string(sources) + (sources == 1 ? " source" : " sources");
    };
    std::string words;
    if (c.own_runs > 0)
        words = runs(c.own_runs, "", " of " + group.stack + " on " + group.accelerator_class, c.own_sources);
    if (c.other_runs > 0) {
        words += words.empty() ? "" : ", ";
        words += runs(c.other_runs, c.own_runs > 0 ? " other" : "",
                      c.own_runs > 0 ? "" : " of other stacks and accelerators", c.other_sources);
    }
    if (group.kind == ResidualKind::step_time && !group.measured_kernels)
        words += ", unmeasured kernels";
    return words;
}

Interval interval_80(const ResidualQuantiles& quantiles, double predicted, double scale) {
    return {predicted * std::exp(scale * quantiles.low), predicted * std::exp(scale * quantiles.high)};
}

double probability_below(const ResidualQuantiles& quantiles, double predicted, double limit) {
    const double x = std::log(limit / predicted);
    const auto& at = quantiles.at;
    const auto above = std::upper_bound(at.begin(), at.end(), x) - at.begin();
    const int last = ResidualQuantiles::points - 1;
    // Beyond the outer quantiles the remaining probability decays over the width of the outer quarter.
    constexpr double least_width = 1e-3;
    if (above == 0) {
        const double width = std::max(at[5] - at[0], least_width);
        return ResidualQuantiles::probability(0) * std::exp((x - at[0]) / width);
    }
    if (above > last) {
        const double width = std::max(
            at[static_cast<std::size_t>(last)] - at[static_cast<std::size_t>(last - 5)], least_width);
        return 1.0 - (1.0 - ResidualQuantiles::probability(last)) *
                         std::exp(-(x - at[static_cast<std::size_t>(last)]) / width);
    }
    const auto i = static_cast<std::size_t>(above);
    const double fraction = (x - at[i - 1]) / (at[i] - at[i - 1]);
    const double below = ResidualQuantiles::probability(static_cast<int>(i) - 1);
    return below + fraction * (ResidualQuantiles::probability(static_cast<int>(i)) - below);
}

std::string_view to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::fits:
            return "fits";
        case Verdict::risky:
            return "risky";
        case Verdict::out_of_memory:
            return "out of memory";
    }
    return {};
}

Verdict verdict_of(double probability_of_fitting) {
    constexpr double safe = 0.9;
    if (probability_of_fitting >= safe)
        return Verdict::fits;
    return probability_of_fitting < 1.0 - safe ? Verdict::out_of_memory : Verdict::risky;
}

namespace {

/// The residuals of memory that say most about a stack: its own before others', reserved before device before
/// allocated.
struct MemoryResiduals {
    Comparable group;
    ResidualGroupKey key;
    Bytes StageMemory::*view;
};

std::optional<MemoryResiduals> memory_residuals(const Residuals& residuals, const Job& job,
                                                const LeftOut& out) {
    constexpr std::array<std::pair<ResidualKind, Bytes StageMemory::*>, 3> views = {
        {{ResidualKind::reserved, &StageMemory::reserved},
         {ResidualKind::device, &StageMemory::device},
         {ResidualKind::allocated, &StageMemory::allocated}}};
    std::optional<MemoryResiduals> widest;
    for (const auto& [kind, view] : views) {
        ResidualGroupKey key = residual_group(kind, job);
        auto group = comparable(residuals, key, out);
        if (!group)
            continue;
        const bool own = group->own_runs > 0;
        if (own || !widest)
            widest = MemoryResiduals{*group, std::move(key), view};
        if (own)
            break;
    }
    return widest;
}

const StageMemory& fullest(const Estimate& estimate) {
    return estimate.stages[static_cast<std::size_t>(estimate.peak_stage)];
}

double probability_of_fitting(const MemoryResiduals& memory, const Estimate& estimate) {
    const StageMemory& stage = fullest(estimate);
    // Gaps that the allocator gives back before it fails need no room.
    const Bytes back = memory.view == &StageMemory::allocated ? Bytes{} : stage.returnable;
    const Bytes view = stage.*(memory.view) - back;
    const Bytes outside = stage.device - stage.returnable - view;
    if (outside >= estimate.capacity)
        return 0.0;
    return probability_below(memory.group.quantiles, view.value(), (estimate.capacity - outside).value());
}

}  // namespace

std::optional<double> probability_of_fitting(const Residuals& residuals, const Job& job,
                                             const Estimate& estimate, const LeftOut& out) {
    const auto memory = memory_residuals(residuals, job, out);
    if (!memory)
        return std::nullopt;
    return probability_of_fitting(*memory, estimate);
}

MemoryMargin memory_margin(const Residuals& residuals, const Job& job, double probability) {
    const auto memory = memory_residuals(residuals, job, {});
    if (!memory)
        return {};
    const auto& at = memory->group.quantiles.at;
    const double position = probability * static_cast<double>(ResidualQuantiles::points + 1) - 1.0;
    const double below = std::clamp(std::floor(position), 0.0, static_cast<double>(at.size() - 2));
    const auto i = static_cast<std::size_t>(below);
    const double x = at[i] + (position - below) * (at[i + 1] - at[i]);
    const MemoryView view = memory->key.kind == ResidualKind::reserved ? MemoryView::reserved
                            : memory->key.kind == ResidualKind::device ? MemoryView::device
                                                                       : MemoryView::allocated;
    return {view, std::exp(x)};
}

Interval chosen_interval(const Residuals& residuals, const Interval& interval) {
    const double flattered = residuals.selection ? std::max(0.0, residuals.selection->mean) : 0.0;
    return {interval.low * std::exp(flattered), interval.high * std::exp(flattered)};
}

std::string selection_text(const Residuals& residuals) {
    if (!residuals.selection)
        return {};
    const SelectionBias& bias = *residuals.selection;
    const double mean = std::exp(bias.mean) - 1.0;
    return "layouts predicted fastest ran " + percent_text(std::abs(mean)) +
           (mean < 0.0 ? " faster" : " slower") + ", relative to prediction, than the rest of their group (" +
           std::to_string(bias.groups) + " groups); one in five ran " +
           percent_text(std::max(0.0, std::exp(bias.upper) - 1.0)) + " slower or more";
}

Uncertainty uncertainty(const Residuals& residuals, const Job& job, const Estimate& estimate) {
    Uncertainty u{};
    const StageMemory& stage = fullest(estimate);
    const double communication = exposed_communication(estimate.step);
    const auto of = [&](ResidualKind kind, double predicted, std::string* words) -> std::optional<Interval> {
        const ResidualGroupKey key = residual_group(kind, job);
        const auto group = comparable(residuals, key);
        if (!group)
            return std::nullopt;
        const double scale = residual_scale(kind, communication);
        if (words) {
            *words = words_of(*group, key);
            if (scale > 1.0)
                *words += ", exposed communication " + percent_text(communication) + " of the step";
        }
        return interval_80(group->quantiles, predicted, scale);
    };
    u.step_time_s = of(ResidualKind::step_time, estimate.step.total.value(), &u.step_comparable);
    u.allocated_bytes = of(ResidualKind::allocated, stage.allocated.value(), nullptr);
    u.reserved_bytes = of(ResidualKind::reserved, stage.reserved.value(), nullptr);
    u.device_bytes = of(ResidualKind::device, stage.device.value(), nullptr);
    u.verdict = estimate.fits ? Verdict::fits : Verdict::out_of_memory;
    if (const auto memory = memory_residuals(residuals, job, {})) {
        u.probability_of_fitting = probability_of_fitting(*memory, estimate);
        u.verdict = verdict_of(*u.probability_of_fitting);
        u.memory_comparable = words_of(memory->group, memory->key);
    }
    return u;
}

}  // namespace traincost
