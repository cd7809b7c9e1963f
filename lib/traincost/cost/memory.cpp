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
    if (pp == 1)
        return 1.0;
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

double micro_batches_in_flight(const Job& job, std::int64_t stage) {
    const Parallelism& p = job.run.parallel;
    const Schedule schedule = schedule_of(job);
    const double in_flight = micro_batches_in_flight(schedule, p.pp, p.vp, stage, micro_batches(job.run));
    const std::int64_t chunks = p.pp * p.vp;
    if (schedule != Schedule::interleaved || block_count(job.model) % chunks == 0)
        return in_flight;
    const StageLayout layout = stage_layout(job);
    double blocks = 0.0;
    for (std::int64_t chunk = stage; chunk < chunks; chunk += p.pp)
        blocks += static_cast<double>(chunk_size(layout, chunk));
    if (blocks == 0.0)
        return in_flight;
    const double first = static_cast<double>(chunk_size(layout, stage));
    const double each = std::min(static_cast<double>(p.pp), in_flight);
    const double more = std::max(0.0, in_flight - each) * static_cast<double>(p.vp);
    return (blocks * each + first * more) / blocks;
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

Bytes& at(StageMemory& m, MemoryTerm t) {
    return m.terms[static_cast<std::size_t>(t)];
}

/// Workspaces of the matrix library: `hopper` on Hopper and later, where PyTorch asks for 32 MiB a handle
/// and stream, 8.125 MiB before (CUDAContextLight of PyTorch 2.x, cuBLAS recommendation).
Bytes matrix_workspace(const AcceleratorSpec& accelerator, Bytes hopper) {
    constexpr double before = 8.125 / 32.0;
    for (const std::string_view older : {"Volta", "Turing", "Ampere", "Ada"}) {
        if (accelerator.architecture.compare(0, older.size(), older) == 0)
            return hopper * before;
    }
    return hopper;
}

/// Elements that DeepSpeed's stage 3 updates at a time: the default of its sub_group_size.
constexpr double sub_group = 1e9;

/// One stage's walk through its step: what is static, what each micro-batch keeps, and the peak.
class StageWalk {
public:
    StageWalk(const Job& job, const Shape& shape, const BlockTable& table, const StageClasses& stages,
              std::int64_t stage)
        : job_(job),
          run_(job.run),
          stack_(job.stack),
          s_(shape),
          table_(table),
          stages_(stages),
          class_(stages.of(stage)),
          stage_(stage),
          shards_(state_shards(job)) {
        const Parallelism& p = run_.parallel;
        in_flight_ = micro_batches_in_flight(job, stage);
        tuned_ = run_.tuning != Tuning::full;
        // Over one rank ZeRO-3 gathers nothing; FSDP still makes its compute copies block by block.
        weights_sharded_ = (p.zero >= 3 && shards_.dense > 1.0) || fully_sharded(job);
        // Sharded gradients that wait for the last micro-batch are whole until then.
        const bool waits =
            (fully_sharded(job) || p.zero == 2) && !reduces_every_micro_batch(job) && micro_batches(run_) > 1;
        gradients_sharded_ = p.zero >= 2 && !waits;
        // FSDP1 flattens what it wraps into one parameter: one trained weight brings gradients for all of it.
        flat_frozen_ = tuned_ && fully_sharded(job) && stack_.shard == ShardEngine::fsdp1 &&
                       stack_.frozen_in_flat_parameters;
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

    /// What no schedule and no recompute choice goes below: `after_backward` considers all gradients beside
    /// the states, and no other term of `finish` is negative.
    Bytes floor() {
        count();
        states();
        Bytes sum = all_gradients() + outside_pool();
        for (const Bytes term : out_.terms)
            sum += term;
        return sum;
    }

private:
    Bytes& term(MemoryTerm t) {
        return at(out_, t);
    }

    double owned(const Elements& n, bool sharded) const {
        return sharded ? n.dense / shards_.dense + n.expert / shards_.expert : n.total();
    }

    Bytes gradient_bytes(const Elements& n) const {
        if (run_.optimizer_in_backward || gradients_on_host())
            return Bytes{};
        return bytes_per_element(run_.precision.gradients) * (owned(n, gradients_sharded_) * trained_);
    }

    /// Gradients of blocks, those of frozen weights in one flat parameter with trained ones included.
    Bytes block_gradient_bytes(const Elements& n) const {
        const Bytes frozen = bytes_per_element(run_.precision.gradients) * owned(n, gradients_sharded_);
        return gradient_bytes(n) + (flat_frozen_ ? frozen : Bytes{});
    }

    Bytes all_gradients() const {
        Bytes sum = block_gradient_bytes(blocks_) + gradient_bytes(root_);
        // 16-bit gradients stay beside a wider main buffer.
        if (model_gradients_beside(job_))
            sum += Bytes{all_.total() * s_.e * trained_};
        return sum;
    }

    /// Fully sharded weights that live on the host take their gradients there.
    bool gradients_on_host() const {
        return run_.offload_parameters != Offload::none && fully_sharded(job_);
    }

    /// The table that head and embedding share on this stage, both of which add to its gradient.
    Elements shared_table() const {
        if (!class_.first || !class_.last || !job_.model.tied_embeddings || !job_.model.lm_head)
            return {};
        const double rows = s_.rank_vocab;
        const double width = static_cast<double>(job_.model.embedding_dim.value_or(job_.model.hidden));
        return {std::min(rows * width, root_.dense), 0.0};
    }

    /// Parameters of the stage.
    void count() {
        for (std::size_t k = 0; k < table_.size; ++k) {
            const double n = class_.kinds[k].blocks;
            if (n == 0.0)
                continue;
            const BlockKind& kind = table_.kinds[k];
            const Elements one = of(kind.parameters);
            blocks_ = blocks_ + Elements{one.dense * n, one.expert * n};
            if (one.total() > largest_.total())
                largest_ = one;
            if (tuned_)
                adapters_ += adapter_elements(job_, s_, kind.signature.moe) * n;
        }
        if (class_.first)
            root_ = root_ + of(table_.embedding_parameters);
        if (class_.last)
            root_ = root_ + head_;
        all_ = blocks_ + root_;
        if (tuned_) {
            trained_ = 0.0;
        } else if (class_.blocks > 0) {
            trained_ = static_cast<double>(class_.trained) / static_cast<double>(class_.blocks);
        }
    }

    /// Weights, master copies, optimizer states: what is there all the time.
    void states() {
        const Precision& precision = run_.precision;
        const bool shards_states = run_.parallel.zero >= 1;
        const double base = precision.base ? bytes_per_element(*precision.base).value() : s_.w;
        // Quantised bases keep tables and norms in the compute format, and the head unless the stack
        // quantises it.
        term(MemoryTerm::weights) =
            Bytes{owned(blocks_, weights_sharded_) * base + owned(root_, weights_sharded_) * s_.w};
        if (class_.last && stack_.quantised_head)
            term(MemoryTerm::weights) -= Bytes{owned(head_, weights_sharded_) * (s_.w - base)};
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
        // Paged states are managed memory outside the allocator, moved to the host under pressure.
        if (run_.optimizer == Optimizer::paged_adamw || run_.optimizer == Optimizer::paged_adam8bit) {
            out_.host += term(MemoryTerm::optimizer_states);
            term(MemoryTerm::optimizer_states) = Bytes{};
        }
        if (run_.offload_optimizer != Offload::none) {
            const double trained = owned(all_, true) * trained_;
            const Bytes gradients = bytes_per_element(precision.gradients) * trained;
            const Bytes away = term(MemoryTerm::optimizer_states) + term(MemoryTerm::master_weights);
            if (run_.offload_optimizer == Offload::nvme) {
                // The CPU updates a sub-group at a time, its states read into pinned buffers; gradients
                // arrive in host memory [Rajbhandari21, §5.2].
                out_.storage += away;
                out_.host += gradients + away * std::min(1.0, sub_group / std::max(1.0, trained));
            } else {
                out_.host += away + gradients;
            }
            term(MemoryTerm::optimizer_states) = Bytes{};
            term(MemoryTerm::master_weights) = Bytes{};
        }
        if (run_.offload_parameters != Offload::none) {
            if (run_.offload_parameters == Offload::nvme) {
                constexpr double buffers = 5.0 * 1e8;  // elements: DeepSpeed's buffer_count and buffer_size
                out_.storage += term(MemoryTerm::weights);
                out_.host += std::min(term(MemoryTerm::weights), Bytes{buffers * s_.w});
            } else {
                out_.host += term(MemoryTerm::weights);
            }
            term(MemoryTerm::weights) = Bytes{};
        }
    }

    /// What one micro-batch keeps on this stage.
    void activations() {
        boundary_ = Bytes{s_.tokens_sp * static_cast<double>(job_.model.hidden) * s_.r};
        for (std::size_t k = 0; k < table_.size; ++k) {
            const KindCount& n = class_.kinds[k];
            if (n.blocks == 0.0)
                continue;
            const OpTotals& totals = table_.kinds[k].totals;
            inputs_ += boundary_ * n.again;
            saved_ += totals.saved * n.kept;
            cast_ += totals.cast * n.kept;
            all_cast_ += totals.cast * n.blocks;
        }
        if (class_.first)
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
        if (zero_in_force(job_) == 2)
            return Bytes{all_.total() * s_.e};
        const double base = run_.precision.base ? bytes_per_element(*run_.precision.base).value() : s_.e;
        const double root = with_root && !stack_.root_sharded_apart ? root_.total() * s_.e : 0.0;
        return Bytes{largest_.total() * static_cast<double>(blocks) * base + root};
    }

    /// What the loss finds gathered: FSDP1 keeps the root's group after the forward pass, FSDP2 gives it
    /// back.
    Bytes gathered_at_loss() const {
        const bool keeps = fully_sharded(job_) && stack_.shard == ShardEngine::fsdp1;
        return gathered(0, keeps && zero_in_force(job_) >= 3);
    }

    /// What the way back through head and loss finds gathered: a head in a group of its own, again.
    Bytes gathered_at_head() const {
        if (weights_sharded_ && fully_sharded(job_) && stack_.root_sharded_apart)
            return Bytes{head_.total() * s_.e};
        return gathered_at_loss();
    }

    /// Loss, then every block backwards, then the optimizer.
    void walk() {
        const Parallelism& p = run_.parallel;
        const bool replicated = p.dp * p.cp > 1;
        const bool gathers = fully_sharded(job_);
        if (replicated && !gathers && stack_.buckets_kept && p.zero <= 1)
            kept_buckets_ = all_gradients();
        const Bytes bucket = replicated && !gathers
                                 ? std::max(kept_buckets_, stack_.gradient_bucket * stack_.bucket_copies)
                                 : Bytes{};
        // Gradients that live in `.grad` appear in the first backward pass; with every micro-batch in flight
        // before it, the peak sees them grow.
        const bool appear =
            !persist_ || (stack_.gradients == GradientStore::parameter && !bucket_views(job_) &&
                          static_cast<double>(micro_batches(run_)) <= in_flight_);
        Bytes gradients = appear ? Bytes{} : all_gradients();
        const Bytes table = s_.train_weights && appear ? gradient_bytes(shared_table()) : Bytes{};
        Bytes saved = saved_;
        Bytes inputs = inputs_;
        Bytes cast = cast_;
        if (class_.last) {
            const OpTotals& head = table_.head_totals;
            // Autocast's cache lives until the forward pass ends, recomputed blocks included.
            consider(Moment::loss, -1, saved, inputs, all_cast_, head.forward_peak, bucket, gradients,
                     gathered_at_loss());
            consider(Moment::loss, -1, saved, inputs, cast, head.backward_peak, bucket, gradients,
                     gathered_at_head());
            if (appear)
                gradients += gradient_bytes(head_) + table;
        }
        Bytes reducing;  // the previous block's gradients on their way to their shards
        for (std::size_t r = class_.runs_end; r-- > class_.runs_begin;) {
            const BlockRun& blocks = stages_.runs[r];
            const BlockKind& k = table_.kinds[blocks.kind];
            const Elements parameters = of(k.parameters);
            const Bytes one_gradient = appear && blocks.trains ? block_gradient_bytes(parameters) : Bytes{};
            Bytes working = (blocks.trains ? k.totals.backward_peak : Bytes{}) + boundary_;
            if (blocks.again)
                working = std::max(working, k.totals.forward_peak);
            // `left` blocks of the run before it in the stage, `done` behind it. From block to block what is
            // alive changes by the same amount: the highest is the first, the last, or one whose neighbour
            // is of another run or missing.
            const auto visit = [&](std::int64_t left) {
                const std::int64_t done = blocks.count - 1 - left;
                const double n = static_cast<double>(done);
                const bool keeps = !blocks.again && blocks.trains;
                const double freed = keeps ? n + 1.0 : 0.0;
                const Bytes reduced = done > 0 ? reduced_bytes(parameters) : reducing;
                consider(Moment::backward, blocks.position + left, saved - k.totals.saved * freed,
                         inputs - boundary_ * (blocks.again ? n : 0.0), cast - k.totals.cast * freed, working,
                         gathers ? reduced : bucket, gradients + one_gradient * n,
                         gathered(blocks.position + left > 0 ? 1 + stack_.prefetched_blocks : 1, true));
            };
            visit(blocks.count - 1);
            if (blocks.count > 3)
                visit(blocks.count - 2);
            if (blocks.count > 2)
                visit(1);
            if (blocks.count > 1)
                visit(0);
            const double n = static_cast<double>(blocks.count);
            if (!blocks.again && blocks.trains) {
                saved -= k.totals.saved * n;
                cast -= k.totals.cast * n;
            }
            if (blocks.again)
                inputs -= boundary_ * n;
            gradients += one_gradient * n;
            if (gathers)
                reducing = reduced_bytes(parameters);
        }
        if (class_.first) {
            // A shared table's second gradient is made beside the head's and added to it.
            const Bytes working = table_.embedding_totals.backward_peak + table;
            if (appear)
                gradients += gradient_bytes(of(table_.embedding_parameters)) - table;
            consider(Moment::backward, -1, saved, inputs, cast, working, gathers ? reducing : bucket,
                     gradients, gathered(0, true));
        }
        after_backward();
    }

    /// A moment without activations: keeps its breakdown when it is the highest so far.
    void consider_idle(Moment moment, MemoryTerm term_of_bytes, Bytes bytes, Bytes gradients) {
        if (bytes + gradients + kept_buckets_ <= highest_)
            return;
        highest_ = bytes + gradients + kept_buckets_;
        for (const MemoryTerm t :
             {MemoryTerm::saved_activations, MemoryTerm::block_inputs, MemoryTerm::cast_weights,
              MemoryTerm::gathered_weights, MemoryTerm::working_set, MemoryTerm::gradient_staging,
              MemoryTerm::optimizer_temporaries}) {
            term(t) = Bytes{};
        }
        out_.moment = moment;
        out_.block = -1;
        term(MemoryTerm::gradient_staging) = kept_buckets_;
        term(MemoryTerm::gradients) = gradients;
        term(term_of_bytes) = bytes;
    }

    /// The end of the step: outputs joined, then the optimizer with all gradients and the temporaries of its
    /// update.
    void after_backward() {
        const Bytes gradients = all_gradients();
        walk_peak_ = highest_;
        consider_idle(Moment::backward, MemoryTerm::working_set, outputs(), gradients);
        double updated = owned(all_, run_.parallel.zero >= 1) * trained_ + adapters_;
        if (run_.parallel.zero >= 3 && stack_.shard == ShardEngine::deepspeed)
            updated = std::min(updated, sub_group);
        const Precision& precision = run_.precision;
        updating_ = Bytes{updated * 4.0 * stack_.optimizer_temporary_copies};
        if (stack_.flat_optimizer && precision.master &&
            bytes_per_element(precision.gradients) < bytes_per_element(*precision.master)) {
            updating_ += (bytes_per_element(*precision.master) +
                          bytes_per_element(precision.gradients) * stack_.flat_gradient_copies) *
                         updated;
        }
        if (run_.offload_optimizer != Offload::none)
            updating_ = Bytes{};
        idle_gradients_ = gradients;
        consider_idle(Moment::optimizer, MemoryTerm::optimizer_temporaries, updating_, gradients);
    }

    /// A block's gradients on their way to their shards.
    Bytes reduced_bytes(const Elements& parameters) const {
        if (tuned_ && !flat_frozen_)
            return Bytes{};
        return bytes_per_element(run_.precision.reduce) * parameters.total();
    }

    /// A bucket of gradients wider than the compute format, flattened and the same again reduced: buckets
    /// are counted in elements, their bytes stated for 16-bit ones.
    Bytes reduction_staging() const {
        const Parallelism& p = run_.parallel;
        const Bytes gradient = bytes_per_element(run_.precision.gradients);
        if (p.dp * p.cp == 1 || gradient.value() <= s_.e)
            return Bytes{};
        const Bytes bucket = stack_.gradient_bucket * (gradient.value() / s_.e);
        return std::min(bucket, gradient * all_.total()) * 2.0;
    }

    /// What the flat tensors of the reduction and of the optimizer step reserve beyond the peak: blocks that
    /// activations leave behind are too small for them.
    Bytes flat_reserve() const {
        if (!stack_.flat_optimizer)
            return Bytes{};
        const Bytes flat = std::max(updating_, reduction_staging());
        return std::max(Bytes{}, walk_peak_ + flat - std::max(walk_peak_, flat + idle_gradients_));
    }

    /// Logits of all micro-batches, where the pipeline collects its outputs.
    Bytes outputs() const {
        if (!class_.last || run_.parallel.pp == 1 || !stack_.pipeline_keeps_outputs || !job_.model.lm_head)
            return Bytes{};
        return Bytes{s_.tokens * s_.rank_vocab * s_.e} * static_cast<double>(micro_batches(run_));
    }

    /// Activations received from the stage before and gradients from the stage after, and the last stage's
    /// outputs.
    Bytes pipeline_buffers() const {
        const int sides = (stage_ > 0) + (!class_.last);
        const double buffers =
            stack_.receive_buffers_per_micro_batch ? static_cast<double>(micro_batches(run_)) : 2.0;
        return boundary_ * (buffers * sides) + outputs();
    }

    /// Whether the host is slower than the device: then it runs ahead of nothing. On healthy nodes small
    /// blocks wait for each other's collectives, not for the host.
    bool host_bound() const {
        if (!hosts_starved(job_.cluster.network))
            return false;
        Seconds device;
        for (std::size_t k = 0; k < table_.size; ++k) {
            const PartTime& time = table_.kinds[k].time;
            device += (time.forward.device() + time.backward.device()) * class_.kinds[k].blocks;
        }
        return device < host_floor_per_block(job_) * static_cast<double>(class_.blocks);
    }

    /// Blocks whose forward gathers the host has issued before the device is through.
    double blocks_ahead() const {
        constexpr double one_pass = 0.7;  // of a micro-batch after which the host waits: 0.4 to 1, 30 runs
        const double blocks = static_cast<double>(class_.blocks);
        const double queue = stack_.gathered_blocks_ahead;
        // In the warm-up of a pipeline the device waits for the next stage, the last two micro-batches apart.
        const double warm_up = blocks * std::max(0.0, in_flight_ - 2.0);
        if (host_bound())
            return std::min(queue, warm_up);
        const bool steady = static_cast<double>(micro_batches(run_)) > in_flight_;
        return steady ? queue : std::min(queue, std::max(blocks * one_pass, warm_up));
    }

    /// Gathered inputs that are freed but not yet reusable, because a side stream used them.
    Bytes held_gathers() const {
        if (stack_.gathered_blocks_ahead == 0.0 || run_.parallel.tp == 1 || class_.blocks == 0)
            return Bytes{};
        Bytes all;
        for (std::size_t k = 0; k < table_.size; ++k)
            all += table_.kinds[k].totals.gathered * class_.kinds[k].blocks;
        const double tp = static_cast<double>(run_.parallel.tp);
        const Bytes block = all * ((tp - 1.0) / tp / static_cast<double>(class_.blocks));
        return std::min(block * blocks_ahead(),
                        usable_memory(job_.cluster.accelerator) * stack_.held_gathers_limit);
    }

    Bytes communicators() const {
        const Parallelism& p = run_.parallel;
        return stack_.per_communicator * ((p.tp > 1) + (p.pp > 1) + (p.dp > 1) + (p.cp > 1) + (p.ep > 1));
    }

    /// What every rank holds beside model states and activations.
    Bytes outside_pool() const {
        return matrix_workspace(job_.cluster.accelerator, stack_.workspace) + stack_.context +
               communicators();
    }

    /// Buffers outside the walk, and the three totals.
    void finish() {
        const Parallelism& p = run_.parallel;
        out_.micro_batches_in_flight = in_flight_;
        if (p.pp > 1)
            term(MemoryTerm::pipeline_buffers) = pipeline_buffers();
        term(MemoryTerm::workspace) = matrix_workspace(job_.cluster.accelerator, stack_.workspace);
        for (int t = 0; t <= static_cast<int>(MemoryTerm::workspace); ++t) {
            out_.allocated += out_.terms[static_cast<std::size_t>(t)];
        }
        // Model states are allocated once and stay; what comes and goes leaves gaps.
        const Bytes states = term(MemoryTerm::weights) + term(MemoryTerm::master_weights) +
                             term(MemoryTerm::optimizer_states) + term(MemoryTerm::adapters) +
                             term(MemoryTerm::workspace);
        term(MemoryTerm::fragmentation) =
            (out_.allocated - states) *
            (run_.recompute == Recompute::full ? stack_.fragmentation_recompute : stack_.fragmentation);
        term(MemoryTerm::context) = stack_.context;
        term(MemoryTerm::communicators) = communicators();
        // The allocator waits for held memory rather than fail: it grows into what is free, no further than
        // what does not come back.
        const Bytes free = usable_memory(job_.cluster.accelerator) - out_.allocated -
                           term(MemoryTerm::fragmentation) - term(MemoryTerm::context) -
                           term(MemoryTerm::communicators);
        const Bytes held = held_gathers();
        const Bytes stuck = held * stack_.held_gathers_stuck;
        term(MemoryTerm::fragmentation) +=
            std::clamp(held + flat_reserve(), stuck, std::max(stuck, std::max(Bytes{}, free)));
        out_.reserved = out_.allocated + term(MemoryTerm::fragmentation);
        out_.device = out_.reserved + term(MemoryTerm::context) + term(MemoryTerm::communicators);
    }

    const Job& job_;
    const RunSpec& run_;
    const StackSpec& stack_;
    const Shape& s_;
    const BlockTable& table_;
    const StageClasses& stages_;
    const StageClass& class_;
    std::int64_t stage_;
    StateShards shards_;
    double in_flight_;
    bool tuned_;
    bool weights_sharded_;
    bool gradients_sharded_;
    bool persist_;
    Elements blocks_;
    Elements largest_;
    Elements root_;  ///< embedding and head on this stage
    Elements head_;
    Elements all_;
    bool flat_frozen_;
    double adapters_ = 0.0;
    double trained_ = 1.0;  ///< share of the stage's parameters that get gradients
    Bytes boundary_;        ///< input of one block
    Bytes saved_;
    Bytes inputs_;
    Bytes cast_;
    Bytes all_cast_;
    Bytes embedding_saved_;
    Bytes kept_buckets_;    ///< of replicas, beside the gradients for good
    Bytes walk_peak_;       ///< highest of forward, loss and backward
    Bytes updating_;        ///< temporaries of the optimizer step
    Bytes idle_gradients_;  ///< gradients when it starts
    Bytes highest_{-1.0};
    StageMemory out_{};
};

}  // namespace

StageMemory stage_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                         std::int64_t stage) {
    StageMemory memory = StageWalk(job, s, table, stages, stage).peak();
    if (memory.block >= 0) {
        const Parallelism& p = job.run.parallel;
        memory.block = block_at({p.pp, p.vp, block_count(job.model)}, stage, memory.block);
    }
    return memory;
}

Bytes peak_device_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                         Bytes enough) {
    Bytes peak;
    for (const StageClass& c : stages.classes) {
        peak = std::max(peak, StageWalk(job, s, table, stages, c.stage).peak().device);
        if (peak > enough)
            break;
    }
    return peak;
}

Bytes device_memory_floor(const Job& job, const Shape& s, const BlockTable& table,
                          const StageClasses& stages) {
    Bytes floor;
    for (const StageClass& c : stages.classes)
        floor = std::max(floor, StageWalk(job, s, table, stages, c.stage).floor());
    return floor;
}

}  // namespace traincost
