#include "traincost/import/recompute_policies.hpp"

#include <array>
#include <utility>

namespace traincost {

std::optional<RecomputeChoice> recompute_policy(std::string_view name) {
    // MaxText, layers/decoders.py, get_remat_policy: each policy is a list of results that are kept. An MLP
    // of which one result is kept, and an output projection run again, are not told apart from the whole and
    // the none.
    static constexpr std::array<std::pair<std::string_view, RecomputeModules>, 7> policies = {{
        {"minimal", {}},  // the stack's own
        {"minimal_with_context", {.norm = true, .activation = true}},
        {"minimal_flash", {.norm = true, .activation = true}},
        {"save_dot_with_context_except_mlp", {.norm = true, .mlp = true}},
        {"save_dot_except_mlp", {.core_attention = true, .norm = true, .mlp = true}},
        {"save_dot_except_mlpwi", {.core_attention = true, .norm = true, .mlp = true}},
        {"save_qkv_proj", {.core_attention = true, .norm = true, .mlp = true}},
    }};
    for (const auto& [policy, modules] : policies) {
        if (policy == name)
            return RecomputeChoice{.kind = Recompute::selective, .modules = modules, .layers = {}};
    }
    return std::nullopt;
}

}  // namespace traincost
