// Width of a stage's weights where they are stored and gathered.
#pragma once

#include "traincost/cost/stages.hpp"

namespace traincost {

/// Bytes of one of the stage's weights as it is stored and gathered, on average: a quantised base's blocks in
/// its format, all else `width`.
double stored_width(const Job& job, const BlockTable& table, const StageClass& stage, double width);

}  // namespace traincost
