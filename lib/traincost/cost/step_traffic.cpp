#include "traincost/cost/step_traffic.hpp"

#include <algorithm>
#include <array>

#include "traincost/cost/kernels.hpp"
#include "traincost/cost/regime.hpp"
#include "traincost/cost/stages.hpp"
#include "traincost/cost/step_timeline.hpp"
#include "traincost/cost/stored_width.hpp"

namespace traincost {

namespace {

GroupPlacement placement_of(Group group, const GroupPlacements& all) {
    switch (group) {
        case Group::tensor:
            return all.tp;
        case Group::context:
            return all.cp;
        case Group::expert:
            return all.ep;
        case Group::expert_tensor:
            return all.etp;
        case Group::data:
            return all.dp_cp;
        case Group::expert_data:
            return all.expert_dp;
        case Group::pipeline:
            break;
    }
    return all.pp;
}

/// Collects messages of one kind.
class Ledger {
public:
    explicit Ledger(const Job& job) : job_(job), groups_(placements(job)) {
    }

    void add(Group group, Collective collective, TrafficPhase phase, Bytes message, double messages) {
        if (message.value() <= 0.0 || messages <= 0.0)
            return;
        const GroupPlacement place = placement_of(group, groups_);
        const Seconds one = communication_time(collective, message, group, job_, groups_);
        put({group, collective, phase, place.size, messages, message * messages,
             collective_traffic(collective, message, place.size) * messages, one * messages});
    }

    /// With times that are known.
    void put(const Traffic& traffic) {
        if (traffic.ranks < 2 || traffic.messages <= 0.0)
            return;
        const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Traffic& t) {
            return t.group == traffic.group && t.collective == traffic.collective && t.phase == traffic.phase;
        });
        if (same == rows_.end()) {
            rows_.push_back(traffic);
            return;
        }
        same->messages += traffic.messages;
        same->payload += traffic.payload;
        same->sent += traffic.sent;
        same->alone += traffic.alone;
    }

    /// An operator list that runs so many times forward, backward, and again.
    void add(const OpList& ops, double forward, double backward, double again) {
        for (const Operator& op : ops) {
            if (op.kind != OpKind::communication)
                continue;
            add(op.group, op.forward_collective, TrafficPhase::forward, op.forward_message, forward);
            add(op.group, op.forward_collective, TrafficPhase::backward, op.forward_message, again);
            add(op.group, op.backward_collective, TrafficPhase::backward, op.backward_message, backward);
        }
    }

    const GroupPlacements& groups() const {
        return groups_;
    }

    std::vector<Traffic> rows() {
        std::stable_sort(rows_.begin(), rows_.end(), [](const Traffic& a, const Traffic& b) {
            return std::pair(a.group, a.phase) < std::pair(b.group, b.phase);
        });
        return std::move(rows_);
    }

private:
    const Job& job_;
    GroupPlacements groups_;
    std::vector<Traffic> rows_;
};

/// Gradients reduced and weights gathered, with the times that the step counts for both kinds of weights.
void add_data_parallel(const Job& job, double width, const ShardedCount& weights, const DataParallelTime& d,
                       Ledger& ledger) {
    const Regime regime = regime_of(job);
    const GroupPlacement place = ledger.groups().dp_cp;
    const double trained = job.run.tuning == Tuning::full ? 1.0 : 0.0;
    const double elements = weights.dense + weights.expert;
    const auto row = [&](Collective collective, TrafficPhase phase, Bytes payload, double times,
                         Seconds one) {
        const Bytes all = payload * times;
        ledger.put({Group::data, collective, phase, place.size, times, all,
                    collective_traffic(collective, payload, place.size) * times, one * times});
    };
    const bool each = regime.reduces_every_micro_batch;
    row(reduction_collective(job), each ? TrafficPhase::backward : TrafficPhase::update,
        bytes_per_element(job.run.precision.reduce) * (elements * trained), d.reductions, d.reduction);
    const Bytes gathered{width * elements * (regime.weights_sharded ? 1.0 : trained)};
    if (!regime.weights_sharded) {
        row(job.stack.traffic.broadcasts_updates ? Collective::broadcast : Collective::all_gather,
            TrafficPhase::update, gathered, d.gathers, d.gathering);
        return;
    }
    const double again = regime.zero >= 3 ? d.gathers / 2.0 : 0.0;
    row(Collective::all_gather, TrafficPhase::forward, gathered, d.gathers - again, d.gathering);
    row(Collective::all_gather, TrafficPhase::backward, gathered, again, d.gathering);
}

}  // namespace

std::string_view to_string(TrafficPhase phase) {
    static constexpr std::array<std::string_view, 3> names = {"forward", "backward", "update"};
    return names[static_cast<std::size_t>(phase)];
}

std::vector<Traffic> step_traffic(const Job& job, const Estimate& estimate) {
    const Shape s = shape_of(job);
    BlockOps ops;
    fill_ops(job, s, ops);
    const BlockTable table = block_table(job, s, ops);
    const StageClasses stages = stage_classes(job, table);
    const std::int64_t slowest = estimate.step.slowest_stage;
    const StageClass& stage = stages.of(slowest);
    const double m = estimate.step.parts.micro_batches;
    Ledger ledger(job);
    for (std::size_t k = 0; k < table.size; ++k) {
        const KindCount& n = stage.kinds[k];
        ledger.add(ops.blocks[k], n.blocks * m, n.blocks * m, n.again * m);
    }
    if (stage.first)
        ledger.add(ops.embedding, m, m, 0.0);
    if (stage.last)
        ledger.add(ops.head, m, m, 0.0);
    const Parallelism& p = job.run.parallel;
    if (p.pp > 1) {
        // A stage sends each chunk's output onwards and its input's gradient back.
        const double chunks = static_cast<double>(p.vp);
        const Bytes held{s.tokens_sp * static_cast<double>(job.model.hidden) * s.e};
        const bool scatter = job.stack.pipeline.sharded_sends && s.tp > 1 && !s.sequence_parallel;
        const Bytes sent = scatter ? held / static_cast<double>(s.tp) : held;
        const double onwards = chunks - (slowest + 1 == p.pp ? 1.0 : 0.0);
        const double back = chunks - (slowest == 0 ? 1.0 : 0.0);
        ledger.add(Group::pipeline, Collective::send_recv, TrafficPhase::forward, sent, onwards * m);
        ledger.add(Group::pipeline, Collective::send_recv, TrafficPhase::backward, sent, back * m);
    }
    if (p.dp * p.cp > 1)
        add_data_parallel(job, stored_width(job, table, stage, s.e), stage_parameters(table, stage),
                          estimate.step.parts.data_parallel, ledger);
    return ledger.rows();
}

}  // namespace traincost
