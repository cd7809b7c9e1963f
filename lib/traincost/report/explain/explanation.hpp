// Where each printed number of an estimate comes from: its equation, the symbols with their values, the
// sources.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/report/explain/equation.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// A symbol of an equation.
struct SymbolMeaning {
    std::string_view symbol;
    std::string_view unit;  ///< "B", "s", "B/s"; empty: a count or a factor
    std::string_view meaning;
};

/// How one number is derived, whatever the job. Memory is a GPU's of the peak stage; time is the slowest
/// stage's.
struct Explanation {
    std::string_view item;      ///< "memory.weights", "step.bubble"
    std::string_view what;      ///< one sentence
    std::string_view equation;  ///< as `evaluate` reads it
    std::vector<SymbolMeaning> symbols;
    std::vector<std::string_view> sources;  ///< papers as [Key], code, measurements
    std::vector<std::string_view> choices;  ///< fields of the stack that decide it
};

/// Every term of the memory peak and of the step that `estimate` prints, their totals, and what follows from
/// them: throughput, steps, time, GPU-hours, cost and energy of the training.
std::span<const Explanation> explanations();

/// The explanation called `item`, or by what people call it ("memory", "days", "mfu"); `Error` of kind
/// not_found that suggests the nearest.
const Explanation& explanation_of(std::string_view item);

/// An explanation with a job's numbers.
struct WorkedExplanation {
    std::vector<SymbolValue> values;  ///< in the order of the explanation's symbols
    std::string numbers;              ///< the equation with them
    Cell result;                      ///< as the estimate prints it, base units exactly
};

/// `explanation` with the numbers of the job and its estimate; `Error` of kind usage where the job does not
/// say what it needs (a cost needs tokens and a price).
WorkedExplanation worked(const Explanation& explanation, const Job& job, const Estimate& estimate);

/// All explanations with the job's numbers, in their order; nothing for one whose needs the job does not say.
std::vector<std::optional<WorkedExplanation>> all_worked(const Job& job, const Estimate& estimate);

/// All items, one a row, with the estimate's results where there is one.
Table explanation_list(const Job* job, const Estimate* estimate);

/// One explanation as people read it; `work` may be null. `reasons` are the stack's, one for each choice.
std::vector<Table> explanation_tables(const Explanation& explanation, const WorkedExplanation* work,
                                      std::span<const std::string> reasons);

}  // namespace traincost
