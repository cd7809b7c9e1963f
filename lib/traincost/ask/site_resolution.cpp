#include "traincost/ask/site_resolution.hpp"

#include <algorithm>
#include <limits>

#include "traincost/ask/node_rent.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Whether the stack is usual for the task on a vendor's accelerators; its rank, or nothing.
std::optional<std::int64_t> rank_of(const LaunchRules& rules, std::string_view vendor, Tuning task) {
    for (const UsualOn& usual : rules.usual_on) {
        const bool for_task = usual.tasks.empty() ? task == Tuning::full
                                                  : std::find(usual.tasks.begin(), usual.tasks.end(), task) !=
                                                        usual.tasks.end();
        if (for_task && (usual.vendor == vendor || (usual.vendor != "*" && vendor.starts_with(usual.vendor))))
            return usual.rank;
    }
    return std::nullopt;
}

/// The first usual stack that is usual with the ZeRO stage too; the first of all where none is.
std::string usual_stack(const Sources& sources, std::string_view vendor, Tuning task, std::int64_t zero) {
    const std::vector<std::string> usual = usual_stacks(sources, vendor, task);
    for (const std::string& id : usual) {
        const std::optional<std::int64_t> most = sources.launch_rules_of(id).most_zero;
        if (!most || zero <= *most)
            return id;
    }
    return usual.front();
}

/// The accelerators the degrees multiply to, where only they are said.
std::int64_t accelerator_count(const JobDraft& draft, Assumptions& out) {
    if (draft.gpus)
        return *draft.gpus;
    std::int64_t product = 1;
    for (const Stated<std::int64_t>* degree : {&draft.dp, &draft.tp, &draft.pp, &draft.cp}) {
        const std::int64_t n = std::max<std::int64_t>(1, degree->value_or(1));
        if (product > std::numeric_limits<std::int64_t>::max() / n)
            throw Error(ErrorKind::usage, "--dp: tp*pp*dp*cp is too large");
        product *= n;
    }
    out.push_back({"gpus", std::to_string(product) + " = tp*pp*dp*cp", "", "--gpus"});
    return product;
}

}  // namespace

std::vector<std::string> usual_stacks(const Sources& sources, std::string_view vendor, Tuning task) {
    std::vector<std::pair<std::int64_t, std::string>> ranked;
    for (const std::string_view name : {vendor, std::string_view("*")}) {
        for (const auto& [id, rules] : sources.usual_stacks()) {
            if (const auto rank = rank_of(rules, name, task))
                ranked.emplace_back(*rank, id);
        }
        if (!ranked.empty())
            break;
    }
    if (ranked.empty() && task != Tuning::full)
        return usual_stacks(sources, vendor, Tuning::full);
    if (ranked.empty())
        throw Error(ErrorKind::input,
                    "--stack: no usual stack is known for " + std::string(vendor) + " accelerators");
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::string> ids;
    for (const auto& [rank, id] : ranked)
        ids.push_back(id);
    return ids;
}

Tuning stated_tuning(const JobDraft& draft) {
    return draft.tuning.value_or(draft.lora_rank || draft.lora_targets ? Tuning::lora : Tuning::full);
}

ResolvedCluster resolve_cluster(const JobDraft& draft, const Catalogue& catalogue, const JobNeeds& needs,
                                Assumptions& out) {
    const std::int64_t count = accelerator_count(draft, out);
    const std::optional<std::int64_t> per_node = draft.per_node.value;
    if (draft.cluster)
        looked_up_for(draft.cluster.where, [&] { return catalogue.id(Room::clusters, *draft.cluster); });
    if (draft.gpu)
        looked_up_for(draft.gpu.where, [&] { return catalogue.id(Room::accelerators, *draft.gpu); });
    ClusterChoice choice =
        draft.cluster && draft.gpu
            ? catalogue.cluster(*draft.cluster, *draft.gpu, count, per_node)
            : catalogue.cluster(draft.cluster ? *draft.cluster : *draft.gpu, count, per_node);
    bool price_of_other_nodes = false;
    const bool rented = draft.price ? *draft.price != "own" : needs.price && !draft.gpu_hour;
    if (!draft.cluster && rented)
        take_rented_node(draft.price.value, per_node, catalogue, choice);
    else if ((!draft.cluster || draft.price_of_other_nodes.value_or(false)) && !draft.price &&
             !draft.gpu_hour && draft.tokens)
        price_of_other_nodes = take_rent_of_other_nodes(per_node, catalogue, choice);
    ClusterSpec spec = std::move(choice.spec);
    if (draft.accelerator_spec)
        spec.accelerator = *draft.accelerator_spec;
    for (const std::string& line : choice.assumptions)
        out.push_back(assumption_from(line));
    return {std::move(spec), price_of_other_nodes};
}

StackSpec resolve_stack(const JobDraft& draft, const Sources& sources, const AcceleratorSpec& accelerator,
                        const std::optional<PublishedRecipe>& recipe, Assumptions& out) {
    const Catalogue& catalogue = sources.catalogue();
    if (draft.stack_spec)
        return *draft.stack_spec;
    if (draft.stack)
        return looked_up_for(draft.stack.where, [&] { return catalogue.stack(*draft.stack); });
    if (recipe && !recipe->stack.empty() && accelerator.vendor.starts_with(recipe->vendor)) {
        out.push_back({"stack", recipe->stack, "as published: " + recipe->source, "--stack"});
        return catalogue.stack(recipe->stack);
    }
    const Tuning task = stated_tuning(draft);
    StackSpec stack =
        catalogue.stack(usual_stack(sources, accelerator.vendor, task, stated_zero(draft).value_or(0)));
    out.push_back({"stack", stack.id,
                   "usual " + (task == Tuning::full ? "" : "for " + std::string(name_of(task)) + " ") +
                       "on " + accelerator.vendor + " accelerators",
                   "--stack"});
    return stack;
}

}  // namespace traincost
