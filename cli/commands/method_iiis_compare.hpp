// Our estimate of what the IIIS-Turing calculator was asked.
#pragma once

#include <cli/commands/method_compare.hpp>
#include <traincost/methods/iiis.hpp>

namespace traincost::cli {

/// Its figures, ours, and why they differ. `Error` where no record stands for its GPU or model, and where the
/// job cannot be.
Table iiis_comparison(const IiisInput& input, const IiisResult& result, const CompareFlags& flags,
                      Context& context);

}  // namespace traincost::cli
