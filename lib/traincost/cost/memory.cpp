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

Bytes& at(StageMemory& m, MemoryTerm t) {
    return m.terms[static_cast<std::size_t>(t)];
}

/// One stage's walk through its step: what is static, what each micro-batch keeps, and the peak.
class StageWalk {
public:
    StageWalk(const Job& job, const Shape& shape, const BlockTable& table, std::int64_t stage)
        : job_(job),
          run_(job.run),
          stack_(job.stack),
          s_(shape),
          table_(table),
          stage_(stage),
          shards_(state_shards(job)) {
        const Parallelism& p = run_.parallel;
        last_ = stage == p.pp - 1;
        schedule_ = run_.schedule.value_or(p.vp > 1 ? Schedule::interleaved : stack_.pipeline);
        in_flight_ = micro_batches_in_flight(schedule_, p.pp, p.vp, stage, micro_batches(run_));
        tuned_ = run_.tuning != Tuning::full;
        weights_sharded_ = p.zero >= 3 || fully_sharded(job);
        gradients_sharded_ = p.zero >= 2;
        persist_ = gradients_persist(job);
        head_ = of(p.pp > 1 ? table.head_parameters : table.head_only_parameters);
    }

    StageMemory peak() {
        count();
        states();
        activations();
        walk();
        finish();
        return out_;
    }

private:
    Bytes& term(MemoryTerm t) {
        return at(out_, t);
    }

    double owned(const Elements& n, bool sharded) const {
        return sharded ? n.dense / shards_.dense + n.expert / shards_.expert : n.total();
    }

    Bytes gradient_bytes(const Elements& n) const {
        return bytes_per_element(run_.precision.gradients) * (owned(n, gradients_sharded_) * trained_);
    }

    const BlockKind& kind(std::int64_t block) const {
        return table_.kinds[kind_of(job_, table_, block)];
    }

    /// Parameters of the stage.
    void count() {
        std::int64_t trained = 0;
        for_each_block(job_, stage_, [&](std::int64_t i) {
            const BlockKind& k = kind(i);
            blocks_ = blocks_ + of(k.parameters);
            if (of(k.parameters).total() > largest_.total())
                largest_ = of(k.parameters);
            if (tuned_)
                adapters_ += adapter_elements(job_, s_, k.moe);
            ++stage_blocks_;
            if (i >= run_.frozen_layers)
                ++trained;
        });
        if (stage_ == 0)
            root_ = root_ + of(table_.embedding_parameters);
        if (last_)
            root_ = root_ + head_;
        all_ = blocks_ + root_;
        if (tuned_) {
            trained_ = 0.0;
        } else if (stage_blocks_ > 0) {
            trained_ = static_cast<double>(trained) / static_cast<double>(stage_blocks_);
        }
    }

    /// Weights, master copies, optimizer states: what is there all the time.
    void states() {
        const Precision& precision = run_.precision;
        const bool shards_states = run_.parallel.zero >= 1;
        const double base = precision.base ? bytes_per_element(*precision.base).value() : s_.w;
        // Quantised bases keep tables, norms and the head in the compute format.
        term(MemoryTerm::weights) =
            Bytes{owned(blocks_, weights_sharded_) * base + owned(root_, weights_sharded_) * s_.w};
        if (precision.master) {
            term(MemoryTerm::master_weights) =
                bytes_per_element(*precision.master) * (owned(all_, shards_states) * trained_);
        }
        const Bytes moments = optimizer_state_bytes(run_.optimizer, precision);
        term(MemoryTerm::optimizer_states) = moments * (owned(all_, shards_states) * trained_);
        if (tuned_) {
            const Bytes pair =
                bytes_per_element(precision.weights) + bytes_per_element(precision.gradients) + moments;
            term(MemoryTerm::adapters) = pair * (adapters_ / (weights_sharded_ ? shards_.dense : 1.0));
        }
        if (run_.offload_optimizer != Offload::none) {
            out_.host += term(MemoryTerm::optimizer_states) + term(MemoryTerm::master_weights) +
                         bytes_per_element(precision.gradients) * (owned(all_, true) * trained_);
            term(MemoryTerm::optimizer_states) = Bytes{};
            term(MemoryTerm::master_weights) = Bytes{};
        }
        if (run_.offload_parameters != Offload::none) {
            out_.host += term(MemoryTerm::weights);
            term(MemoryTerm::weights) = Bytes{};
        }
    }

    /// What one micro-batch keeps on this stage.
    void activations() {
        boundary_ = Bytes{s_.tokens_sp * static_cast<double>(job_.model.hidden) * s_.r};
        std::int64_t position = 0;
        for_each_block(job_, stage_, [&](std::int64_t i) {
            const BlockKind& k = kind(i);
            if (recomputed(run_, position)) {
                inputs_ += boundary_;
            } else if (i >= run_.frozen_layers) {
                saved_ += k.totals.saved;
                cast_ += k.totals.cast;
            }
            all_cast_ += k.totals.cast;
            ++position;
        });
        if (stage_ == 0)
            embedding_saved_ = table_.embedding_totals.saved;
        out_.host += (saved_ + inputs_) * (run_.offload_activations * in_flight_);
    }

    /// A moment of the step: keeps its breakdown when it is the highest so far.
    void consider(Moment moment, std::int64_t block, Bytes saved, Bytes inputs, Bytes cast, Bytes working,
                  Bytes staging, Bytes gradients, Bytes gathered) {
        const double kept = 1.0 - run_.offload_activations;
        const double older = std::max(0.0, in_flight_ - 1.0);
        const Bytes activations = (saved_ * older + saved) * kept + embedding_saved_ * in_flight_;
        const Bytes block_inputs = (inputs_ * older + inputs) * kept;
        const Bytes peak = activations + block_inputs + cast + working + staging + gradients + gathered;
        if (peak <= highest_)
            return;
        highest_ = peak;
        out_.moment = moment;
        out_.block = block;
        term(MemoryTerm::saved_activations) = activations;
        term(MemoryTerm::block_inputs) = block_inputs;
        term(MemoryTerm::cast_weights) = cast;
        term(MemoryTerm::gathered_weights) = gathered;
        term(MemoryTerm::working_set) = working;
        term(MemoryTerm::gradient_staging) = staging;
        term(MemoryTerm::gradients) = gradients;
    }

    Bytes gathered(std::int64_t blocks, bool with_root) const {
        if (!weights_sharded_)
            return Bytes{};
        if (run_.parallel.zero == 2)
            return Bytes{all_.total() * s_.e};
        return Bytes{(largest_.total() * static_cast<double>(blocks) + (with_root ? root_.total() : 0.0)) *
                     s_.e};
    }

    /// Loss, then every block backwards, then the optimizer.
    void walk() {
        const Parallelism& p = run_.parallel;
        const bool replicated = p.dp * p.cp > 1;
        const bool gathers = fully_sharded(job_);
        const Bytes bucket = replicated && !gathers ? stack_.gradient_bucket * stack_.bucket_copies : Bytes{};
        Bytes gradients = persist_ ? gradient_bytes(all_) : Bytes{};
        if (stack_.model_gradients_kept)
            gradients += Bytes{all_.total() * s_.e * trained_};
        Bytes saved = saved_;
        Bytes inputs = inputs_;
        Bytes cast = cast_;
        if (last_) {
            const OpTotals& head = table_.head_totals;
            // Autocast's cache lives until the forward pass ends, recomputed blocks included.
            consider(Moment::loss, -1, saved, inputs, all_cast_, head.forward_peak, bucket, gradients,
                     gathered(0, true));
            consider(Moment::loss, -1, saved, inputs, cast, head.backward_peak, bucket, gradients,
                     gathered(0, false));
            if (!persist_)
                gradients += gradient_bytes(head_);
        }
        const StageLayout layout{p.pp, p.vp, block_count(job_.model)};
        std::int64_t position = stage_blocks_;
        Bytes reducing;  // the previous block's gradients on their way to their shards
        for (std::int64_t v = p.vp - 1; v >= 0; --v) {
            const std::int64_t chunk = v * p.pp + stage_;
            const std::int64_t begin = chunk_first(layout, chunk);
            for (std::int64_t i = begin + chunk_size(layout, chunk) - 1; i >= begin; --i) {
                --position;
                const BlockKind& k = kind(i);
                const bool again = recomputed(run_, position);
                const bool trains = i >= run_.frozen_layers;
                if (!again && trains) {
                    saved -= k.totals.saved;
                    cast -= k.totals.cast;
                }
                Bytes working = (trains ? k.totals.backward_peak : Bytes{}) + boundary_;
                if (again)
                    working = std::max(working, k.totals.forward_peak);
                consider(Moment::backward, i, saved, inputs, cast, working, gathers ? reducing : bucket,
                         gradients, gathered(position > 0 ? 1 + stack_.prefetched_blocks : 1, true));
                if (again)
                    inputs -= boundary_;
                if (!persist_ && trains)
                    gradients += gradient_bytes(of(k.parameters));
                if (gathers)
                    reducing = bytes_per_element(run_.precision.reduce) * of(k.parameters).total();
            }
        }
        if (stage_ == 0) {
            const Bytes working = table_.embedding_totals.backward_peak;
            if (!persist_)
                gradients += gradient_bytes(of(table_.embedding_parameters));
            consider(Moment::backward, -1, saved, inputs, cast, working, gathers ? reducing : bucket,
                     gradients, gathered(0, true));
        }
        // Optimizer: no activations, all gradients, temporaries of the update.
        const double updated = owned(all_, p.zero >= 1) * trained_ + adapters_;
        const Bytes temporaries{updated * 4.0 * stack_.optimizer_temporary_copies};
        const Bytes all_gradients =
            gradient_bytes(all_) +
            (stack_.model_gradients_kept ? Bytes{all_.total() * s_.e * trained_} : Bytes{});
        if (temporaries + all_gradients <= highest_)
            return;
        highest_ = temporaries + all_gradients;
        out_.moment = Moment::optimizer;
        out_.block = -1;
        for (const MemoryTerm t :
             {MemoryTerm::saved_activations, MemoryTerm::block_inputs, MemoryTerm::cast_weights,
              MemoryTerm::gathered_weights, MemoryTerm::working_set, MemoryTerm::gradient_staging}) {
            term(t) = Bytes{};
        }
        term(MemoryTerm::gradients) = all_gradients;
        term(MemoryTerm::optimizer_temporaries) = temporaries;
    }

    /// Buffers outside the walk, and the three totals.
    void finish() {
        const Parallelism& p = run_.parallel;
        out_.micro_batches_in_flight = in_flight_;
        if (p.pp > 1)
            term(MemoryTerm::pipeline_buffers) = boundary_ * 2.0;
        term(MemoryTerm::workspace) = stack_.workspace;
        for (int t = 0; t <= static_cast<int>(MemoryTerm::workspace); ++t) {
            out_.allocated += out_.terms[static_cast<std::size_t>(t)];
        }
        term(MemoryTerm::fragmentation) = out_.allocated * stack_.fragmentation;
        out_.reserved = out_.allocated + term(MemoryTerm::fragmentation);
        term(MemoryTerm::context) = stack_.context;
        const int communicators = (p.tp > 1) + (p.pp > 1) + (p.dp > 1) + (p.cp > 1) + (p.ep > 1);
        term(MemoryTerm::communicators) = stack_.per_communicator * communicators;
        out_.device = out_.reserved + term(MemoryTerm::context) + term(MemoryTerm::communicators);
    }

    const Job& job_;
    const RunSpec& run_;
    const StackSpec& stack_;
    const Shape& s_;
    const BlockTable& table_;
    std::int64_t stage_;
    StateShards shards_;
    Schedule schedule_;
    double in_flight_;
    bool last_;
    bool tuned_;
    bool weights_sharded_;
    bool gradients_sharded_;
    bool persist_;
    Elements blocks_;
    Elements largest_;
    Elements root_;  ///< embedding and head on this stage
    Elements head_;
    Elements all_;
    double adapters_ = 0.0;
    double trained_ = 1.0;  ///< share of the stage's parameters that get gradients
    std::int64_t stage_blocks_ = 0;
    Bytes boundary_;  ///< input of one block
    Bytes saved_;
    Bytes inputs_;
    Bytes cast_;
    Bytes all_cast_;
    Bytes embedding_saved_;
    Bytes highest_{-1.0};
    StageMemory out_{};
};

}  // namespace

StageMemory stage_memory(const Job& job, const Shape& s, const BlockTable& table, std::int64_t stage) {
    return StageWalk(job, s, table, stage).peak();
}

}  // namespace traincost
