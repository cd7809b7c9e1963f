#include "traincost/cost/memory/stage_inventory.hpp"

#include <algorithm>

#include "traincost/spec/adapter_format.hpp"

namespace traincost {

ElementCount element_count(const ShardedCount& c) {
    return {c.dense, c.expert};
}

StageInventory::StageInventory(const Job& job_of, const Shape& shape_of_job, const BlockTable& blocks_of,
                               const StageClasses& classes, std::int64_t stage_of)
    : job(job_of),
      run(job_of.run),
      stack(job_of.stack),
      shape(shape_of_job),
      table(blocks_of),
      stages(classes),
      counts(classes.of(stage_of)),
      stage(stage_of),
      shards(state_shards(job_of)),
      regime(regime_of(job_of)),
      in_flight(micro_batches_in_flight(job_of, stage_of)),
      head(element_count(run.parallel.pp > 1 ? table.head_parameters : table.head_only_parameters)) {
    count();
    states();
}

double StageInventory::owned(const ElementCount& n, bool sharded) const {
    return sharded ? n.dense / shards.dense + n.expert / shards.expert : n.total();
}

/// ElementCount with a gradient on the device.
double StageInventory::gradients_of(const ElementCount& n) const {
    return regime.gradients_kept ? owned(n, regime.gradients_sharded) * trained : 0.0;
}

/// The same of blocks, frozen weights in one flat parameter with trained ones included.
double StageInventory::block_gradients_of(const ElementCount& n) const {
    return gradients_of(n) + (regime.frozen_in_flat ? owned(n, regime.gradients_sharded) : 0.0);
}

memory_terms::Gradients StageInventory::gradients(double elements) const {
    // FSDP1 widens gradients where it reduces them: under no_sync they wait whole, as backward made them.
    // FSDP2 adds them up in the format that it reduces.
    const bool waits =
        run.parallel.zero >= 2 && !regime.gradients_sharded && !regime.reduces_every_micro_batch;
    double stored = bytes_per_element(run.precision.gradients).value();
    if (waits && job.stack.states.shard == ShardEngine::fsdp1)
        stored = std::min(stored, shape.e);
    if (waits && job.stack.states.shard == ShardEngine::fsdp2)
        stored = std::max(stored, bytes_per_element(run.precision.reduce).value());
    return {elements, stored, 0.0, shape.e};
}

memory_terms::Gradients StageInventory::all_gradients() const {
    memory_terms::Gradients sum = gradients(block_gradients_of(blocks) + gradients_of(root));
    // 16-bit gradients stay beside a wider main buffer.
    if (regime.gradients_beside)
        sum.n_k = all.total() * trained;
    return sum;
}

/// The table that head and embedding share on this stage, both of which add to its gradient.
ElementCount StageInventory::shared_table() const {
    if (!counts.first || !counts.last || !job.model.tied_embeddings || !job.model.lm_head)
        return {};
    const double rows = shape.rank_vocab;
    const double width = static_cast<double>(job.model.embedding_dim.value_or(job.model.hidden));
    return {std::min(rows * width, root.dense), 0.0};
}

/// Parameters of the stage.
void StageInventory::count() {
    for (std::size_t k = 0; k < table.size; ++k) {
        const double n = counts.kinds[k].blocks;
        if (n == 0.0)
            continue;
        const BlockKind& kind = table.kinds[k];
        const ElementCount one = element_count(kind.parameters);
        blocks = blocks + ElementCount{one.dense * n, one.expert * n};
        if (one.total() > largest.total())
            largest = one;
        adapters += kind.totals.adapters * n;
    }
    if (counts.first)
        root = root + element_count(table.embedding_parameters);
    if (counts.last) {
        root = root + head;
        adapters += table.head_totals.adapters;
    }
    all = blocks + root;
    if (regime.tuned) {
        trained = 0.0;
    } else if (counts.blocks > 0) {
        trained = static_cast<double>(counts.trained) / static_cast<double>(counts.blocks);
    }
}

/// Weights, master copies, optimizer states: what is there all the time.
void StageInventory::states() {
    const Precision& precision = run.precision;
    const double base = precision.base ? bytes_per_element(*precision.base).value() : shape.w;
    weights = {owned(blocks, regime.weights_sharded), base, owned(root, regime.weights_sharded), shape.w,
               1.0};
    // Quantised bases keep tables and norms in the compute format, and the head unless the stack
    // quantises it.
    if (counts.last && stack.narrow.quantised_head) {
        const double head_elements = owned(head, regime.weights_sharded);
        weights.n_b += head_elements;
        weights.n_r -= head_elements;
    }
    const double stored = owned(all, regime.states_sharded);
    const double moment_bytes = optimizer_state_bytes(run.optimizer, precision).value();
    const double master_bytes = precision.master ? bytes_per_element(*precision.master).value() : 0.0;
    master = {stored, trained, master_bytes, 1.0};
    // Muon leaves tables and head to AdamW, which has two moments.
    const double of_tables = run.optimizer == Optimizer::muon ? owned(root, regime.states_sharded) : 0.0;
    moments = {stored + of_tables, trained, moment_bytes, 1.0};
    const Precision of_pairs = pair_precision(run, stack);
    pairs = {adapters / (regime.weights_sharded ? shards.dense : 1.0),
             bytes_per_element(of_pairs.weights).value(), bytes_per_element(of_pairs.gradients).value(),
             optimizer_state_bytes(run.optimizer, of_pairs).value()};
    offload_states();
}

/// Weights and states that live outside the device.
void StageInventory::offload_states() {
    const Precision& precision = run.precision;
    Bytes away_from_device;
    // Paged states are managed memory outside the allocator, moved to the host under pressure.
    if (run.optimizer == Optimizer::paged_adamw || run.optimizer == Optimizer::paged_adam8bit) {
        away_from_device += moments.bytes();
        moments.d = 0.0;
    }
    if (run.offload_optimizer != Offload::none) {
        const double updated = owned(all, true) * trained;
        const Bytes updates = bytes_per_element(precision.gradients) * updated;
        const Bytes states_away = moments.bytes() + master.bytes();
        if (run.offload_optimizer == Offload::nvme) {
            // The CPU updates a sub-group at a time, its states read into pinned buffers; gradients
            // arrive in host memory [Rajbhandari21, §5.2].
            storage += states_away;
            away_from_device +=
                updates + states_away * std::min(1.0, deepspeed_sub_group / std::max(1.0, updated));
        } else {
            away_from_device += states_away + updates;
        }
        moments.d = 0.0;
        master.d = 0.0;
    }
    if (run.offload_parameters != Offload::none) {
        if (run.offload_parameters == Offload::nvme) {
            constexpr double buffers = 5.0 * 1e8;  // elements: DeepSpeed's buffer_count and buffer_size
            storage += weights.bytes();
            away_from_device += std::min(weights.bytes(), Bytes{buffers * shape.w});
        } else {
            away_from_device += weights.bytes();
        }
        weights.d = 0.0;
    }
    host.H = away_from_device.value();
}

/// What a loop holds that drops the outputs of a micro-batch only for those of the next.
void StageInventory::hold_outputs() {
    if (!stack.head.holds_outputs) {
        held_back = Bytes{};
        return;
    }
    const bool widened = shape.loss == LossKernel::fp32_logits;
    const bool whole = widened || shape.loss == LossKernel::logits_format;
    const double element = widened ? bytes_per_element(DataType::fp32).value() : shape.e;
    Bytes logits;
    if (counts.last && job.model.lm_head && whole)
        logits = Bytes{shape.tokens * shape.rank_vocab * element};
    // The loss itself counts logits in the model's format that a caller holds.
    held = returned + (widened ? logits : Bytes{});
    held_back += returned + logits;
}

/// What one micro-batch keeps on this stage.
void StageInventory::activations() {
    boundary = Bytes{shape.tokens_sp * static_cast<double>(job.model.hidden) * shape.r};
    for (std::size_t k = 0; k < table.size; ++k) {
        const KindCount& n = counts.kinds[k];
        if (n.blocks == 0.0)
            continue;
        const OpTotals& totals = table.kinds[k].totals;
        inputs += n.again;
        saved += totals.saved * n.kept;
        dropped += std::max(Bytes{}, totals.saved - boundary) * n.again;
        again += n.again;
        cast += totals.cast * n.kept;
        all_cast += (totals.cast - totals.cached_cast) * n.kept;
        returned += totals.returned * n.again;
        held_back += totals.returned * n.kept + totals.pinned * n.kept;
    }
    hold_outputs();
    // Autocast caches copies of parameters, not of the views that FSDP puts in their place.
    for (std::size_t r = counts.runs_begin; r < counts.runs_end && !regime.fully_sharded; ++r) {
        const BlockRun& run_of = stages.runs[r];
        if (run_of.trains)
            all_cast += table.kinds[run_of.kind].totals.cached_cast * static_cast<double>(run_of.count);
    }
    if (counts.first)
        embedding_saved = table.embedding_totals.saved;
    host.m = in_flight;
    host.o = run.offload_activations;
    host.S = (saved + boundary * inputs).value();
}

}  // namespace traincost
