// How far a predicted lead of one layout over another can be trusted: layouts of one model on one cluster
// share most of their error, so leads are surer than the step times they come from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace traincost {

/// One measured run among those it competes with.
struct LayoutRun {
    std::string group;   ///< runs of one group differ in their layout only
    std::string layout;  ///< degrees, micro-batch, recompute
    std::string stack;
    double predicted;  ///< step time, seconds
    double measured;
};

/// By how much predicted leads are overstated, over pairs of layouts that are both predicted within
/// `lead_margin` of the group's fastest, as the plans of a search are.
struct LeadError {
    std::string stack;    ///< empty: all
    std::int64_t groups;  ///< each weighs the same
    std::int64_t pairs;
    double overstated;  ///< ln(predicted lead / measured lead) that one pair in five exceeds
    bool operator==(const LeadError&) const = default;
};
inline constexpr double lead_margin = 0.1;

/// Groups a stack needs before its own errors are used.
inline constexpr std::int64_t comparable_groups = 10;

/// Errors over all stacks, first, and of each stack with `comparable_groups`; nothing where no group has two
/// layouts.
std::vector<LeadError> lead_errors(std::span<const LayoutRun> runs);

/// How much worse the layout that is predicted fastest keeps its promise than the others of its group, over
/// groups of two and more layouts: ln(measured / predicted) of it, less the others' mean.
struct SelectionBias {
    std::int64_t groups;  ///< each weighs the same
    double mean;          ///< above 0: chosen layouts are flattered
    double upper;         ///< that one group in five exceeds
    bool operator==(const SelectionBias&) const = default;
};

/// Nothing where no group has two layouts.
std::optional<SelectionBias> selection_bias(std::span<const LayoutRun> runs);

/// The error of the stack's own leads, else of all.
std::optional<LeadError> lead_error(std::span<const LeadError> errors, std::string_view stack);

}  // namespace traincost
