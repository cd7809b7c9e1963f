#include "traincost/cost/memory/stage_walk.hpp"

#include <algorithm>

namespace traincost {

namespace {

using memory_terms::Alive;

/// What `blocks` gathered blocks take, and the root beside them.
memory_terms::Gathered gathered(const StageInventory& held, std::int64_t blocks, bool with_root) {
    const double element = held.stack.states.gathers_stored ? held.shape.w : held.shape.e;
    memory_terms::Gathered g{0.0, held.largest.total(), element, 0.0, element};
    // Over one rank stage 3 gathers nothing, but it fetches what lives on the host.
    const bool fetched = held.run.offload_parameters != Offload::none && held.run.parallel.zero >= 3;
    if (!held.regime.weights_sharded && !(fetched && held.stack.states.graph_keeps_weights))
        return g;
    if (held.run.precision.base)
        g.w_g = bytes_per_element(*held.run.precision.base).value();
    if (held.regime.zero == 2) {
        g.n_x = held.all.total();
        return g;
    }
    g.k = static_cast<double>(blocks);
    g.n_x = with_root && !held.stack.states.root_sharded_apart ? held.root.total() : 0.0;
    return g;
}

/// Of the first `blocks` blocks, those that stay gathered from the forward pass on.
std::int64_t kept_gathered(const StageInventory& held, std::int64_t blocks) {
    if (held.stack.states.graph_keeps_weights && held.run.parallel.zero >= 3)
        return std::max<std::int64_t>(0, blocks - static_cast<std::int64_t>(held.again));
    if (!held.regime.fully_sharded || held.run.reshard != Reshard::last_kept)
        return 0;
    return std::max<std::int64_t>(
        0, blocks - std::max<std::int64_t>(0, held.counts.blocks - held.run.kept_blocks));
}

/// What the way backwards through block `position` of the stage finds gathered.
memory_terms::Gathered gathered_at_block(const StageInventory& held, std::int64_t position) {
    return gathered(held,
                    std::max(position > 0 ? 1 + held.stack.states.prefetched_blocks : 1,
                             1 + kept_gathered(held, position)),
                    true);
}

/// Whether a block that is behind keeps its input and the gradient that came there: FSDP1's hook on the input
/// of a unit without trained weights, which gives the unit back, is held until the backward pass ends. Runs
/// of LoRA and QLoRA on 2 to 4 GPUs (four sources of 2023 to 2025, dense models and mixtures of experts) hold
/// one set of block inputs more than walks that give them back; full fine-tuning, FSDP2 and two runs whose
/// weights lie on the host do not.
bool keeps_frozen_inputs(const StageInventory& held) {
    return held.regime.fully_sharded && held.regime.tuned && !held.regime.frozen_in_flat &&
           held.stack.states.shard == ShardEngine::fsdp1 && held.job.run.offload_parameters == Offload::none;
}

class StageWalk {
public:
    StageWalk(const StageInventory& held, MemoryWalk* moments) : held_(held) {
        if (moments != nullptr) {
            walk_ = &moments->backward;
            after_ = &moments->after;
        }
    }

    /// Loss, then every block backwards, then the optimizer.
    StagePeak walk() {
        if (held_.regime.buckets_beside)
            kept_buckets_ = held_.all_gradients().bytes();
        // Gradients that live in `.grad` appear in the first backward pass; with every micro-batch in flight
        // before it, the peak sees them grow.
        const bool appear =
            !held_.regime.gradients_persist ||
            (gradients_appear(held_) && static_cast<double>(micro_batches(held_.run)) <= held_.in_flight);
        Alive alive = after_forward();
        alive.gradients = appear ? held_.gradients(0.0) : held_.all_gradients();
        const double table =
            held_.shape.train_weights && appear ? held_.gradients_of(held_.shared_table()) : 0.0;
        if (held_.counts.last) {
            const OpTotals& head = held_.table.head_totals;
            alive.working = {0.0, 0.0, held_.boundary.value(),
                             (head.forward_peak + held_.returned + held_.held_back).value()};
            alive.gathered = gathered_at_loss();
            // Autocast's cache lives until the forward pass ends, recomputed blocks included.
            alive.casts.K += (held_.all_cast - held_.cast).value();
            consider(Moment::loss, -1, alive);
            alive.casts.K = cached();
            alive.working = {(head.backward_peak + held_.held).value(), 0.0, held_.boundary.value(), 0.0};
            alive.gathered = gathered_at_head();
            consider(Moment::loss, -1, alive);
            if (appear)
                alive.gradients.n_g += held_.gradients_of(held_.head) + table;
            if (held_.regime.fully_sharded)
                alive.staging = reducing(
                    held_.stack.states.root_sharded_apart && !held_.regime.tuned ? held_.head.total() : 0.0);
        }
        for (std::size_t r = held_.counts.runs_end; r-- > held_.counts.runs_begin;)
            walk_blocks(held_.stages.runs[r], appear, alive);
        if (held_.counts.first) {
            // A shared table's second gradient is made beside the head's and added to it.
            const double second = held_.gradients(table).bytes().value();
            alive.working = {held_.table.embedding_totals.backward_peak.value() + second, 0.0,
                             held_.boundary.value(), 0.0};
            if (appear)
                alive.gradients.n_g +=
                    held_.gradients_of(element_count(held_.table.embedding_parameters)) - table;
            alive.gathered = gathered(held_, 0, true);
            consider(Moment::backward, -1, alive);
        }
        after_backward();
        return peak_;
    }

private:
    /// A moment of the step: keeps what is alive when it is the highest so far.
    void consider(Moment moment, std::int64_t block, const Alive& alive) {
        const Bytes peak = alive.bytes();
        if (walk_ != nullptr) {
            const double blocks = std::max(1.0, static_cast<double>(held_.counts.blocks));
            const double left = moment == Moment::loss ? blocks : static_cast<double>(block) + 0.5;
            const Bytes gradients = alive.gradients.bytes();
            walk_->push_back(
                {moment, std::clamp(1.0 - left / blocks, 0.0, 1.0), peak - gradients, gradients});
        }
        if (peak <= highest_)
            return;
        highest_ = peak;
        peak_.moment = moment;
        peak_.block = block;
        peak_.alive = alive;
    }

    /// Copies that autocast makes for each micro-batch in flight, and that the way back reads.
    double cached() const {
        return held_.cast.value() * held_.in_flight;
    }

    /// What the loss finds gathered: FSDP1 keeps the root's group after the forward pass. FSDP2 gives it
    /// back, and with it the buffer into which it gathered the last block, behind a loss that the model
    /// computes.
    memory_terms::Gathered gathered_at_loss() const {
        const std::int64_t kept = kept_gathered(held_, held_.counts.blocks);
        const bool sharded = held_.regime.fully_sharded && held_.regime.zero >= 3;
        if (sharded && held_.stack.states.shard == ShardEngine::fsdp1)
            return gathered(held_, kept, true);
        const bool waits = root_waits_for_loss(held_);
        return gathered(held_, kept + (waits ? 1 : 0), waits);
    }

    /// What the way back through head and loss finds gathered: a head in a group of its own, again.
    memory_terms::Gathered gathered_at_head() const {
        memory_terms::Gathered g = gathered_at_loss();
        if (held_.regime.fully_sharded && held_.stack.states.root_sharded_apart)
            g.n_x = held_.head.total();
        return g;
    }

    /// Buckets of gradients that replicas reduce. ZeRO-2 with buckets of its own takes them for one rank too.
    memory_terms::Staging buckets() const {
        const Parallelism& p = held_.run.parallel;
        const bool partitioned = p.zero == 2 && !held_.stack.traffic.buckets_kept && !held_.regime.tuned;
        const bool reduced = (p.dp * p.cp > 1 || partitioned) && !held_.regime.fully_sharded;
        return {kept_buckets_.value(), reduced ? held_.stack.traffic.bucket_copies : 0.0,
                held_.stack.traffic.gradient_bucket.value(), 0.0,
                bytes_per_element(held_.run.precision.reduce).value()};
    }

    /// The same with `elements` of a fully sharded block on their way to their shards.
    memory_terms::Staging reducing(double elements) const {
        memory_terms::Staging staging = buckets();
        staging.n_q = elements;
        // The root's group is reduced when all of it is through: until then the head's gradient is whole.
        if (held_.counts.last && !held_.stack.states.root_sharded_apart && !held_.regime.tuned) {
            staging.n_h = held_.head.total();
            staging.e = held_.shape.e;
        }
        return staging;
    }

    /// What is alive when the forward pass is through, before the loss.
    Alive after_forward() const {
        const double o = held_.run.offload_activations;
        Alive alive{};
        alive.saved = {held_.in_flight, held_.saved.value(), held_.saved.value(), o,
                       held_.embedding_saved.value()};
        alive.inputs = {held_.in_flight, held_.inputs, held_.inputs, held_.boundary.value(), o};
        alive.casts = {cached(), 0.0};
        alive.staging = buckets();
        return alive;
    }

    /// A run of equal blocks backwards; `alive` goes from what is there before it to what is after it.
    void walk_blocks(const BlockRun& blocks, bool appear, Alive& alive) {
        const BlockKind& k = held_.table.kinds[blocks.kind];
        const ElementCount parameters = element_count(k.parameters);
        const double one_gradient = appear && blocks.trains ? held_.block_gradients_of(parameters) : 0.0;
        const bool keeps = !blocks.again && blocks.trains;
        // `n` blocks are behind it, their tensors gone and their gradients made.
        const auto behind = [&](double n, double freed) {
            Alive a = alive;
            if (keeps) {
                a.saved.A -= k.totals.saved.value() * freed;
                a.casts.F += k.totals.cast.value() * freed;
            }
            if (blocks.again)
                a.inputs.n_a += keeps_frozen_inputs(held_) ? n : -n;
            a.gradients.n_g += one_gradient * n;
            return a;
        };
        // `left` blocks of the run before it in the stage, `done` behind it. From block to block what is
        // alive changes by the same amount: the highest is the first, the last, or one whose neighbour
        // is of another run or missing.
        const auto visit = [&](std::int64_t left) {
            const std::int64_t done = blocks.count - 1 - left;
            const double n = static_cast<double>(done);
            Alive now = behind(n, n + 1.0);
            const double back = blocks.trains ? k.totals.backward_peak.value() : 0.0;
            const double again = blocks.again ? k.totals.forward_peak.value() : 0.0;
            now.working = {back + held_.held.value(), 1.0, held_.boundary.value(),
                           again + held_.held.value()};
            if (held_.regime.fully_sharded && done > 0)
                now.staging = reducing(reduced_elements(parameters));
            const std::int64_t before = blocks.position + left;
            now.gathered = gathered_at_block(held_, before);
            consider(Moment::backward, blocks.position + left, now);
        };
        visit(blocks.count - 1);
        if (blocks.count > 3)
            visit(blocks.count - 2);
        if (blocks.count > 2)
            visit(1);
        if (blocks.count > 1)
            visit(0);
        const double n = static_cast<double>(blocks.count);
        alive = behind(n, n);
        if (held_.regime.fully_sharded)
            alive.staging = reducing(reduced_elements(parameters));
    }

    /// A moment without activations: keeps what is alive when it is the highest so far.
    void consider_idle(Moment moment, const memory_terms::Working& working,
                       const memory_terms::Temporaries& temporaries) {
        Alive alive{};
        alive.saved = {0.0, held_.saved.value(), 0.0, held_.run.offload_activations,
                       held_.embedding_saved.value()};
        alive.inputs = {0.0, held_.inputs, 0.0, held_.boundary.value(), held_.run.offload_activations};
        alive.gathered = gathered(held_, 0, false);
        alive.gathered.n_x = 0.0;
        alive.staging = buckets();
        alive.staging.k = 0.0;
        alive.working = working;
        alive.temporaries = temporaries;
        alive.gradients = held_.all_gradients();
        consider(moment, -1, alive);
    }

    /// The end of the step: outputs joined, then the optimizer with all gradients and the temporaries of its
    /// update.
    void after_backward() {
        peak_.before_update = highest_;
        walk_ = after_;
        const memory_terms::Working nothing{0.0, 0.0, held_.boundary.value(), 0.0};
        memory_terms::Temporaries temporaries{0.0, temporary_copies(),
                                              bytes_per_element(held_.run.precision.moments).value(), 0.0};
        consider_idle(Moment::backward, {pipeline_outputs(held_).value(), 0.0, held_.boundary.value(), 0.0},
                      temporaries);
        double updated = held_.owned(held_.all, held_.regime.states_sharded) * held_.trained + held_.adapters;
        if (held_.run.parallel.zero >= 3 && held_.stack.states.shard == ShardEngine::deepspeed)
            updated = std::min(updated, deepspeed_sub_group);
        const Precision& precision = held_.run.precision;
        if (held_.stack.states.flat_optimizer && precision.master &&
            bytes_per_element(precision.gradients) < bytes_per_element(*precision.master)) {
            temporaries.f = (bytes_per_element(*precision.master) +
                             bytes_per_element(precision.gradients) * held_.stack.states.flat_gradient_copies)
                                .value();
        }
        if (held_.run.offload_optimizer == Offload::none)
            temporaries.n_u = updated;
        peak_.updating = temporaries.bytes();
        peak_.idle_gradients = held_.all_gradients().bytes();
        consider_idle(Moment::optimizer, nothing, temporaries);
    }

    /// Copies of a moment's size that live while the optimizer updates: by lists of tensors, the denominators
    /// of all; by single tensors or one kernel, none to speak of.
    double temporary_copies() const {
        if (!held_.run.optimizer_kernel)
            return held_.stack.states.optimizer_temporary_copies;
        return *held_.run.optimizer_kernel == OptimizerKernel::foreach ? 1.0 : 0.0;
    }

    /// Elements of a block whose gradients are on their way to their shards.
    double reduced_elements(const ElementCount& parameters) const {
        return held_.regime.tuned && !held_.regime.frozen_in_flat ? 0.0 : parameters.total();
    }

    const StageInventory& held_;
    Bytes kept_buckets_;  ///< of replicas, beside the gradients for good
    Bytes highest_{-1.0};
    StagePeak peak_;
    std::vector<WalkMoment>* walk_ = nullptr;  ///< where moments are written down; null: nowhere
    std::vector<WalkMoment>* after_ = nullptr;
};

}  // namespace

bool gradients_appear(const StageInventory& held) {
    return !held.regime.gradients_persist ||
           (held.stack.states.gradients == GradientStore::parameter && !bucket_views(held.job));
}

bool root_waits_for_loss(const StageInventory& held) {
    const bool inside = held.stack.head.loss_inside && (!held.shape.compiled || held.shape.fused.loss);
    return inside && held.regime.fully_sharded && held.regime.zero >= 3 &&
           held.stack.states.shard == ShardEngine::fsdp2 && !held.stack.states.root_sharded_apart;
}

Bytes pipeline_outputs(const StageInventory& held) {
    if (!held.counts.last || held.run.parallel.pp == 1 || !held.stack.pipeline.keeps_outputs ||
        !held.job.model.lm_head)
        return Bytes{};
    return Bytes{held.shape.tokens * held.shape.rank_vocab * held.shape.e} *
           static_cast<double>(micro_batches(held.run));
}

Bytes gathered_at_last_block(const StageInventory& held) {
    if (!held.regime.fully_sharded || held.counts.blocks == 0)
        return Bytes{};
    return gathered_at_block(held, held.counts.blocks - 1).bytes();
}

StagePeak walk_stage(const StageInventory& held, MemoryWalk* moments) {
    return StageWalk(held, moments).walk();
}

}  // namespace traincost
