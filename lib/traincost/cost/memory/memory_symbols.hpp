// The symbols behind the terms of a stage's memory, as the walk that made the terms used them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "traincost/cost/memory.hpp"

namespace traincost {

/// A symbol of a term's formula and its value, in base units.
struct TermSymbol {
    std::string_view symbol;
    double value;
};
using TermSymbols = std::vector<TermSymbol>;

/// A stage's memory and, for each term, the symbols of the formula it came from.
struct ExplainedMemory {
    StageMemory memory;
    std::array<TermSymbols, memory_term_count> symbols;
    TermSymbols host;  ///< of what is offloaded to the host
};

/// `stage_memory` with its symbols: the same walk, which then also says what it used.
ExplainedMemory explained_memory(const Job& job, const Shape& shape, const BlockTable& table,
                                 const StageClasses& stages, std::int64_t stage);

}  // namespace traincost
