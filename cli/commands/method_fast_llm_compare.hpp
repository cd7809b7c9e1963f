// Our estimate of what Fast_LLM's sheet was asked.
#pragma once

#include <cli/commands/method_compare.hpp>
#include <traincost/methods/fast_llm.hpp>

#include <vector>

namespace traincost::cli {

/// The sheet's ZeRO stages and plans beside our estimates of the same. `Error` where no preset has the
/// input's shape and no --as-model is given.
std::vector<Table> fast_llm_comparison(const FastLlmInput& input, const FastLlmSheet& sheet,
                                       const CompareFlags& flags, Context& context);

}  // namespace traincost::cli
