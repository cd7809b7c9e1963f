// The rows behind `explanations()`: each beside the function that gives its symbols their values.
#pragma once

#include <vector>

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory/memory_symbols.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/report/explain/explanation.hpp"

namespace traincost {

/// A job's estimate and what its terms are sums of.
struct ExplainedJob {
    const Job& job;
    const Estimate& estimate;
    Shape shape;
    BlockTable table;
    StageClasses stages;
    ExplainedMemory memory;  ///< of the peak's stage

    const StageMemory& peak() const {
        return estimate.stages[static_cast<std::size_t>(estimate.peak_stage)];
    }
    const StageClass& peak_class() const {
        return stages.of(estimate.peak_stage);
    }
};

/// What an item needs of a job beyond a step.
struct Availability {
    bool (*of)(const ExplainedJob&) = nullptr;  ///< null: every job has it
    std::string_view needs{};                   ///< "the training tokens (--tokens)"
};

/// One row: an explanation, its values in the order of its symbols, and its result.
struct ExplanationRow {
    Explanation explanation;
    std::vector<double> (*values)(const ExplainedJob&);
    Cell (*result)(const ExplainedJob&);
    Availability available{};
};

std::vector<ExplanationRow> memory_explanations();
std::vector<ExplanationRow> step_explanations();
std::vector<ExplanationRow> training_explanations();

}  // namespace traincost
