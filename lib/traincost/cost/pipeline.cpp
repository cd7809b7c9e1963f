#include "traincost/cost/pipeline.hpp"

#include <algorithm>

namespace traincost {

PipelineTime pipeline_time(Schedule schedule, std::span<const StageTime> stages, std::int64_t vp,
                           std::int64_t micro_batches, Seconds send) {
    const double m = static_cast<double>(micro_batches);
    const double v = static_cast<double>(vp);
    double p = 0.0;
    Seconds sum;
    Seconds slowest;
    Seconds forward;
    Seconds backward;
    Seconds weight;
    Seconds max_forward;
    Seconds max_backward;
    PipelineTime out{};
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const StageTime& s = stages[i];
        const Seconds work = s.forward + s.backward;
        p += s.count;
        sum += work * s.count;
        forward += s.forward * s.count;
        backward += s.backward * s.count;
        weight += s.weight * s.count;
        max_forward = std::max(max_forward, s.forward);
        max_backward = std::max(max_backward, s.backward);
        if (work > slowest) {
            slowest = work;
            out.slowest = static_cast<std::int64_t>(i);
        }
    }
    out.busy = slowest * m;
    if (p == 1.0) {
        out.total = out.busy;
        return out;
    }
    const Seconds f = forward / p;
    const Seconds b = backward / p;
    const Seconds w = weight / p;
    Seconds bubble;
    switch (schedule) {
        case Schedule::gpipe:
            bubble = sum + (max_forward + max_backward) * (m - 1.0) - out.busy;
            break;
        case Schedule::one_f_one_b:
            bubble = sum - slowest;
            break;
        case Schedule::interleaved:
            bubble = (sum - slowest) / v;
            break;
        case Schedule::zero_bubble:
            bubble = std::max(Seconds{}, (f + b - w * 2.0) * (p - 1.0));
            break;
        case Schedule::dualpipe:
            bubble = std::max(Seconds{}, (f + b + (b - w) - w * 3.0) * (p / 2.0 - 1.0));
            break;
    }
    // Fill and drain cross every boundary once a direction and chunk; in steady state each micro-batch waits
    // for two transfers.
    out.transfer =
        send * (2.0 * (p - 1.0) * (schedule == Schedule::interleaved ? v : 1.0) + 2.0 * (m - 1.0) * v);
    out.bubble = bubble;
    out.total = out.busy + out.bubble + out.transfer;
    return out;
}

}  // namespace traincost
