#include "traincost/spec/draft/recompute_policies.hpp"

#include <algorithm>
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

std::optional<RecomputeChoice> recompute_policy_in(std::string_view text) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz_";
    for (std::size_t begin = text.find_first_of(letters); begin != text.npos;
         begin = text.find_first_of(letters, begin)) {
        const std::size_t end = std::min(text.find_first_not_of(letters, begin), text.size());
        if (const auto policy = recompute_policy(text.substr(begin, end - begin)))
            return policy;
        begin = end;
    }
    return std::nullopt;
}

}  // namespace traincost
