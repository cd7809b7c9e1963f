// C = 6ND: what a training run takes by the rule that every weight costs six operations a token, two of them
// forward [Kaplan20, §2.1]. Without attention scores, and with the embedding where N has it.
#pragma once

#include "traincost/base/quantity.hpp"

namespace traincost {

/// C = 6 N D.
Flops six_nd(double parameters, double tokens);

/// C over a rate that all accelerators together reach.
Seconds six_nd_time(double parameters, double tokens, FlopRate together);

/// 6 N · tokens/s over a peak.
double six_nd_mfu(double parameters, double tokens_per_s, FlopRate peak);

}  // namespace traincost
