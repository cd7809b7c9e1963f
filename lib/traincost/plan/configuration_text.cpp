#include "traincost/plan/configuration_text.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/spec/draft/job_values.hpp"
#include "traincost/spec/names.hpp"
#include "traincost/spec/pipeline_rules.hpp"

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
        return "full recompute of " + std::to_string(*choice.layers) + " layers per stage";
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

namespace {

/// Whether the configuration's stages only exist because the run allows unequal ones.
bool needs_uneven_stages(const Job& job) {
    const Parallelism& p = job.run.parallel;
    return job.run.uneven_stages && !job.stack.pipeline.balanced_stages && !deals_evenly(job, p.pp * p.vp);
}

/// What the stack's own choice drops need not be said.
std::string recompute_flag(RecomputeChoice choice, const StackLayer& layer) {
    if (choice.modules == layer.selective)
        choice.modules = {};
    return to_text(choice);
}

}  // namespace

std::string configuration_flags(const SearchRequest& request, const Configuration& c) {
    const Job job = job_of(request, c);
    const Site& site = request.sites[static_cast<std::size_t>(c.site)];
    std::string text;
    const auto flag = [&](const char* name, const std::string& value) {
        text += (text.empty() ? "" : " ") + std::string(name) + (value.empty() ? "" : " ") + value;
    };
    const auto degree = [&](const char* name, std::int32_t value, std::int32_t usual) {
        if (value != usual)
            flag(name, std::to_string(value));
    };
    const auto differ = [&](auto member) {
        return std::any_of(request.sites.begin(), request.sites.end(),
                           [&](const Site& other) { return member(other) != member(site); });
    };
    if (differ([](const Site& s) { return s.cluster.id; }))
        flag("--cluster", site.cluster.id);
    if (differ([](const Site& s) { return s.cluster.accelerators; }))
        flag("--gpus", std::to_string(site.cluster.accelerators));
    if (differ([](const Site& s) { return s.stack.id; }))
        flag("--stack", site.stack.id);
    degree("--tp", c.tp, 1);
    degree("--pp", c.pp, 1);
    degree("--vp", c.vp, 1);
    degree("--cp", c.cp, 1);
    degree("--ep", c.ep, 1);
    if (request.model.moe)
        degree("--etp", c.etp, c.ep > 1 ? 1 : c.tp);
    // Always said: launchers shard, and recompute, by themselves where nobody says.
    degree("--zero", c.zero, c.dp * c.cp > 1 ? -1 : 0);
    degree("--hybrid-shard", c.hybrid_shard, 0);
    degree("--micro-batch", c.micro_batch, 0);
    if (request.says_batch)
        flag("--global-batch", std::to_string(job.run.global_batch));
    if (needs_uneven_stages(job))
        flag("--uneven-stages", "");
    const auto schedule = static_cast<Schedule>(c.schedule);
    if (c.pp > 1 && c.vp == 1 && schedule != site.stack.pipeline.schedule)
        flag("--schedule", std::string(name_of(schedule)));
    if (c.tp > 1 && (c.sequence_parallel != 0) != site.stack.layer.sequence_parallel)
        flag("--sequence-parallel", c.sequence_parallel != 0 ? "on" : "off");
    const RecomputeChoice& recompute = site.space.recompute[static_cast<std::size_t>(c.recompute)];
    flag("--recompute", recompute_flag(recompute, site.stack.layer));
    const OffloadChoice& offload = site.space.offload[static_cast<std::size_t>(c.offload)];
    if (offload.optimizer != Offload::none)
        flag("--offload-optimizer", std::string(name_of(offload.optimizer)));
    if (offload.parameters != Offload::none)
        flag("--offload-parameters", std::string(name_of(offload.parameters)));
    if (offload.activations > 0.0)
        flag("--offload-activations", to_exact(offload.activations));
    return text;
}

std::string difference_text(const SearchRequest& request, const Configuration& from,
                            const Configuration& other) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    struct Degree {
        const char* name;
        std::int32_t Configuration::*member;
    };
    static constexpr Degree degrees[] = {{"tp", &Configuration::tp},
                                         {"pp", &Configuration::pp},
                                         {"vp", &Configuration::vp},
                                         {"cp", &Configuration::cp},
                                         {"dp", &Configuration::dp},
                                         {"ep", &Configuration::ep},
                                         {"zero", &Configuration::zero},
                                         {"shard group", &Configuration::hybrid_shard},
                                         {"micro-batch", &Configuration::micro_batch}};
    for (const Degree& degree : degrees) {
        if (from.*degree.member != other.*degree.member)
            add(std::string(degree.name) + " " + std::to_string(other.*degree.member));
    }
    if (request.model.moe && from.etp != other.etp)
        add("etp " + std::to_string(other.etp));
    if (from.schedule != other.schedule)
        add(hyphenated(name_of(static_cast<Schedule>(other.schedule))));
    if (from.sequence_parallel != other.sequence_parallel)
        add(other.sequence_parallel != 0 ? "sequence parallelism" : "no sequence parallelism");
    const SearchSpace& space = request.sites[static_cast<std::size_t>(other.site)].space;
    if (from.recompute != other.recompute)
        add(choice_text(space.recompute[static_cast<std::size_t>(other.recompute)]));
    if (from.offload != other.offload)
        add(choice_text(space.offload[static_cast<std::size_t>(other.offload)]));
    return text;
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
    if (c.pp > 1 && static_cast<Schedule>(c.schedule) != site.stack.pipeline.schedule && c.vp == 1)
        text += ", " + hyphenated(name_of(static_cast<Schedule>(c.schedule)));
    if (needs_uneven_stages(job_of(request, c)))
        text += ", uneven stages";
    const RecomputeChoice& recompute = site.space.recompute[static_cast<std::size_t>(c.recompute)];
    if (recompute.kind != Recompute::none)
        text += ", " + choice_text(recompute);
    if (c.tp > 1 && (c.sequence_parallel != 0) != site.stack.layer.sequence_parallel)
        text += c.sequence_parallel != 0 ? ", sequence parallelism" : ", no sequence parallelism";
    const OffloadChoice& offload = site.space.offload[static_cast<std::size_t>(c.offload)];
    if (offload.optimizer != Offload::none || offload.parameters != Offload::none ||
        offload.activations > 0.0) {
        text += ", " + choice_text(offload);
    }
    return text;
}

}  // namespace traincost
