#include "traincost/cost/pipeline.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "traincost/cost/memory/pipeline_memory.hpp"
#include "traincost/cost/pipeline_runs.hpp"
#include "traincost/cost/pipeline_simulation.hpp"

namespace traincost {

namespace {

double gpipe_time(const StageRuns& runs, double m, double delay) {
    double most_f = 0.0;
    double most_b = 0.0;
    for (const StageRun& r : runs) {
        most_f = std::max(most_f, r.f);
        most_b = std::max(most_b, r.b);
    }
    return runs.sum_f + runs.sum_b + (m - 1.0) * (most_f + most_b) + 2.0 * (runs.stages() - 1.0) * delay;
}

/// 1F1B played in rounds: in round k stage s runs the forward pass of micro-batch k + p - 1 - s and the
/// backward pass of k, so that a round needs only itself and the one before.
double one_f_one_b_played(const PipelineTimes& t, std::int64_t m) {
    const auto p = static_cast<std::int64_t>(t.size());
    StageRow free(t.size());
    StageRow forward(t.size());
    for (std::size_t s = 0; s < t.size(); ++s)
        free[s] = forward[s] = 0.0;
    for (std::int64_t k = 1 - p; k < m; ++k) {
        double next = 0.0;  // end of the next stage's backward pass of k
        for (std::size_t s = t.size(); s-- > 0;) {
            const std::int64_t i = k + p - 1 - static_cast<std::int64_t>(s);
            if (i >= 0 && i < m) {
                const double arrived = s > 0 ? forward[s - 1] + t.delay : 0.0;
                free[s] = forward[s] = std::max(free[s], arrived) + t.f[s];
            }
            if (k >= 0) {
                const double arrived = s + 1 < t.size() ? next + t.delay : 0.0;
                free[s] = next = std::max(free[s], arrived) + t.b[s];
            }
        }
    }
    return free[0];
}

/// The best way to pass n micro-batches on in loops: `gain[k]` is the longest loop over k stages, `pace` the
/// k of the highest gain a micro-batch.
double loops(const StageRow& gain, std::size_t pace, std::int64_t n) {
    const auto k = static_cast<std::int64_t>(pace);
    const std::int64_t whole = n / k;
    const auto rest = static_cast<std::size_t>(n % k);
    return static_cast<double>(whole) * gain[pace] + (rest > 0 ? gain[rest] : 0.0);
}

/// The longest path through 1F1B's tasks. Every path goes down to the last stage and up again (Σ
/// w), and passes the other micro-batches on in loops: forward passes of stages u … t, then their backward
/// passes, takes t - u + 1 of them. The first and the last pp - 1 - s micro-batches have no loop at stage s:
/// there a path takes forward or backward passes alone, or goes down and up once more from stage u.
double one_f_one_b_path(const PipelineTimes& t, std::int64_t micro_batches) {
    const std::size_t p = t.size();
    const auto m = static_cast<double>(micro_batches);
    const double base = t.sum + 2.0 * static_cast<double>(p - 1) * t.delay;
    double longest = 0.0;
    double before = 0.0;
    double pass = 0.0;  // longest forward or backward pass so far
    for (std::size_t s = 0; s < p; ++s) {
        const double behind = std::min(static_cast<double>(p - 1 - s), m - 1.0);
        pass = std::max({pass, t.f[s], t.b[s]});
        longest = std::max(longest, base + (m - 1.0 - behind) * t.w[s] + behind * pass);
        longest = std::max(longest, before + m * t.w[s]);
        before += t.w[s] + 2.0 * t.delay;
    }
    StageRow gain(p + 1);
    for (std::size_t k = 0; k <= p; ++k)
        gain[k] = 0.0;
    std::size_t pace = 1;
    double down = 0.0;  // from stage u to the last and up again
    StageRow suffix(p + 1);
    std::size_t suffix_pace = 1;
    suffix[0] = 0.0;
    for (std::size_t u = p; u-- > 0;) {
        const std::size_t length = p - u;
        down += t.w[u] + (length > 1 ? 2.0 * t.delay : 0.0);
        suffix[length] = down;
        if (down * static_cast<double>(suffix_pace) > suffix[suffix_pace] * static_cast<double>(length))
            suffix_pace = length;
        // Without delays loops over one stage are the longest.
        const std::size_t most = t.delay > 0.0 ? length : 1;
        double loop = -2.0 * t.delay;
        for (std::size_t k = 1; k <= most; ++k) {
            loop += t.w[u + k - 1] + 2.0 * t.delay;
            gain[k] = std::max(gain[k], loop);
            if (gain[k] * static_cast<double>(pace) > gain[pace] * static_cast<double>(k))
                pace = k;
        }
        const std::int64_t left = micro_batches - 1 - static_cast<std::int64_t>(length);
        if (left >= 0)
            longest = std::max(longest, base + down + loops(gain, pace, left));
    }
    return std::max(longest, base + loops(suffix, suffix_pace, micro_batches - 1));
}

/// `one_f_one_b_path` without delays: loops over one stage are the longest, and along a run every path's
/// length changes by the same amount from stage to stage, so that its ends are enough.
double one_f_one_b_path(const StageRuns& runs, std::int64_t micro_batches) {
    const auto m = static_cast<double>(micro_batches);
    const double p = runs.stages();
    const double base = runs.sum_f + runs.sum_b;
    double longest = base + (m - 1.0) * (runs.end() - 1)->w;
    double before = 0.0;
    double pass = 0.0;
    for (const StageRun& r : runs) {
        pass = std::max({pass, r.f, r.b});
        for (const std::size_t s : {r.begin, r.end - 1}) {
            const double behind = std::min(p - 1.0 - static_cast<double>(s), m - 1.0);
            longest = std::max(longest, base + (m - 1.0 - behind) * r.w + behind * pass);
        }
        before += r.w * r.count();
        longest = std::max(longest, before - r.w + m * r.w);
    }
    double down = 0.0;
    double most = 0.0;
    for (const StageRun* r = runs.end(); r-- != runs.begin();) {
        most = std::max(most, r->w);
        for (const std::size_t u : {r->end - 1, r->begin}) {
            const double from_u = down + r->w * static_cast<double>(r->end - u);
            const double left = m - 1.0 - (p - static_cast<double>(u));
            if (left >= 0.0)
                longest = std::max(longest, base + from_u + left * most);
        }
        down += r->w * r->count();
    }
    return longest;
}

/// A search has no time to play longer pipelines.
constexpr std::int64_t longest_played = 16;

/// Stages whose work differs by more have paths that `one_f_one_b_path` does not follow: worth more than 0.5
/// % of a step of 3 pp micro-batches, less with more of them (tests/property/pipeline_test.cpp).
constexpr double nearly_equal = 1.4;

/// The same in fewer than pp micro-batches.
constexpr double almost_equal = 1.1;

double one_f_one_b_time(const PipelineStagesView& stages, const StageRuns& runs,
                        const StageTransfer& transfer, std::int64_t m) {
    const bool delays = transfer.overlapped && transfer.time.value() > 0.0;
    const auto p = static_cast<std::int64_t>(stages.size());
    std::int64_t first = 0;  // micro-batches to play
    if (p > longest_played && !delays)
        return one_f_one_b_path(runs, m);
    if (runs.most > runs.least * nearly_equal) {
        first = 3 * p;
    } else if (runs.most > runs.least * almost_equal || delays) {
        first = p;
    }
    if (first == 0 || (m > p && first == p && !delays))
        return one_f_one_b_path(runs, m);
    const PipelineTimes t(stages, transfer);
    if (m <= first)
        return one_f_one_b_played(t, m);
    if (first == p)
        return one_f_one_b_path(t, m);
    return one_f_one_b_played(t, first) + (one_f_one_b_path(t, m) - one_f_one_b_path(t, first));
}

/// The schedule played over its first `first` micro-batches; the rest passes at `pace`.
double played(Schedule schedule, const PipelineStagesView& stages, std::size_t v, std::int64_t m,
              const StageTransfer& transfer, std::int64_t first, double pace) {
    const std::vector<ChunkTime> chunks = chunk_times(stages, static_cast<std::int64_t>(v));
    const std::int64_t some = std::min(m, first);
    const Seconds time =
        remembered_time({schedule, chunks, static_cast<std::int64_t>(stages.size()), some, transfer});
    return time.value() + static_cast<double>(m - some) * pace;
}

/// PipelineTimes of stages that differ by less are one time.
constexpr double equal = 1.001;

/// Interleaved 1F1B. With equal chunks the last stage, which has the head, works without a break from the
/// first micro-batch's arrival on; an embedding delays it by one for each stage, and after the last one as
/// well.
double interleaved_time(const PipelineStagesView& stages, const StageTransfer& transfer, std::size_t v,
                        std::int64_t micro_batches) {
    const std::size_t p = stages.size();
    const double chunks = static_cast<double>(v);
    const double wait = transfer.overlapped ? 0.0 : transfer.time.value();
    const double delay = transfer.overlapped ? transfer.time.value() : 0.0;
    double sum = 0.0, least = 0.0, most = 0.0;
    const auto chunk = [&](std::size_t s) {
        const StageTime& x = stages[s];
        return (x.forward - x.end_forward + x.backward - x.end_backward).value() / chunks + 2.0 * wait;
    };
    for (std::size_t s = 0; s < p; ++s) {
        const double c = chunk(s);
        sum += c;
        least = s == 0 ? c : std::min(least, c);
        most = std::max(most, c);
    }
    const auto m = static_cast<double>(micro_batches);
    // Nothing is received at either end.
    const double embedding = (stages[0].end_forward + stages[0].end_backward).value() - wait;
    const double head = (stages[p - 1].end_forward + stages[p - 1].end_backward).value() - wait;
    const bool groups = micro_batches % static_cast<std::int64_t>(p) == 0;
    if (groups && most <= least * equal) {
        const double last = m * (chunks * chunk(p - 1) + head) + sum - chunk(p - 1) +
                            (embedding > 0.0 ? embedding * static_cast<double>(p) : embedding);
        const double first = m * (chunks * chunk(0) + embedding) + sum - 2.0 * chunk(0);
        const double inner = p > 2 ? m * chunks * chunk(1) + sum - 2.0 * chunk(1) : 0.0;
        return std::max({last, first, inner}) + 2.0 * static_cast<double>(p * v - 1) * delay;
    }
    double pace = 0.0;
    for (std::size_t s = 0; s < p; ++s) {
        const double ends = (s == 0 ? embedding : 0.0) + (s + 1 == p ? head : 0.0);
        pace = std::max(pace, chunks * chunk(s) + ends);
    }
    constexpr std::size_t tasks = std::size_t{1} << 15;  // beyond them the beginning no longer counts
    const std::size_t groups_played = std::max<std::size_t>(4, tasks / (2 * p * v * p));
    return played(Schedule::interleaved, stages, v, micro_batches, transfer,
                  static_cast<std::int64_t>(groups_played * p), pace);
}

/// Whether the stages between the first and the last take one time, the first no more than an embedding adds,
/// the last no less.
bool are_equal_inside(const StageRuns& runs) {
    const StageRun& first = *runs.begin();
    const StageRun& last = *(runs.end() - 1);
    const StageRun& inner = runs.end() - runs.begin() > 2 ? *(runs.begin() + 1) : first;
    for (const StageRun* r = runs.begin() + 1; r < runs.end() - 1; ++r) {
        const bool same = r->w <= inner.w * equal && inner.w <= r->w * equal &&
                          r->weight <= inner.weight * equal && inner.weight <= r->weight * equal;
        if (!same)
            return false;
    }
    constexpr double embedding = 1.01;
    // An end waits for one transfer less.
    return first.w <= inner.w * embedding && inner.w <= last.w * embedding;
}

/// ZB-H1 where the last stage, with the head, is the slowest: its own work, what reaches it and what leaves
/// it.
double zero_bubble_path(const StageRuns& runs, double m) {
    double weights = 0.0;
    for (const StageRun& r : runs)
        weights += r.weight * r.count();
    const double passes = runs.sum_f + runs.sum_b - weights;
    double before = 0.0;                   // Σ f of the stages before
    double behind = runs.sum_b - weights;  // Σ b - w of this stage and those behind
    double longest = 0.0;
    for (const StageRun& r : runs) {
        const double input = r.b - r.weight;
        longest = std::max(longest,
                           passes - r.f - input + m * r.w - runs.stages() * r.weight + runs.begin()->weight);
        longest = std::max(longest, before + m * r.w + behind - input);
        before += r.f * r.count();
        behind -= input * r.count();
        longest = std::max(longest, before - r.f + m * r.w + behind);
    }
    return longest;
}

double zero_bubble_time(const PipelineStagesView& stages, const StageRuns& runs,
                        const StageTransfer& transfer, std::int64_t m) {
    const auto p = static_cast<std::int64_t>(stages.size());
    const bool delays = transfer.overlapped && transfer.time.value() > 0.0;
    if (p > longest_played || (!delays && m >= 2 * p && are_equal_inside(runs)))
        return zero_bubble_path(runs, static_cast<double>(m));
    return played(Schedule::zero_bubble, stages, 1, m, transfer, 3 * p, runs.most);
}

double dualpipe_time(const PipelineStagesView& stages, const StageRuns& runs, const StageTransfer& transfer,
                     std::int64_t m) {
    const auto p = static_cast<std::int64_t>(stages.size());
    const PipelineTimes t(stages, transfer);
    double pace = 0.0;
    for (std::size_t s = 0; s < stages.size(); ++s)
        pace = std::max(pace, (t.w[s] + t.w[stages.size() - 1 - s]) / 2.0);
    // Long pipelines take too long to play in a search; their bubble is off by up to a third.
    constexpr std::int64_t longest_dual = 8;
    if (p > longest_dual || !can_play(Schedule::dualpipe, p, 1, m)) {
        // Of an inner stage; a slower pair of end stages waits less.
        const std::size_t inner = p > 2 ? 1 : 0;
        const double middle = std::max(0.0, static_cast<double>(p) / 2.0 - 1.0);
        const double each = 2.0 * t.f[inner] + t.b[inner] - 2.0 * stages[inner].weight.value();
        const double slower = 2.0 * static_cast<double>(p - 1) * (pace - t.w[inner]);
        return static_cast<double>(m) * pace + std::max(0.0, middle * each - slower) +
               2.0 * static_cast<double>(p - 1) * t.delay;
    }
    if (t.delay == 0.0)
        return played(Schedule::dualpipe, stages, 1, m, transfer, are_equal_inside(runs) ? 2 * p : 4 * p,
                      pace);
    const std::int64_t first = 4 * p;
    const std::int64_t half = first / 2;
    const double more = played(Schedule::dualpipe, stages, 1, m, transfer, first, 0.0);
    if (m <= first)
        return more;
    // Delays slow the pairs of neighbouring stages, which wait for each other.
    const double less = played(Schedule::dualpipe, stages, 1, half, transfer, first, 0.0);
    pace = std::max(pace, (more - less) / static_cast<double>(half));
    return more + static_cast<double>(m - first) * pace;
}

double total_time(Schedule schedule, const PipelineStagesView& stages, std::int64_t vp, std::int64_t m,
                  const StageTransfer& transfer) {
    if (schedule == Schedule::interleaved && vp > 1)
        return interleaved_time(stages, transfer, static_cast<std::size_t>(vp), m);
    const StageRuns runs(stages, transfer);
    switch (schedule) {
        case Schedule::gpipe:
            return gpipe_time(runs, static_cast<double>(m),
                              transfer.overlapped ? transfer.time.value() : 0.0);
        case Schedule::zero_bubble:
            return zero_bubble_time(stages, runs, transfer, m);
        case Schedule::dualpipe:
            return dualpipe_time(stages, runs, transfer, m);
        case Schedule::one_f_one_b:
        case Schedule::interleaved:
            break;
    }
    return one_f_one_b_time(stages, runs, transfer, m);
}

}  // namespace

PipelineTime pipeline_time(Schedule schedule, const PipelineStagesView& stages, std::int64_t vp,
                           std::int64_t micro_batches, const StageTransfer& transfer) {
    const std::size_t p = stages.size();
    const bool both_ends = schedule == Schedule::dualpipe && p > 1;
    PipelineTime out{};
    Seconds slowest{-1.0};
    for (std::size_t s = 0; s < (both_ends ? (p + 1) / 2 : p); ++s) {
        const StageTime& x = stages[s];
        Seconds work = x.forward + x.backward;
        if (both_ends) {
            const StageTime& y = stages[p - 1 - s];
            work = (work + y.forward + y.backward) / 2.0;
        }
        if (work > slowest) {
            slowest = work;
            out.slowest = static_cast<std::int64_t>(s);
        }
    }
    out.busy = slowest * static_cast<double>(micro_batches);
    out.total = out.busy;
    if (p == 1)
        return out;
    if (both_ends && transfer.time.value() > 0.0) {
        // Played once: what an inner stage waits for itself is the transfers', the rest the bubble's.
        const Seconds with{total_time(schedule, stages, vp, micro_batches, transfer)};
        const double waits = (transfer.overlapped ? 0.0 : 2.0 * static_cast<double>(micro_batches)) +
                             2.0 * static_cast<double>(p - 1);
        out.total = std::max(out.busy, with);
        out.transfer = std::min(out.total - out.busy, transfer.time * waits);
        out.bubble = out.total - out.busy - out.transfer;
        return out;
    }
    out.total = Seconds{total_time(schedule, stages, vp, micro_batches, {})};
    out.bubble = std::max(Seconds{}, out.total - out.busy);
    if (transfer.time.value() > 0.0) {
        const Seconds with{total_time(schedule, stages, vp, micro_batches, transfer)};
        out.transfer = std::max(Seconds{}, with - out.total);
    }
    out.total = out.busy + out.bubble + out.transfer;
    return out;
}

}  // namespace traincost
