// Names and values of a line for people.
#pragma once

#include <string_view>

#include "traincost/import/logs/lines/log_members.hpp"

namespace traincost {

/// Calls `take` for every field of a line for people: "loss: 2.5", "loss=2.5", "loss 2.5" and "2734.7 ms"
/// between bars, commas or wide gaps.
void for_each_field(std::string_view line, const TakeValue& take);

}  // namespace traincost
