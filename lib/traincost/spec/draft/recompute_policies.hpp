// What frameworks call their choices of what a backward pass runs again, beyond none, selective and full.
#pragma once

#include <optional>
#include <string_view>

#include "traincost/spec/draft/recompute_choice.hpp"

namespace traincost {

/// The choice that a policy of MaxText means by name (`remat_policy`): "minimal" keeps the results of
/// products, "minimal_with_context" attention's too, "save_dot_except_mlp" those of attention alone. Nothing
/// where it is not known, or keeps what no choice of ours keeps.
std::optional<RecomputeChoice> recompute_policy(std::string_view name);

/// The first policy that a text names: "save_qkv_proj" of "selective (save_qkv_proj)".
std::optional<RecomputeChoice> recompute_policy_in(std::string_view text);

}  // namespace traincost
