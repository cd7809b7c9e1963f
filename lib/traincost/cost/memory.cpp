#include "traincost/cost/memory.hpp"

#include <algorithm>

#include "traincost/spec/names.hpp"

namespace traincost {

std::string_view to_string(MemoryTerm term) {
    static constexpr std::string_view names[] = {"weights",
                                                 "master_weights",
                                                 "gradients",
                                                 "optimizer_states",
                                                 "adapters",
                                                 "saved_activations",
                                                 "block_inputs",
                                                 "cast_weights",
                                                 "gathered_weights",
                                                 "gradient_staging",
                                                 "working_set",
                                                 "pipeline_buffers",
                                                 "optimizer_temporaries",
                                                 "workspace",
                                                 "fragmentation",
                                                 "context",
                                                 "communicators"};
    return names[static_cast<std::size_t>(term)];
}

std::string_view to_string(Moment moment) {
    static constexpr std::string_view names[] = {"forward", "loss", "backward", "optimizer"};
    return names[static_cast<std::size_t>(moment)];
}

double micro_batches_in_flight(Schedule schedule, std::int64_t pp, std::int64_t vp, std::int64_t stage,
                               std::int64_t micro_batches) {
    const double m = static_cast<double>(micro_batches);
    const double p = static_cast<double>(pp);
    const double s = static_cast<double>(stage);
    const double v = static_cast<double>(vp);
    switch (schedule) {
        case Schedule::gpipe:
            return m;
        case Schedule::one_f_one_b:
        case Schedule::zero_bubble:
            return std::min(m, p - s);
        case Schedule::interleaved:
            return std::min(m, (2.0 * (p - s - 1.0) + (v - 1.0) * p + 1.0) / v);
        case Schedule::dualpipe:
            return std::min(m, (p + 1.0) / 2.0);
    }
    return m;
}

Bytes optimizer_state_bytes(Optimizer optimizer, const Precision& precision) {
    const Bytes moment = bytes_per_element(precision.moments);
    constexpr double quantised =
        1.0 + 4.0 / 256.0;  // 8-bit code and an fp32 scale a block of 256 [Dettmers22, §2.1]
    switch (optimizer) {
        case Optimizer::adamw:
        case Optimizer::paged_adamw:
            return moment * 2.0;
        case Optimizer::adam8bit:
        case Optimizer::paged_adam8bit:
            return Bytes{2.0 * quantised};
        case Optimizer::sgd:
            return Bytes{};
        case Optimizer::sgd_momentum:
        case Optimizer::lion:
        case Optimizer::muon:
            return moment;
        case Optimizer::adafactor:
            return Bytes{};  // row and column statistics only [Shazeer18]: below a thousandth of the weights
    }
    return Bytes{};
}

StateShards state_shards(const Job& job) {
    const Parallelism& p = job.run.parallel;
    const double replicas = static_cast<double>(p.dp * p.cp);
    const double group = p.hybrid_shard ? static_cast<double>(*p.hybrid_shard) : replicas;
    const double expert =
        replicas * static_cast<double>(p.tp) / static_cast<double>(p.ep * expert_tensor_parallel(p));
    return {group, std::max(1.0, expert)};
}

namespace {

/// Elements, split by who shares them.
struct Elements {
    double dense = 0.0;
    double expert = 0.0;
    double total() const {
        return dense + expert;
    }
    Elements operator+(const Elements& o) const {
        return {dense + o.dense, expert + o.expert};
    }
};

Elements of(const ShardedCount& c) {
    return {c.dense, c.expert};
}

/// Weights of LoRA pairs of one block on one rank.
double adapter_elements(const Job& job, const Shape& s, bool moe) {
    const AdapterSpec& a = job.run.adapter;
    const ModelSpec& m = job.model;
    const double r = static_cast<double>(a.rank);
    const double tp = static_cast<double>(s.tp);
    const double h = static_cast<double>(m.hidden);
    const double q = static_cast<double>(m.heads * m.head_dim) / tp;
    const double kv = std::max(1.0, static_cast<double>(m.kv_heads) / tp) * static_cast<double>(m.head_dim);
    const double f = static_cast<double>(m.ffn) / tp;
    double n = 0.0;
    if (a.query)
        n += r * (h + q);
    if (a.key)
        n += r * (h + kv);
    if (a.value)
        n += r * (h + kv);
    if (a.attention_out)
        n += r * (q + h);
    if (a.mlp && !moe)
        n += r * ((m.gated_mlp ? 3.0 : 2.0) * (h + f));
    return n;
}

/// The stage's blocks in the order they run, chunk by chunk.
template <class Visit>
void for_each_block(const Job& job, std::int64_t stage, Visit visit) {
    const Parallelism& p = job.run.parallel;
    const StageLayout layout{p.pp, p.vp, block_count(job.model)};
    for (std::int64_t v = 0; v < p.vp; ++v) {
        const std::int64_t chunk = v * p.pp + stage;
        const std::int64_t first = chunk_first(layout, chunk);
        const std::int64_t count = chunk_size(layout, chunk);
        for (std::int64_t i = first; i < first + count; ++i)
            visit(i);
    }
}

bool recomputed(const RunSpec& run, std::int64_t position_in_stage) {
    if (run.recompute != Recompute::full)
        return false;
    if (run.recompute_layers && position_in_stage >= *run.recompute_layers)
        return false;
    return position_in_stage % run.recompute_every == 0;
}

/// Everything of a stage that does not move during the step, and the sums the walk needs.
struct StageState {
    Elements parameters;     ///< on this rank, base weights
    double trainable_share;  ///< of them
    double adapters = 0.0;
    Elements largest_block;
    Elements root;  ///< embedding and head on this stage
};

Bytes& at(StageMemory& m, MemoryTerm t) {
    return m.terms[static_cast<std::size_t>(t)];
}

}  // namespace

StageMemory stage_memory(const Job& job, const Shape& s, const BlockTable& table, std::int64_t stage) {
    const RunSpec& run = job.run;
    const StackSpec& stack = job.stack;
    const Parallelism& p = run.parallel;
    const Precision& precision = run.precision;
    const StateShards shards = state_shards(job);
    const bool first = stage == 0;
    const bool last = stage == p.pp - 1;
    const std::int64_t m = micro_batches(run);
    const double in_flight = micro_batches_in_flight(
        run.schedule.value_or(p.vp > 1 ? Schedule::interleaved : stack.pipeline), p.pp, p.vp, stage, m);
    const bool tuned = run.tuning != Tuning::full;

    // --- Model states
    // -------------------------------------------------------------------------------------------------------
    Elements blocks;
    Elements largest;
    double adapters = 0.0;
    std::int64_t trained_blocks = 0;
    std::int64_t stage_blocks = 0;
    for_each_block(job, stage, [&](std::int64_t i) {
        const BlockKind& kind = table.kinds[kind_of(job, table, i)];
        blocks = blocks + of(kind.parameters);
        if (of(kind.parameters).total() > largest.total())
            largest = of(kind.parameters);
        if (tuned)
            adapters += adapter_elements(job, s, kind.moe);
        ++stage_blocks;
        if (i >= run.frozen_layers)
            ++trained_blocks;
    });
    Elements root;
    if (first)
        root = root + of(table.embedding_parameters);
    if (last)
        root = root + of(p.pp > 1 ? table.head_parameters : table.head_only_parameters);
    const Elements all = blocks + root;
    const double trained =
        tuned ? 0.0
              : (stage_blocks > 0 ? static_cast<double>(trained_blocks) / static_cast<double>(stage_blocks)
                                  : 1.0);

    const auto per_rank = [&](const Elements& n, bool sharded) {
        return sharded ? n.dense / shards.dense + n.expert / shards.expert : n.total();
    };
    const double w = s.w;
    const double base = precision.base ? bytes_per_element(*precision.base).value() : w;
    const double g = bytes_per_element(precision.gradients).value();
    StageMemory out{};
    out.block = -1;
    out.micro_batches_in_flight = in_flight;
    // Quantised bases keep tables, norms and the head in the compute format.
    const Bytes weights = Bytes{per_rank(blocks, p.zero >= 3) * base + per_rank(root, p.zero >= 3) * w};
    at(out, MemoryTerm::weights) = weights;
    const double trainable = trained;
    if (precision.master) {
        at(out, MemoryTerm::master_weights) =
            bytes_per_element(*precision.master) * (per_rank(all, p.zero >= 1) * trainable);
    }
    const Bytes states =
        optimizer_state_bytes(run.optimizer, precision) * (per_rank(all, p.zero >= 1) * trainable);
    at(out, MemoryTerm::optimizer_states) = states;
    if (tuned) {
        const Bytes pair = bytes_per_element(precision.weights) + bytes_per_element(precision.gradients) +
                           optimizer_state_bytes(run.optimizer, precision);
        at(out, MemoryTerm::adapters) = pair * (adapters / (p.zero >= 3 ? shards.dense : 1.0));
    }
    if (run.offload_optimizer != Offload::none) {
        out.host += at(out, MemoryTerm::optimizer_states) + at(out, MemoryTerm::master_weights) +
                    Bytes{per_rank(all, true) * trainable * g};
        at(out, MemoryTerm::optimizer_states) = Bytes{};
        at(out, MemoryTerm::master_weights) = Bytes{};
    }
    if (run.offload_parameters != Offload::none) {
        out.host += at(out, MemoryTerm::weights);
        at(out, MemoryTerm::weights) = Bytes{};
    }

    // --- What a micro-batch keeps
    // -------------------------------------------------------------------------------------------
    const Bytes boundary{s.tokens_sp * static_cast<double>(job.model.hidden) * s.r};
    Bytes saved;
    Bytes inputs;
    Bytes cast;
    std::int64_t position = 0;
    for_each_block(job, stage, [&](std::int64_t i) {
        const BlockKind& kind = table.kinds[kind_of(job, table, i)];
        if (recomputed(run, position)) {
            inputs += boundary;
        } else if (i >= run.frozen_layers) {
            saved += kind.totals.saved;
        }
        if (s.autocast)
            cast += Bytes{kind.matrix_elements * s.e};
        ++position;
    });
    const double kept = 1.0 - run.offload_activations;
    out.host += (saved + inputs) * (run.offload_activations * in_flight);
    const Bytes embedding_saved = first ? table.embedding_totals.saved : Bytes{};

    // --- Data-parallel traffic
    // ----------------------------------------------------------------------------------------------
    const bool shards_weights = p.zero >= 3;
    const Bytes gathered =
        shards_weights
            ? Bytes{(largest.total() * static_cast<double>(1 + stack.prefetched_blocks) + root.total()) * s.e}
            : Bytes{};
    const bool replicated = p.dp * p.cp > 1;
    const Bytes bucket =
        replicated && !shards_weights ? stack.gradient_bucket * stack.bucket_copies : Bytes{};

    // --- The walk: loss, then every block backwards, then the optimizer
    // -----------------------------------------------------
    const bool main_buffer = stack.gradients == GradientStore::main_buffer;
    const bool shards_gradients = p.zero >= 2;
    const auto gradient_bytes = [&](const Elements& n) {
        return Bytes{per_rank(n, shards_gradients) * g * trainable};
    };
    const bool persistent = main_buffer || m > 1;
    const Bytes all_gradients = gradient_bytes(all);
    Bytes grads = persistent ? all_gradients : Bytes{};

    Bytes best_peak{-1.0};
    Bytes alive_saved = saved;
    Bytes alive_inputs = inputs;
    Bytes alive_cast = cast;
    const auto consider = [&](Moment moment, std::int64_t block, Bytes working, Bytes staging,
                              Bytes gradients) {
        const double older = std::max(0.0, in_flight - 1.0);
        const Bytes activations = (saved * older + alive_saved) * kept + embedding_saved * in_flight;
        const Bytes block_inputs = (inputs * older + alive_inputs) * kept;
        const Bytes peak = activations + block_inputs + alive_cast + working + staging + gradients + gathered;
        if (peak <= best_peak)
            return;
        best_peak = peak;
        out.moment = moment;
        out.block = block;
        at(out, MemoryTerm::saved_activations) = activations;
        at(out, MemoryTerm::block_inputs) = block_inputs;
        at(out, MemoryTerm::cast_weights) = alive_cast;
        at(out, MemoryTerm::gathered_weights) = gathered;
        at(out, MemoryTerm::working_set) = working;
        at(out, MemoryTerm::gradient_staging) = staging;
        at(out, MemoryTerm::gradients) = gradients;
        at(out, MemoryTerm::optimizer_temporaries) = Bytes{};
    };

    if (last) {
        consider(Moment::loss, -1, std::max(table.head_totals.forward_peak, table.head_totals.backward_peak),
                 bucket, grads);
        if (!persistent)
            grads += gradient_bytes(of(p.pp > 1 ? table.head_parameters : table.head_only_parameters));
    }
    // Blocks in reverse: collect indices without allocation by walking chunks backwards.
    const StageLayout layout{p.pp, p.vp, block_count(job.model)};
    for (std::int64_t v = p.vp - 1; v >= 0; --v) {
        const std::int64_t chunk = v * p.pp + stage;
        const std::int64_t begin = chunk_first(layout, chunk);
        for (std::int64_t i = begin + chunk_size(layout, chunk) - 1; i >= begin; --i) {
            --position;
            const BlockKind& kind = table.kinds[kind_of(job, table, i)];
            const bool again = recomputed(run, position);
            if (!again && i >= run.frozen_layers)
                alive_saved -= kind.totals.saved;
            const Elements n = of(kind.parameters);
            // A block whose gradients are reduced holds them unsharded, in the compute and in the reduction
            // format.
            const Bytes staging =
                shards_gradients
                    ? Bytes{n.total() * trainable * (s.e + bytes_per_element(precision.reduce).value())}
                    : bucket;
            consider(
                Moment::backward, i,
                std::max(kind.totals.backward_peak, again ? kind.totals.forward_peak : Bytes{}) + boundary,
                staging, grads + (persistent || shards_gradients ? Bytes{} : gradient_bytes(n)));
            if (again)
                alive_inputs -= boundary;
            if (!persistent)
                grads += gradient_bytes(n);
            if (s.autocast)
                alive_cast -= Bytes{kind.matrix_elements * s.e};
        }
    }
    // Optimizer: no activations, all gradients, temporaries of the update.
    const double updated = per_rank(all, p.zero >= 1) * trainable + (tuned ? adapters : 0.0);
    const Bytes temporaries{updated * 4.0 * stack.optimizer_temporary_copies};
    if (temporaries + all_gradients > best_peak) {
        best_peak = temporaries + all_gradients;
        for (const MemoryTerm t :
             {MemoryTerm::saved_activations, MemoryTerm::block_inputs, MemoryTerm::cast_weights,
              MemoryTerm::gathered_weights, MemoryTerm::working_set, MemoryTerm::gradient_staging}) {
            at(out, t) = Bytes{};
        }
        at(out, MemoryTerm::gradients) = all_gradients;
        at(out, MemoryTerm::optimizer_temporaries) = temporaries;
        out.moment = Moment::optimizer;
        out.block = -1;
    }
    if (p.pp > 1)
        at(out, MemoryTerm::pipeline_buffers) = boundary * 2.0;
    at(out, MemoryTerm::workspace) = stack.workspace;

    for (int t = 0; t <= static_cast<int>(MemoryTerm::workspace); ++t)
        out.allocated += out.terms[static_cast<std::size_t>(t)];
    at(out, MemoryTerm::fragmentation) = out.allocated * stack.fragmentation;
    out.reserved = out.allocated + at(out, MemoryTerm::fragmentation);
    at(out, MemoryTerm::context) = stack.context;
    const int communicators = (p.tp > 1) + (p.pp > 1) + (p.dp > 1) + (p.cp > 1) + (p.ep > 1);
    at(out, MemoryTerm::communicators) = stack.per_communicator * communicators;
    out.device = out.reserved + at(out, MemoryTerm::context) + at(out, MemoryTerm::communicators);
    return out;
}

}  // namespace traincost
