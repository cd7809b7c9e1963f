#include "traincost/ask/unstated.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "traincost/base/text.hpp"
#include "traincost/cost/kernels.hpp"
#include "traincost/spec/adapter_format.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// One value of a setting, and how a job gets it.
struct Choice {
    std::string value;
    double odds;
    std::function<void(Job&)> set;
};

// How often runs differ from what is taken where nobody says so. Shares of the published runs that say, each
// source counted once (2026-11-23): of pre-training without a habit 44 % recompute nothing, 18 % selectively,
// 38 % fully (33 sources), of tuning 74 % fully (10 sources); 4 % of those of 2023 and later write
// their scores (43 sources); of bf16 runs one in ten has no fp32 weights (30 sources). Compilers and padding
// are said by too few, and fused attention beside stacks that write scores: guesses.
constexpr double fully_recomputed = 0.38;
constexpr double selectively_recomputed = 0.18;
constexpr double tuning_recomputed = 0.74;
constexpr double not_recomputed = 0.26;
constexpr double scores_written = 0.04;
constexpr double fused_elsewhere = 0.3;  // beside stacks whose habit is to write scores
constexpr double compiled_otherwise = 0.25;
constexpr double narrow_weights = 0.1;
constexpr double padded_samples = 0.25;
// Launch times of six hosts lie between 19 and 37 us in the same framework; stacks have the fastest's.
constexpr double slower_host = 0.6;
constexpr double slower_host_odds = 0.5;

// Routers that nothing balances by force: the busiest of 4 and 8 ranks took 1.4 and 1.6 times the mean's
// tokens in one source's first steps, 1.1 to 1.25 in another's pairs of forced and natural routing.
// Benchmarks force it: five of thirteen sources with experts over ranks (2026-11-27).
constexpr double busiest_rank = 1.4;
constexpr double natural_routing = 0.5;

// A job on a part of a node may have the whole host or its share of cores: 16 of them updated at 120 GB/s
// where the node's memory gives one user 490 (own H200, 2026-11-23).
constexpr double part_of_host = 0.25;
constexpr double part_of_host_odds = 0.5;

struct Choices {
    std::string field, flag, taken;
    std::vector<Choice> others;
};

Bytes fullest(const Estimate& e) {
    return e.stages[static_cast<std::size_t>(e.peak_stage)].device;
}

/// Sequences whose scores nobody writes to memory: beyond them fused attention is why the run exists.
constexpr std::int64_t longest_math_sequence = 4096;

double recompute_odds(Recompute kind, bool tuning) {
    switch (kind) {
        case Recompute::none:
            return not_recomputed;
        case Recompute::selective:
            return tuning ? 0.0 : selectively_recomputed;
        case Recompute::full:
            break;
    }
    return tuning ? tuning_recomputed : fully_recomputed;
}

Choices recompute_choices(const Job& job) {
    Choices choices{"recompute", "--recompute", std::string(name_of(job.run.recompute)), {}};
    std::vector<Recompute> kinds = {Recompute::none, Recompute::full};
    if (job.stack.layer.selective.any())
        kinds.push_back(Recompute::selective);
    const bool tuning = job.run.tuning != Tuning::full;
    for (const Recompute kind : kinds) {
        if (kind != job.run.recompute)
            choices.others.push_back({std::string(name_of(kind)), recompute_odds(kind, tuning),
                                      [kind](Job& j) { j.run.recompute = kind; }});
    }
    return choices;
}

Choices attention_choices(const Job& job) {
    const AttentionKernel taken = job.stack.attention.kernel;
    Choices choices{"attention", "--attention", std::string(name_of(taken)), {}};
    const AttentionKernel other =
        taken == AttentionKernel::math ? AttentionKernel::flash : AttentionKernel::math;
    if (other == AttentionKernel::flash || job.run.sequence <= longest_math_sequence)
        choices.others.push_back({std::string(name_of(other)),
                                  other == AttentionKernel::math ? scores_written : fused_elsewhere,
                                  [other](Job& j) { j.run.attention = other; }});
    return choices;
}

Choices compile_choices(const Job& job) {
    Choices choices{"compile", "--compile", job.stack.layer.compile ? "on" : "off", {}};
    // Stacks of PyTorch's own layers; Megatron's fuse by hand, XLA's always compile.
    if (job.stack.layer.tensor_parallel == TensorParallelKind::dtensor) {
        const bool other = !job.stack.layer.compile;
        choices.others.push_back(
            {other ? "on" : "off", compiled_otherwise, [other](Job& j) { j.run.compile = other; }});
    }
    return choices;
}

/// Weights in 16 bits alone beside weights with an fp32 master, and the other way round.
Choices precision_choices(const Job& job) {
    Choices choices{"precision", "--precision", job.run.precision_name, {}};
    const bool bf16 = job.run.precision_name.starts_with("bf16");
    if (!bf16 || job.run.tuning == Tuning::qlora)
        return choices;
    const std::string other = job.run.precision_name != "bf16-pure"    ? "bf16-pure"
                              : job.stack.states.amp == CastMode::none ? "bf16-mixed"
                                                                       : "bf16-amp";
    choices.others.push_back({other, narrow_weights, [other](Job& j) {
                                  j.run.precision_name = other;
                                  j.run.precision =
                                      tuned_precision(j.stack, *precision_from(other), j.run.tuning);
                              }});
    return choices;
}

/// Samples of tuning fill their sequence, or are padded and half as long on average.
Choices length_choices(const Job& job) {
    Choices choices{"length of samples", "--padded-length", std::to_string(job.run.sequence), {}};
    const std::int64_t half = job.run.sequence / 2;
    if (job.run.tuning != Tuning::full && half > 0)
        choices.others.push_back(
            {std::to_string(half), padded_samples, [half](Job& j) { j.run.padded_length = half; }});
    return choices;
}

/// Experts over ranks wait for the rank that most tokens are sent to.
Choices routing_choices(const Job& job) {
    Choices choices{"routing", "--expert-imbalance", to_significant(job.run.expert_imbalance), {}};
    if (job.model.moe && job.run.parallel.ep > 1)
        choices.others.push_back({to_significant(busiest_rank), natural_routing,
                                  [](Job& j) { j.run.expert_imbalance = busiest_rank; }});
    return choices;
}

/// The host, where launches wait for it, or where it updates offloaded states for a part of a node: elsewhere
/// its speed changes nothing.
Choices host_choices(const Job& job, const Estimate& taken) {
    const double taken_speed = launch_speed(job);
    Choices choices{"host speed", "--host-speed", to_significant(taken_speed), {}};
    constexpr double some = 0.02;
    if (taken.step.parts.offload.update > taken.step.total * some &&
        job.cluster.accelerators < job.cluster.per_node) {
        choices.others.push_back(
            {"0.25", part_of_host_odds, [](Job& j) { j.run.host_speed = part_of_host; }});
        return choices;
    }
    if (taken.step[StepTerm::host] > taken.step.total * some && !job.stack.host.cuda_graphs)
        choices.others.push_back({to_significant(slower_host * taken_speed), slower_host_odds,
                                  [taken_speed](Job& j) { j.run.host_speed = slower_host * taken_speed; }});
    return choices;
}

std::vector<Choices> unsaid_choices(const JobDraft& draft, const Job& job, const Estimate& taken) {
    std::vector<Choices> all;
    if (!draft.recompute)
        all.push_back(recompute_choices(job));
    if (!draft.attention)
        all.push_back(attention_choices(job));
    if (!draft.compile && !draft.compiled_parts)
        all.push_back(compile_choices(job));
    if (!draft.precision && !draft.recipe)
        all.push_back(precision_choices(job));
    if (!draft.padded_length && !draft.packed_length)
        all.push_back(length_choices(job));
    if (!draft.expert_imbalance)
        all.push_back(routing_choices(job));
    if (!draft.host_speed)
        all.push_back(host_choices(job, taken));
    std::erase_if(all, [](const Choices& c) { return c.others.empty(); });
    return all;
}

/// A setting's fastest and slowest value: null is the one taken.
struct Extremes {
    const Choice* fastest = nullptr;
    const Choice* slowest = nullptr;
    double width = 0.0;  ///< ln(slowest / fastest)
};

/// The job with one of each setting's extremes; nothing where the choices contradict each other.
std::optional<Estimate> with_all(const Job& job, const std::vector<Extremes>& extremes,
                                 const Choice* Extremes::*which) {
    Job changed = job;
    for (const Extremes& e : extremes) {
        if (e.*which != nullptr)
            (e.*which)->set(changed);
    }
    if (!validate(changed).empty())
        return std::nullopt;
    return estimate(changed);
}

/// The range of what fits; of everything where the job as taken does not.
class Ranges {
public:
    Ranges(UnstatedRange& range, const Estimate& taken) : range_(range), only_fitting_(taken.fits) {
        range_.step_low = range_.step_high = taken.step.total;
        range_.device_low = range_.device_high = fullest(taken);
    }
    bool counts(const Estimate& e) const {
        return e.fits || !only_fitting_;
    }
    void add(const Estimate& e) {
        if (!counts(e))
            return;
        range_.step_low = std::min(range_.step_low, e.step.total);
        range_.step_high = std::max(range_.step_high, e.step.total);
        range_.device_low = std::min(range_.device_low, fullest(e));
        range_.device_high = std::max(range_.device_high, fullest(e));
    }

private:
    UnstatedRange& range_;
    bool only_fitting_;
};

/// Evaluates the other values of one setting, each alone.
Extremes evaluated(const Choices& choices, const Job& job, const Estimate& taken, Ranges& ranges,
                   UnstatedSetting& setting) {
    Extremes ends;
    Seconds low = taken.step.total;
    Seconds high = taken.step.total;
    for (const Choice& choice : choices.others) {
        Job changed = job;
        choice.set(changed);
        if (!validate(changed).empty())
            continue;
        const Estimate e = estimate(changed);
        setting.others.push_back({choice.value, e.step.total, fullest(e), e.fits, choice.odds});
        ranges.add(e);
        if (ranges.counts(e) && e.step.total < low) {
            low = e.step.total;
            ends.fastest = &choice;
        }
        if (ranges.counts(e) && e.step.total > high) {
            high = e.step.total;
            ends.slowest = &choice;
        }
    }
    ends.width = std::log(high / low);
    return ends;
}

}  // namespace

UnstatedRange unstated_range(const JobDraft& draft, const Job& job, const Estimate& taken) {
    UnstatedRange range;
    Ranges ranges(range, taken);
    const std::vector<Choices> all = unsaid_choices(draft, job, taken);
    std::vector<Extremes> extremes;
    double widths = 0.0;
    for (const Choices& choices : all) {
        UnstatedSetting setting{choices.field, choices.flag, choices.taken, {}};
        extremes.push_back(evaluated(choices, job, taken, ranges, setting));
        if (setting.others.empty())
            continue;
        setting.share = extremes.back().width;
        widths += setting.share;
        range.settings.push_back(std::move(setting));
    }
    for (UnstatedSetting& setting : range.settings)
        setting.share = widths > 0.0 ? setting.share / widths : 0.0;
    if (range.settings.size() > 1 && widths > 0.0) {
        for (const auto which : {&Extremes::fastest, &Extremes::slowest}) {
            if (const auto e = with_all(job, extremes, which))
                ranges.add(*e);
        }
    }
    std::stable_sort(range.settings.begin(), range.settings.end(),
                     [](const UnstatedSetting& a, const UnstatedSetting& b) { return a.share > b.share; });
    return range;
}

std::vector<SettingOdds> odds_of(const UnstatedRange& range, const Estimate& taken) {
    std::vector<SettingOdds> all;
    for (const UnstatedSetting& setting : range.settings) {
        SettingOdds odds;
        for (const OtherSetting& other : setting.others) {
            if (other.odds > 0.0 && (other.fits || !taken.fits))
                odds.push_back({other.odds, std::log(other.step / taken.step.total),
                                std::log(other.device / fullest(taken))});
        }
        if (!odds.empty())
            all.push_back(std::move(odds));
    }
    return all;
}

std::string hope(const UnstatedRange& range, const Estimate& taken) {
    if (taken.fits)
        return "";
    std::string flags;
    std::string values;
    std::size_t settings = 0;
    for (const UnstatedSetting& setting : range.settings) {
        bool named = false;
        for (const OtherSetting& other : setting.others) {
            if (!other.fits || other.odds <= 0.0)
                continue;
            values += (values.empty() ? "" : " or ") + setting.flag + " " + other.value;
            flags += named ? "" : (flags.empty() ? "" : " and ") + setting.flag;
            settings += named ? 0 : 1;
            named = true;
        }
    }
    if (values.empty())
        return "";
    return flags + (settings == 1 ? " is" : " are") + " not stated, and " + values + " would fit";
}

std::string advice(const UnstatedRange& range) {
    if (range.settings.empty() || range.settings.front().share <= 0.0)
        return "";
    const UnstatedSetting& first = range.settings.front();
    return "stating " + first.flag + " would narrow the step's range by " + percent_text(first.share);
}

}  // namespace traincost
