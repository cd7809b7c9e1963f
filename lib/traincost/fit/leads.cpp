#include "traincost/fit/leads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace traincost {

namespace {

constexpr double trusted = 0.8;  // share of pairs whose lead is overstated by no more

/// Overstated leads of one group's pairs.
std::vector<double> overstated(const std::vector<const LayoutRun*>& runs) {
    double fastest = runs.front()->predicted;
    for (const LayoutRun* run : runs)
        fastest = std::min(fastest, run->predicted);
    std::vector<double> errors;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (std::size_t j = i + 1; j < runs.size(); ++j) {
            const LayoutRun* ahead = runs[i];
            const LayoutRun* behind = runs[j];
            if (ahead->predicted > behind->predicted)
                std::swap(ahead, behind);
            if (behind->predicted > fastest * (1.0 + lead_margin) || ahead->layout == behind->layout)
                continue;
            errors.push_back(std::log(behind->predicted / ahead->predicted) -
                             std::log(behind->measured / ahead->measured));
        }
    }
    return errors;
}

struct Groups {
    std::vector<std::pair<double, double>> errors;  ///< and their weight
    std::int64_t groups = 0;
    void add(const std::vector<double>& of_group) {
        ++groups;
        for (const double error : of_group)
            errors.emplace_back(error, 1.0 / static_cast<double>(of_group.size()));
    }
    LeadError result(std::string stack) {
        std::sort(errors.begin(), errors.end());
        const double limit = trusted * static_cast<double>(groups);
        double weight = 0.0;
        double at = errors.back().first;
        for (const auto& [error, share] : errors) {
            weight += share;
            if (weight >= limit) {
                at = error;
                break;
            }
        }
        return {std::move(stack), groups, static_cast<std::int64_t>(errors.size()), std::max(0.0, at)};
    }
};

}  // namespace

std::vector<LeadError> lead_errors(std::span<const LayoutRun> runs) {
    std::map<std::string, std::vector<const LayoutRun*>> by_group;
    for (const LayoutRun& run : runs)
        by_group[run.group].push_back(&run);
    Groups all;
    std::map<std::string, Groups> by_stack;
    for (const auto& [name, members] : by_group) {
        const std::vector<double> errors = overstated(members);
        if (errors.empty())
            continue;
        all.add(errors);
        by_stack[members.front()->stack].add(errors);
    }
    std::vector<LeadError> result;
    if (all.groups == 0)
        return result;
    result.push_back(all.result(""));
    for (auto& [stack, groups] : by_stack) {
        if (groups.groups >= comparable_groups)
            result.push_back(groups.result(stack));
    }
    return result;
}

std::optional<SelectionBias> selection_bias(std::span<const LayoutRun> runs) {
    std::map<std::string, std::vector<const LayoutRun*>> by_group;
    for (const LayoutRun& run : runs)
        by_group[run.group].push_back(&run);
    const auto error = [](const LayoutRun* run) { return std::log(run->measured / run->predicted); };
    std::vector<double> biases;
    for (const auto& [name, members] : by_group) {
        const LayoutRun* chosen = *std::min_element(
            members.begin(), members.end(),
            [](const LayoutRun* a, const LayoutRun* b) { return a->predicted < b->predicted; });
        double others = 0.0;
        double n = 0.0;
        for (const LayoutRun* run : members) {
            if (run->layout == chosen->layout)
                continue;
            others += error(run);
            n += 1.0;
        }
        if (n > 0.0)
            biases.push_back(error(chosen) - others / n);
    }
    if (biases.empty())
        return std::nullopt;
    std::sort(biases.begin(), biases.end());
    double sum = 0.0;
    for (const double bias : biases)
        sum += bias;
    const double n = static_cast<double>(biases.size());
    const auto at = static_cast<std::size_t>(std::ceil(trusted * n)) - 1;
    return SelectionBias{static_cast<std::int64_t>(biases.size()), sum / n, biases[at]};
}

std::optional<LeadError> lead_error(std::span<const LeadError> errors, std::string_view stack) {
    const auto of = [&](std::string_view name) {
        return std::find_if(errors.begin(), errors.end(),
                            [&](const LeadError& e) { return e.stack == name; });
    };
    auto found = of(stack);
    if (found == errors.end())
        found = of("");
    return found == errors.end() ? std::nullopt : std::optional<LeadError>(*found);
}

}  // namespace traincost
