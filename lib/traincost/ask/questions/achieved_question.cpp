#include "traincost/ask/questions/achieved_question.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "traincost/ask/sureness.hpp"
#include "traincost/base/text.hpp"
#include "traincost/plan/operation.hpp"
#include "traincost/spec/step_tokens.hpp"

namespace traincost {

namespace {

/// The measured step, and where it is from.
LoggedStep measured_step(const AchievedQuestion& f, const Job& job, const std::optional<TrainingLog>& log) {
    const int given = f.step_time.has_value() + f.tokens_per_s.has_value() +
                      f.tokens_per_s_per_gpu.has_value() + f.samples_per_s.has_value() + log.has_value();
    if (given != 1) {
        throw Error(ErrorKind::usage, std::string("--step-time: ") +
                                          (given == 0 ? "missing" : "more than one measurement is given") +
                                          "; give exactly one of --step-time, --tokens-per-s, "
                                          "--tokens-per-s-per-gpu, --samples-per-s, --log");
    }
    if (log) {
        std::optional<LoggedStep> step = logged_step(*log, job);
        if (!step) {
            throw Error(ErrorKind::input, "--log " + f.log_name + ": no step time or throughput in " +
                                              std::to_string(log->lines) + " lines; give --step-time");
        }
        return *std::move(step);
    }
    const double sequences = static_cast<double>(job.run.global_batch);
    const double tokens = tokens_per_step(job.run);
    if (f.step_time) {
        return {*f.step_time, "measured"};
    }
    if (f.samples_per_s) {
        return {Seconds{sequences / *f.samples_per_s}, "measured"};
    }
    const double rate = f.tokens_per_s
                            ? *f.tokens_per_s
                            : *f.tokens_per_s_per_gpu * static_cast<double>(job.cluster.accelerators);
    return {Seconds{tokens / rate}, "measured"};
}

/// What is left takes the wall time of its operation.
void count_failures(const ResolvedJob& resolved, std::optional<Remaining>& left) {
    const double goodput = goodput_of(resolved.job, resolved.operation);
    if (!left || goodput == 1.0) {
        return;
    }
    left->time /= goodput;
    left->gpu_hours /= goodput;
    if (left->cost) {
        *left->cost /= goodput;
    }
    if (left->energy_kwh) {
        *left->energy_kwh /= goodput;
    }
}

/// Tokens behind the run: as given, else as far as the log goes.
double tokens_done(const AchievedQuestion& question, const std::optional<TrainingLog>& log,
                   ResolvedJob& resolved) {
    if (question.tokens_done || !resolved.job.run.tokens) {
        return question.tokens_done.value_or(0.0);
    }
    if (const std::optional<double> logged = log ? logged_tokens(*log, resolved.job) : std::nullopt) {
        const double done = std::min(*logged, *resolved.job.run.tokens);
        resolved.assumptions.push_back(
            assumption_from("tokens done: " + count_text(done) + ", up to iteration " +
                            std::to_string(*log->last_iteration) + " of the log (--tokens-done)"));
        return done;
    }
    resolved.assumptions.push_back(assumption_from("tokens done: 0 (--tokens-done)"));
    return 0.0;
}

/// The stack whose log it is; nothing where several write the same, which accelerators tell apart.
std::optional<std::string> stack_of(const TrainingLog& log, const Catalogue& catalogue) {
    const bool shared = log.framework == LogFramework::megatron_lm || log.framework == LogFramework::maxtext;
    return !log.framework || shared ? std::nullopt
                                    : catalogue.find(Room::stacks, std::string(to_string(*log.framework)));
}

/// What a log prints of the job and nobody said, taken from it and said.
void take_logged(const TrainingLog& log, const std::string& name, const Catalogue& catalogue, JobDraft& draft,
                 Assumptions& out) {
    const auto take = [&](Stated<std::int64_t>& field, const std::optional<std::int64_t>& printed,
                          const char* words, const char* flag) {
        if (field || !printed || *printed <= 0)
            return;
        field = {printed, "--log " + name};
        out.push_back({words, std::to_string(*printed), "from the log", flag});
    };
    take(draft.sequence, log.sequence, "sequence", "--seq");
    if (!draft.accumulation)
        take(draft.global_batch, log.global_batch, "global batch", "--global-batch");
    if (draft.stack || draft.stack_spec)
        return;
    if (const std::optional<std::string> stack = stack_of(log, catalogue)) {
        draft.stack = {stack, "--log " + name};
        out.push_back({"stack", *stack, "from the log", "--stack"});
    }
}

/// ", as full recomputation would be (--recompute full)" where nobody said what is recomputed.
std::string likely_cause(const JobDraft& draft, const Job& job, const Achieved& a) {
    constexpr double alike = 0.08;  // two step times that one explanation may join
    if (draft.recompute || job.run.recompute != Recompute::none)
        return "";
    Job other = job;
    other.run.recompute = Recompute::full;
    if (!validate(other).empty() || std::abs(a.step / estimate(other).step.total - 1.0) >= alike)
        return "";
    return "; likely cause: everything is recomputed (--recompute full)";
}

std::string step_verdict(const JobDraft& draft, const Job& job, const Achieved& a, const Uncertainty& sure) {
    constexpr double as_predicted = 0.03;  // a difference nobody looks for causes of
    if (a.hardware.utilization > 1.0)
        return "Impossible as stated: " + percent_text(a.hardware.utilization) +
               " of the peak. Check the measurement, batch, number of accelerators and precision.";
    const bool slower = a.ratio > 1.0;
    if (std::abs(a.ratio - 1.0) < as_predicted)
        return "As fast as predicted, within " + percent_text(as_predicted) + ".";
    constexpr double far = 1.5;
    std::string text = a.ratio > far ? to_significant(a.ratio) + " times as long as predicted"
                                     : percent_text(std::abs(a.ratio - 1.0)) +
                                           (slower ? " slower" : " faster") + " than predicted";
    if (sure.step_time_s) {
        const bool inside =
            a.step.value() >= sure.step_time_s->low && a.step.value() <= sure.step_time_s->high;
        text += inside   ? ", within the 80% interval of comparable runs"
                : slower ? ", slower than nine in ten comparable runs"
                         : ", faster than nine in ten comparable runs";
    }
    return text + (slower ? likely_cause(draft, job, a) : "") + ".";
}

}  // namespace

AchievedAnswer ask(const AchievedQuestion& question, const Sources& sources) {
    JobDraft draft = question.job;
    Assumptions logged;
    if (question.log)
        take_logged(*question.log, question.log_name, sources.catalogue(), draft, logged);
    ResolvedJob resolved = resolve(draft, sources, {.micro_batch = false, .batch = true});
    resolved.assumptions.insert(resolved.assumptions.end(), logged.begin(), logged.end());
    const LoggedStep step = measured_step(question, resolved.job, question.log);
    if (question.tokens_done && !resolved.job.run.tokens)
        throw Error(ErrorKind::usage, "--tokens: missing; --tokens-done needs it");
    if (question.tokens_done && *question.tokens_done > *resolved.job.run.tokens)
        throw Error(ErrorKind::usage, "--tokens-done: must be at most --tokens");
    Achieved a = achieved(resolved.job, step.step, tokens_done(question, question.log, resolved));
    count_failures(resolved, a.remaining);
    Uncertainty sure = sureness(draft, resolved.job, a.predicted, sources.residuals());
    std::string verdict = step_verdict(draft, resolved.job, a, sure);
    return {std::move(resolved), step,         std::move(a),     std::move(sure),
            std::move(verdict),  question.log, question.log_name};
}

}  // namespace traincost
