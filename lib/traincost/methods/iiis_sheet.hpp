// The spreadsheet of the IIIS-Turing calculator (template.xlsx, b73dbc4): what its formulas give, which is
// not what the calculator's page gives:
//   - no position table among the parameters; the tables have a bus of 32 GB/s for RTX cards, 144 GB for the
//   H200;
//   - a forward and a backward pass are those of the whole iteration, not of a micro-batch;
//   - a million tokens are 10,000,000, so that iterations and total time are ten times too large; iterations
//   are whole;
//   - activations are always those of full recomputation; one rank or one stage does not end the transfers;
//   - the recommended tensor parallelism is not capped at 8, the recommended micro-batch not whole.
#pragma once

#include <span>
#include <string_view>

#include "traincost/methods/iiis.hpp"

namespace traincost {

std::span<const IiisGpu> iiis_sheet_gpus();
/// The row of that name. `Error` of kind not_found that suggests the nearest.
const IiisGpu& iiis_sheet_gpu(std::string_view name);

/// Its models: those of the page whose heads it has otherwise, names alike.
std::span<const IiisModel> iiis_sheet_models();
const IiisModel& iiis_sheet_model(std::string_view name);

/// The cells as the file is published: an RTX 3090, LLAMA-7B, 100 Gbit/s.
IiisInput iiis_sheet_defaults();

/// Its cells, by what they hold.
struct IiisSheet {
    IiisParameters parameters;
    double recommended_tp;          ///< Input E13
    double recommended_pp;          ///< Input E14
    double recommended_microbatch;  ///< Input E15
    IiisMemory memory;              ///< Computation C4 … K4
    IiisComputation computation;
    IiisCommunication communication;
    IiisTimeline timeline;  ///< `forward` and `backward` (Output I1, K1) are of the whole iteration
    double gpus;            ///< Output U1
    double iterations;      ///< Output W1
    double seconds;         ///< Output Y1
};

/// All cells. `Error` of kind input where the page would refuse the input.
IiisSheet iiis_sheet(const IiisInput& input);

}  // namespace traincost
