#include "traincost/plan/configuration_text.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

std::string hyphenated(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '_', '-');
    return text;
}

std::string choice_text(const RecomputeChoice& choice) {
    switch (choice.kind) {
        case Recompute::none:
            return "no recompute";
        case Recompute::selective:
            return choice.modules.activation ? "selective recompute of attention, norms and activations"
                                             : "selective recompute";
        case Recompute::full:
            break;
    }
    if (choice.layers)
        return "full recompute of " + std::to_string(*choice.layers) + " layers a stage";
    if (choice.every > 1)
        return "full recompute of every " + std::to_string(choice.every) + ". layer";
    return "full recompute";
}

std::string choice_text(const OffloadChoice& offload) {
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
    if (offload.optimizer != Offload::none)
        add("optimizer on " + std::string(name_of(offload.optimizer)));
    if (offload.parameters != Offload::none)
        add("weights on " + std::string(name_of(offload.parameters)));
    if (offload.activations > 0.0)
        add(percent_text(offload.activations) + " of activations on the host");
    return text.empty() ? "no offload" : text;
}

std::string configuration_text(const SearchRequest& request, const Configuration& c) {
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    std::string text;
    const auto degree = [&](const char* name, std::int32_t value, std::int32_t usual) {
        if (value != usual)
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
    };
    degree("tp", c.tp, 1);
    degree("pp", c.pp, 1);
    degree("vp", c.vp, 1);
    degree("cp", c.cp, 1);
    degree("dp", c.dp, 1);
    degree("ep", c.ep, 1);
    if (request.model.moe)
        degree("etp", c.etp, c.ep > 1 ? 1 : c.tp);
    degree("zero", c.zero, 0);
    degree("shard group", c.hybrid_shard, 0);
    degree("micro-batch", c.micro_batch, 0);
    if (c.pp > 1 && static_cast<Schedule>(c.schedule) != site.stack.pipeline && c.vp == 1)
        text += ", " + hyphenated(name_of(static_cast<Schedule>(c.schedule)));
    const RecomputeChoice& recompute = site.space.recompute[static_cast<std::size_t>(c.recompute)];
    if (recompute.kind != Recompute::none)
        text += ", " + choice_text(recompute);
    if (c.tp > 1 && (c.sequence_parallel != 0) != site.stack.sequence_parallel)
        text += c.sequence_parallel != 0 ? ", sequence parallelism" : ", no sequence parallelism";
    const OffloadChoice& offload = site.space.offload[static_cast<std::size_t>(c.offload)];
    if (offload.optimizer != Offload::none || offload.parameters != Offload::none ||
        offload.activations > 0.0) {
        text += ", " + choice_text(offload);
    }
    return text;
}

}  // namespace traincost
