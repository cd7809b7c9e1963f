#include "traincost/import/logs/log_verdict.hpp"

#include <cmath>

#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

namespace {

constexpr double as_predicted = 0.03;  // a difference nobody looks for causes of
constexpr double share_named = 0.02;   // of all time: slow steps that take less are not named
constexpr double alike = 0.08;         // two step times that one explanation may join
constexpr double memory_alike = 0.10;  // memory estimates are no better than this
constexpr double nearly_full = 0.97;   // of usable memory: the allocator starts to give back and ask again
constexpr double flops_alike = 0.02;
constexpr double unsteady = 1.15;  // nine of ten steps within this many medians: steady

const Estimate& predicted(const Achieved& a) {
    return a.predicted;
}

Bytes predicted_memory(const Achieved& a, const TrainingLog& log) {
    const Estimate& e = predicted(a);
    const StageMemory& stage = e.stages[static_cast<std::size_t>(e.peak_stage)];
    return log.device ? stage.device : log.reserved ? stage.reserved : stage.allocated;
}

Bytes logged_memory(const TrainingLog& log) {
    return log.device ? *log.device : log.reserved ? *log.reserved : *log.allocated;
}

/// Whether full recomputation, which the job does not state, would explain time and memory together.
bool recomputes_all(const TrainingLog& log, const Job& job, const Achieved& a) {
    if (job.run.recompute != Recompute::none || a.ratio < 1.0 + alike) {
        return false;
    }
    Job other = job;
    other.run.recompute = Recompute::full;
    if (!validate(other).empty()) {
        return false;
    }
    const Estimate e = estimate(other);
    const bool less_memory = !log.peak_memory || logged_memory(log) < predicted_memory(a, log);
    return std::abs(a.step / e.step.total - 1.0) < alike && less_memory;
}

void add_loss(std::vector<std::string>& found, const Achieved& a) {
    const double lost = 1.0 - 1.0 / a.ratio;
    if (std::abs(a.ratio - 1.0) < as_predicted) {
        found.push_back("The step is as fast as predicted, within " + percent_text(as_predicted) + ".");
    } else if (lost > 0) {
        found.push_back(percent_text(lost) + " of the predicted throughput is lost: " +
                        to_text(a.step - a.predicted.step.total) + " of each step.");
    } else {
        found.push_back("The step is " + percent_text(1.0 - a.ratio) + " faster than predicted.");
    }
}

void add_causes(std::vector<std::string>& found, const TrainingLog& log, const Job& job, const Achieved& a) {
    if (recomputes_all(log, job, a)) {
        found.push_back(
            "Likely cause: all activations are recomputed (--recompute full), although the job does not say "
            "so.");
    }
    if (log.spread && log.spread->slow_share >= share_named) {
        found.push_back(
            "Slow steps take " + percent_text(log.spread->slow_share) +
            " of the run beyond the median: checkpoints, evaluation, the data loader, or a slow node.");
    }
    if (log.spread && log.step_time && log.spread->steps >= 10 &&
        log.spread->p90 > *log.step_time * unsteady) {
        found.push_back("Steps are unsteady: one in ten takes longer than " + to_text(log.spread->p90) +
                        ". Typical causes: uneven sequences, the data loader, other network traffic.");
    }
    if (log.peak_memory && log.peak_memory->value() > nearly_full * predicted(a).capacity.value()) {
        found.push_back("Memory is nearly full (" + to_text(*log.peak_memory) + " of " +
                        to_text(predicted(a).capacity) +
                        " usable): the allocator may free and reallocate memory in every step.");
    }
}

/// What the printed FLOP rate counts, where it is not what is counted here.
void add_flops(std::vector<std::string>& found, const TrainingLog& log, const Achieved& a) {
    if (!log.tflops_per_gpu) {
        return;
    }
    const double printed = *log.tflops_per_gpu * tera;
    const double ratio = printed / a.model.rate.value();
    if (std::abs(ratio - 1.0) <= flops_alike) {
        return;
    }
    const std::string rate = "The log's " + to_significant(*log.tflops_per_gpu) + " TFLOP/s are ";
    for (std::size_t i = 0; i < a.by_convention.size(); ++i) {
        if (std::abs(printed / a.by_convention[i].rate.value() - 1.0) <= flops_alike) {
            found.push_back(rate + "counted as in the row " +
                            std::string(to_string(static_cast<FlopConvention>(i))) + " above.");
            return;
        }
    }
    constexpr double least = 0.7;  // conventions differ by less
    constexpr double most = 1.5;
    found.push_back(rate + to_significant(ratio) +
                    " times the exact count above: the log counts FLOPs differently" +
                    (ratio < least || ratio > most
                         ? ", or the job is not that run: check sequence, batch, accelerators and model."
                         : "."));
}

void add_differences(std::vector<std::string>& found, const TrainingLog& log, const Job& job,
                     const Achieved& a) {
    if (log.restarts > 0) {
        found.push_back("The run was restarted " +
                        (log.restarts == 1 ? "once" : std::to_string(log.restarts) + " times") +
                        "; repeated work is not part of the step time.");
    }
    if (log.global_batch && *log.global_batch != job.run.global_batch) {
        found.push_back("The log's global batch is " + std::to_string(*log.global_batch) + ", the job's " +
                        std::to_string(job.run.global_batch) + ": not the same run.");
    }
    if (log.sequence && *log.sequence != job.run.sequence) {
        found.push_back("The log's sequence is " + std::to_string(*log.sequence) + " tokens, the job's " +
                        std::to_string(job.run.sequence) + ": not the same run.");
    }
    if (const std::optional<std::int64_t> n = accelerators_of(log);
        n && std::abs(static_cast<double>(*n) / static_cast<double>(job.cluster.accelerators) - 1.0) >
                 share_named) {
        found.push_back("The log's rates imply " + std::to_string(*n) + " accelerators; the job has " +
                        std::to_string(job.cluster.accelerators) + ".");
    }
    if (log.peak_memory) {
        const double ratio = logged_memory(log) / predicted_memory(a, log);
        if (std::abs(ratio - 1.0) > memory_alike) {
            found.push_back("The log's peak memory is " + to_significant(ratio) + " times the predicted " +
                            to_text(predicted_memory(a, log)) + ".");
        }
    }
    add_flops(found, log, a);
}

}  // namespace

std::optional<LoggedStep> logged_step(const TrainingLog& log, const Job& job) {
    const double sequences = static_cast<double>(job.run.global_batch);
    const double tokens = tokens_per_step(job.run);
    const double accelerators = static_cast<double>(job.cluster.accelerators);
    if (const std::optional<Seconds> step = optimizer_step_time(log)) {
        return LoggedStep{*step, !log.step_time    ? "steps per second"
                                 : log.micro_steps ? "micro-step time"
                                                   : "median step time of " +
                                                         std::to_string(log.spread ? log.spread->steps : 1)};
    }
    if (log.tokens_per_s) {
        return LoggedStep{Seconds{tokens / *log.tokens_per_s}, "tokens per second"};
    }
    if (log.tokens_per_s_per_gpu) {
        return LoggedStep{Seconds{tokens / (*log.tokens_per_s_per_gpu * accelerators)},
                          "tokens per second per accelerator"};
    }
    if (log.samples_per_s) {
        return LoggedStep{Seconds{sequences / *log.samples_per_s}, "samples per second"};
    }
    return std::nullopt;
}

std::optional<double> logged_tokens(const TrainingLog& log, const Job& job) {
    const bool counted = log.framework == LogFramework::hf_trainer ||
                         log.framework == LogFramework::axolotl || log.framework == LogFramework::mlperf ||
                         log.framework == LogFramework::lightning;
    if (counted || !log.last_iteration) {
        return std::nullopt;
    }
    const double steps =
        static_cast<double>(*log.last_iteration) / static_cast<double>(log.micro_steps.value_or(1));
    return steps * tokens_per_step(job.run);
}

std::vector<std::string> log_verdict(const TrainingLog& log, const Job& job, const Achieved& achieved) {
    std::vector<std::string> found;
    add_loss(found, achieved);
    const std::size_t before = found.size();
    add_causes(found, log, job, achieved);
    if (found.size() == before && achieved.ratio > 1.0 + as_predicted) {
        constexpr std::int64_t few = 3;  // times, of which one may not be like the others
        const std::string seen = std::string(!log.spread                ? "it has no step times"
                                             : log.spread->steps <= few ? "it has few step times"
                                                                        : "steps are even") +
                                 (log.peak_memory ? " and memory is not full" : "");
        found.push_back("No cause in the log: " + seen +
                        ". Check clock rates, settings that the job does not state, and communication that "
                        "should overlap with compute.");
    }
    add_differences(found, log, job, achieved);
    return found;
}

}  // namespace traincost
