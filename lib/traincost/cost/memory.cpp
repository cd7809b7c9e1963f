#include "traincost/cost/memory.hpp"

#include <algorithm>
#include <optional>

#include "traincost/cost/memory_terms.hpp"
#include "traincost/cost/regime.hpp"
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

Bytes& at(StageMemory& m, MemoryTerm t) {
    return m.terms[static_cast<std::size_t>(t)];
}

/// Workspaces of the matrix library: `hopper` on Hopper and later, where PyTorch asks for 32 MiB a handle
/// and stream, 8.125 MiB before (CUDAContextLight of PyTorch 2.x, cuBLAS recommendation).
memory_terms::Workspace matrix_workspace(const AcceleratorSpec& accelerator, Bytes hopper) {
    constexpr double before = 8.125 / 32.0;
    for (const std::string_view older : {"Volta", "Turing", "Ampere", "Ada"}) {
        if (accelerator.architecture.compare(0, older.size(), older) == 0)
            return {hopper.value(), before};
    }
    return {hopper.value(), 1.0};
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
          shards_(state_shards(job)),
          regime_(regime_of(job)) {
        in_flight_ = micro_batches_in_flight(job, stage);
        head_ = of(run_.parallel.pp > 1 ? table.head_parameters : table.head_only_parameters);
    }

    StageMemory peak() {
        count();
        states();
        activations();
        walk();
        finish();
        return out_;
    }

    /// The peak with the symbols of its terms.
    ExplainedMemory explained() {
        ExplainedMemory x{peak(), {}, host_.symbols()};
        const auto set = [&](MemoryTerm t, TermSymbols symbols) {
            x.symbols[static_cast<std::size_t>(t)] = std::move(symbols);
        };
        set(MemoryTerm::weights, weights_.symbols());
        set(MemoryTerm::master_weights, master_.symbols());
        set(MemoryTerm::optimizer_states, moments_.symbols());
        set(MemoryTerm::adapters, pairs_.symbols());
        set(MemoryTerm::gradients, alive_.gradients.symbols());
        set(MemoryTerm::saved_activations, alive_.saved.symbols());
        set(MemoryTerm::block_inputs, alive_.inputs.symbols());
        set(MemoryTerm::cast_weights, alive_.casts.symbols());
        set(MemoryTerm::gathered_weights, alive_.gathered.symbols());
        set(MemoryTerm::gradient_staging, alive_.staging.symbols());
        set(MemoryTerm::working_set, alive_.working.symbols());
        set(MemoryTerm::optimizer_temporaries, alive_.temporaries.symbols());
        set(MemoryTerm::pipeline_buffers, buffers_.symbols());
        set(MemoryTerm::workspace, workspace().symbols());
        set(MemoryTerm::fragmentation, fragmentation_.symbols());
        set(MemoryTerm::context, {{"C", stack_.context.value()}});
        set(MemoryTerm::communicators, communicators().symbols());
        return x;
    }

    /// The walk of `peak` with every moment that it looks at.
    MemoryWalk moments() {
        MemoryWalk x{};
        walk_ = &x.backward;
        after_ = &x.after;
        const StageMemory top = peak();
        x.states = top.device - alive_.bytes();
        x.kept = (saved_ + boundary_ * inputs_) * (1.0 - run_.offload_activations) + embedding_saved_;
        x.in_flight = in_flight_;
        x.gradients = all_gradients().bytes();
        x.gradients_appear = gradients_appear();
        return x;
    }

    /// What no schedule and no recompute choice goes below: `after_backward` considers all gradients beside
    /// the states, and no other term of `finish` is negative.
    Bytes floor() {
        count();
        states();
        Bytes sum = all_gradients().bytes() + outside_pool();
        for (const Bytes term : out_.terms)
            sum += term;
        return sum;
    }

private:
    using Alive = memory_terms::Alive;

    Bytes& term(MemoryTerm t) {
        return at(out_, t);
    }

    double owned(const Elements& n, bool sharded) const {
        return sharded ? n.dense / shards_.dense + n.expert / shards_.expert : n.total();
    }

    /// Elements with a gradient on the device.
    double gradients_of(const Elements& n) const {
        return regime_.gradients_kept ? owned(n, regime_.gradients_sharded) * trained_ : 0.0;
    }

    /// The same of blocks, frozen weights in one flat parameter with trained ones included.
    double block_gradients_of(const Elements& n) const {
        return gradients_of(n) + (regime_.frozen_in_flat ? owned(n, regime_.gradients_sharded) : 0.0);
    }

    memory_terms::Gradients gradients(double elements) const {
        return {elements, bytes_per_element(run_.precision.gradients).value(), 0.0, s_.e};
    }

    memory_terms::Gradients all_gradients() const {
        memory_terms::Gradients all = gradients(block_gradients_of(blocks_) + gradients_of(root_));
        // 16-bit gradients stay beside a wider main buffer.
        if (regime_.gradients_beside)
            all.n_k = all_.total() * trained_;
        return all;
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
            adapters_ += kind.totals.adapters * n;
        }
        if (class_.first)
            root_ = root_ + of(table_.embedding_parameters);
        if (class_.last) {
            root_ = root_ + head_;
            adapters_ += table_.head_totals.adapters;
        }
        all_ = blocks_ + root_;
        if (regime_.tuned) {
            trained_ = 0.0;
        } else if (class_.blocks > 0) {
            trained_ = static_cast<double>(class_.trained) / static_cast<double>(class_.blocks);
        }
    }

    /// Weights, master copies, optimizer states: what is there all the time.
    void states() {
        const Precision& precision = run_.precision;
        const double base = precision.base ? bytes_per_element(*precision.base).value() : s_.w;
        weights_ = {owned(blocks_, regime_.weights_sharded), base, owned(root_, regime_.weights_sharded),
                    s_.w, 1.0};
        // Quantised bases keep tables and norms in the compute format, and the head unless the stack
        // quantises it.
        if (class_.last && stack_.quantised_head) {
            const double head = owned(head_, regime_.weights_sharded);
            weights_.n_b += head;
            weights_.n_r -= head;
        }
        const double stored = owned(all_, regime_.states_sharded);
        const double moments = optimizer_state_bytes(run_.optimizer, precision).value();
        const double master = precision.master ? bytes_per_element(*precision.master).value() : 0.0;
        master_ = {stored, trained_, master, 1.0};
        moments_ = {stored, trained_, moments, 1.0};
        pairs_ = {adapters_ / (regime_.weights_sharded ? shards_.dense : 1.0),
                  bytes_per_element(precision.weights).value(),
                  bytes_per_element(precision.gradients).value(), moments};
        offload_states();
        term(MemoryTerm::weights) = weights_.bytes();
        term(MemoryTerm::master_weights) = master_.bytes();
        term(MemoryTerm::optimizer_states) = moments_.bytes();
        term(MemoryTerm::adapters) = pairs_.bytes();
    }

    /// Weights and states that live outside the device.
    void offload_states() {
        const Precision& precision = run_.precision;
        Bytes host;
        // Paged states are managed memory outside the allocator, moved to the host under pressure.
        if (run_.optimizer == Optimizer::paged_adamw || run_.optimizer == Optimizer::paged_adam8bit) {
            host += moments_.bytes();
            moments_.d = 0.0;
        }
        if (run_.offload_optimizer != Offload::none) {
            const double trained = owned(all_, true) * trained_;
            const Bytes gradients = bytes_per_element(precision.gradients) * trained;
            const Bytes away = moments_.bytes() + master_.bytes();
            if (run_.offload_optimizer == Offload::nvme) {
                // The CPU updates a sub-group at a time, its states read into pinned buffers; gradients
                // arrive in host memory [Rajbhandari21, §5.2].
                out_.storage += away;
                host += gradients + away * std::min(1.0, sub_group / std::max(1.0, trained));
            } else {
                host += away + gradients;
            }
            moments_.d = 0.0;
            master_.d = 0.0;
        }
        if (run_.offload_parameters != Offload::none) {
            if (run_.offload_parameters == Offload::nvme) {
                constexpr double buffers = 5.0 * 1e8;  // elements: DeepSpeed's buffer_count and buffer_size
                out_.storage += weights_.bytes();
                host += std::min(weights_.bytes(), Bytes{buffers * s_.w});
            } else {
                host += weights_.bytes();
            }
            weights_.d = 0.0;
        }
        host_.H = host.value();
    }

    /// What one micro-batch keeps on this stage.
    void activations() {
        boundary_ = Bytes{s_.tokens_sp * static_cast<double>(job_.model.hidden) * s_.r};
        for (std::size_t k = 0; k < table_.size; ++k) {
            const KindCount& n = class_.kinds[k];
            if (n.blocks == 0.0)
                continue;
            const OpTotals& totals = table_.kinds[k].totals;
            inputs_ += n.again;
            saved_ += totals.saved * n.kept;
            dropped_ += std::max(Bytes{}, totals.saved - boundary_) * n.again;
            again_ += n.again;
            cast_ += totals.cast * n.kept;
            all_cast_ += (totals.cast - totals.cached_cast) * n.kept;
        }
        for (std::size_t r = class_.runs_begin; r < class_.runs_end; ++r) {
            const BlockRun& blocks = stages_.runs[r];
            if (blocks.trains)
                all_cast_ += table_.kinds[blocks.kind].totals.cached_cast * static_cast<double>(blocks.count);
        }
        if (class_.first)
            embedding_saved_ = table_.embedding_totals.saved;
        host_.m = in_flight_;
        host_.o = run_.offload_activations;
        host_.S = (saved_ + boundary_ * inputs_).value();
        out_.host = host_.bytes();
    }

    /// A moment of the step: keeps what is alive when it is the highest so far.
    void consider(Moment moment, std::int64_t block, const Alive& alive) {
        const Bytes peak = alive.bytes();
        if (walk_ != nullptr) {
            const double blocks = std::max(1.0, static_cast<double>(class_.blocks));
            const double left = moment == Moment::loss ? blocks : static_cast<double>(block) + 0.5;
            const Bytes gradients = alive.gradients.bytes();
            walk_->push_back(
                {moment, std::clamp(1.0 - left / blocks, 0.0, 1.0), peak - gradients, gradients});
        }
        if (peak <= highest_)
            return;
        highest_ = peak;
        out_.moment = moment;
        out_.block = block;
        alive_ = alive;
    }

    /// What `blocks` gathered blocks take, and the root beside them.
    memory_terms::Gathered gathered(std::int64_t blocks, bool with_root) const {
        memory_terms::Gathered g{0.0, largest_.total(), s_.e, 0.0, s_.e};
        if (!regime_.weights_sharded)
            return g;
        if (run_.precision.base)
            g.w_g = bytes_per_element(*run_.precision.base).value();
        if (regime_.zero == 2) {
            g.n_x = all_.total();
            return g;
        }
        g.k = static_cast<double>(blocks);
        g.n_x = with_root && !stack_.root_sharded_apart ? root_.total() : 0.0;
        return g;
    }

    /// What the loss finds gathered: FSDP1 keeps the root's group after the forward pass, FSDP2 gives it
    /// back.
    memory_terms::Gathered gathered_at_loss() const {
        const bool keeps = regime_.fully_sharded && stack_.shard == ShardEngine::fsdp1;
        return gathered(kept_gathered(class_.blocks), keeps && regime_.zero >= 3);
    }

    /// Of the first `blocks` blocks, those that stay gathered from the forward pass on.
    std::int64_t kept_gathered(std::int64_t blocks) const {
        if (!regime_.fully_sharded || run_.reshard != Reshard::last_kept)
            return 0;
        return std::max<std::int64_t>(0,
                                      blocks - std::max<std::int64_t>(0, class_.blocks - run_.kept_blocks));
    }

    /// What the way back through head and loss finds gathered: a head in a group of its own, again.
    memory_terms::Gathered gathered_at_head() const {
        memory_terms::Gathered g = gathered_at_loss();
        if (regime_.fully_sharded && stack_.root_sharded_apart)
            g.n_x = head_.total();
        return g;
    }

    /// Buckets of gradients that replicas reduce.
    memory_terms::Staging buckets() const {
        const Parallelism& p = run_.parallel;
        const bool replicated = p.dp * p.cp > 1 && !regime_.fully_sharded;
        return {kept_buckets_.value(), replicated ? stack_.bucket_copies : 0.0,
                stack_.gradient_bucket.value(), 0.0, bytes_per_element(run_.precision.reduce).value()};
    }

    /// The same with `elements` of a fully sharded block on their way to their shards.
    memory_terms::Staging reducing(double elements) const {
        memory_terms::Staging staging = buckets();
        staging.n_q = elements;
        // The root's group is reduced when all of it is through: until then the head's gradient is whole.
        if (class_.last && !stack_.root_sharded_apart && !regime_.tuned) {
            staging.n_h = head_.total();
            staging.e = s_.e;
        }
        return staging;
    }

    /// What is alive when the forward pass is through, before the loss.
    Alive after_forward() const {
        const double o = run_.offload_activations;
        Alive alive{};
        alive.saved = {in_flight_, saved_.value(), saved_.value(), o, embedding_saved_.value()};
        alive.inputs = {in_flight_, inputs_, inputs_, boundary_.value(), o};
        alive.casts = {cast_.value(), 0.0};
        alive.staging = buckets();
        return alive;
    }

    /// Whether gradients come with the first backward pass of a step.
    bool gradients_appear() const {
        return !regime_.gradients_persist ||
               (stack_.gradients == GradientStore::parameter && !bucket_views(job_));
    }

    /// Loss, then every block backwards, then the optimizer.
    void walk() {
        const Parallelism& p = run_.parallel;
        if (p.dp * p.cp > 1 && !regime_.fully_sharded && stack_.buckets_kept && p.zero <= 1)
            kept_buckets_ = all_gradients().bytes();
        // Gradients that live in `.grad` appear in the first backward pass; with every micro-batch in flight
        // before it, the peak sees them grow.
        const bool appear = !regime_.gradients_persist ||
                            (gradients_appear() && static_cast<double>(micro_batches(run_)) <= in_flight_);
        Alive alive = after_forward();
        alive.gradients = appear ? gradients(0.0) : all_gradients();
        const double table = s_.train_weights && appear ? gradients_of(shared_table()) : 0.0;
        if (class_.last) {
            const OpTotals& head = table_.head_totals;
            alive.working = {0.0, 0.0, boundary_.value(), head.forward_peak.value()};
            alive.gathered = gathered_at_loss();
            // Autocast's cache lives until the forward pass ends, recomputed blocks included.
            alive.casts.K = all_cast_.value();
            consider(Moment::loss, -1, alive);
            alive.casts.K = cast_.value();
            alive.working = {head.backward_peak.value(), 0.0, boundary_.value(), 0.0};
            alive.gathered = gathered_at_head();
            consider(Moment::loss, -1, alive);
            if (appear)
                alive.gradients.n_g += gradients_of(head_) + table;
            if (regime_.fully_sharded)
                alive.staging = reducing(stack_.root_sharded_apart && !regime_.tuned ? head_.total() : 0.0);
        }
        for (std::size_t r = class_.runs_end; r-- > class_.runs_begin;)
            walk_blocks(stages_.runs[r], appear, alive);
        if (class_.first) {
            // A shared table's second gradient is made beside the head's and added to it.
            const double second = gradients(table).bytes().value();
            alive.working = {table_.embedding_totals.backward_peak.value() + second, 0.0, boundary_.value(),
                             0.0};
            if (appear)
                alive.gradients.n_g += gradients_of(of(table_.embedding_parameters)) - table;
            alive.gathered = gathered(0, true);
            consider(Moment::backward, -1, alive);
        }
        after_backward();
    }

    /// A run of equal blocks backwards; `alive` goes from what is there before it to what is after it.
    void walk_blocks(const BlockRun& blocks, bool appear, Alive& alive) {
        const BlockKind& k = table_.kinds[blocks.kind];
        const Elements parameters = of(k.parameters);
        const double one_gradient = appear && blocks.trains ? block_gradients_of(parameters) : 0.0;
        const bool keeps = !blocks.again && blocks.trains;
        // `n` blocks are behind it, their tensors gone and their gradients made.
        const auto behind = [&](double n, double freed) {
            Alive a = alive;
            if (keeps) {
                a.saved.A -= k.totals.saved.value() * freed;
                a.casts.F += k.totals.cast.value() * freed;
            }
            if (blocks.again)
                a.inputs.n_a -= n;
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
            now.working = {blocks.trains ? k.totals.backward_peak.value() : 0.0, 1.0, boundary_.value(),
                           blocks.again ? k.totals.forward_peak.value() : 0.0};
            if (regime_.fully_sharded && done > 0)
                now.staging = reducing(reduced_elements(parameters));
            const std::int64_t before = blocks.position + left;
            now.gathered = gathered(
                std::max(before > 0 ? 1 + stack_.prefetched_blocks : 1, 1 + kept_gathered(before)), true);
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
        if (regime_.fully_sharded)
            alive.staging = reducing(reduced_elements(parameters));
    }

    /// A moment without activations: keeps what is alive when it is the highest so far.
    void consider_idle(Moment moment, const memory_terms::Working& working,
                       const memory_terms::Temporaries& temporaries) {
        Alive alive{};
        alive.saved = {0.0, saved_.value(), 0.0, run_.offload_activations, embedding_saved_.value()};
        alive.inputs = {0.0, inputs_, 0.0, boundary_.value(), run_.offload_activations};
        alive.gathered = gathered(0, false);
        alive.gathered.n_x = 0.0;
        alive.staging = buckets();
        alive.staging.k = 0.0;
        alive.working = working;
        alive.temporaries = temporaries;
        alive.gradients = all_gradients();
        consider(moment, -1, alive);
    }

    /// The end of the step: outputs joined, then the optimizer with all gradients and the temporaries of its
    /// update.
    void after_backward() {
        walk_peak_ = highest_;
        walk_ = after_;
        const memory_terms::Working nothing{0.0, 0.0, boundary_.value(), 0.0};
        memory_terms::Temporaries temporaries{0.0, temporary_copies(),
                                              bytes_per_element(run_.precision.moments).value(), 0.0};
        consider_idle(Moment::backward, {outputs().value(), 0.0, boundary_.value(), 0.0}, temporaries);
        double updated = owned(all_, regime_.states_sharded) * trained_ + adapters_;
        if (run_.parallel.zero >= 3 && stack_.shard == ShardEngine::deepspeed)
            updated = std::min(updated, sub_group);
        const Precision& precision = run_.precision;
        if (stack_.flat_optimizer && precision.master &&
            bytes_per_element(precision.gradients) < bytes_per_element(*precision.master)) {
            temporaries.f = (bytes_per_element(*precision.master) +
                             bytes_per_element(precision.gradients) * stack_.flat_gradient_copies)
                                .value();
        }
        if (run_.offload_optimizer == Offload::none)
            temporaries.n_u = updated;
        updating_ = temporaries.bytes();
        idle_gradients_ = all_gradients().bytes();
        consider_idle(Moment::optimizer, nothing, temporaries);
    }

    /// Copies of a moment's size that live while the optimizer updates: by lists of tensors, the denominators
    /// of all; by single tensors or one kernel, none to speak of.
    double temporary_copies() const {
        if (!run_.optimizer_kernel)
            return stack_.optimizer_temporary_copies;
        return *run_.optimizer_kernel == OptimizerKernel::foreach ? 1.0 : 0.0;
    }

    /// Elements of a block whose gradients are on their way to their shards.
    double reduced_elements(const Elements& parameters) const {
        return regime_.tuned && !regime_.frozen_in_flat ? 0.0 : parameters.total();
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
    memory_terms::Buffers pipeline_buffers() const {
        const bool pipes = run_.parallel.pp > 1;
        const double sides = pipes ? (stage_ > 0) + (!class_.last) : 0.0;
        const double buffers =
            stack_.receive_buffers_per_micro_batch ? static_cast<double>(micro_batches(run_)) : 2.0;
        return {sides, buffers, boundary_.value(), outputs().value()};
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

    memory_terms::Communicators communicators() const {
        const Parallelism& p = run_.parallel;
        const int groups = (p.tp > 1) + (p.pp > 1) + (p.dp > 1) + (p.cp > 1) + (p.ep > 1);
        return {static_cast<double>(groups), stack_.per_communicator.value()};
    }

    memory_terms::Workspace workspace() const {
        return matrix_workspace(job_.cluster.accelerator, stack_.workspace);
    }

    /// What every rank holds beside model states and activations.
    Bytes outside_pool() const {
        return workspace().bytes() + stack_.context + communicators().bytes();
    }

    /// The terms of the highest moment.
    void keep_alive() {
        term(MemoryTerm::saved_activations) = alive_.saved.bytes();
        term(MemoryTerm::block_inputs) = alive_.inputs.bytes();
        term(MemoryTerm::cast_weights) = alive_.casts.bytes();
        term(MemoryTerm::gathered_weights) = alive_.gathered.bytes();
        term(MemoryTerm::working_set) = alive_.working.bytes();
        term(MemoryTerm::gradient_staging) = alive_.staging.bytes();
        term(MemoryTerm::gradients) = alive_.gradients.bytes();
        term(MemoryTerm::optimizer_temporaries) = alive_.temporaries.bytes();
    }

    /// Share of `moving` bytes, which come and go, that the allocator holds in gaps. Recomputed blocks, whose
    /// tensors churn, leave more of them: in their share of the blocks, and no more than what they spare.
    double gap_share(Bytes moving) const {
        // A stack's own shares are measured the way it allocates; pages instead of blocks leave fewer gaps.
        const AllocatorModel& allocator = job_.cluster.kernels.allocator;
        const bool pages = expandable_segments(job_) && !stack_.expandable_segments;
        const double least =
            pages ? std::min(stack_.fragmentation, allocator.page_gaps) : stack_.fragmentation;
        const double most = pages ? std::min(stack_.fragmentation_recompute, allocator.page_gaps_recompute)
                                  : stack_.fragmentation_recompute;
        // Blocks of which single operators are kept run again whole, too.
        const bool per_op = s_.again.per_op && class_.blocks > 0;
        if ((again_ == 0.0 && !per_op) || !(moving.value() > 0.0))
            return least;
        const double share = per_op ? 1.0 : again_ / static_cast<double>(class_.blocks);
        const Bytes churn = moving * ((most - least) * share);
        const Bytes spared = (per_op ? saved_ : dropped_) * ((1.0 - run_.offload_activations) * in_flight_);
        return std::max(0.0, least + std::min(churn, spared) / moving);
    }

    /// FSDP2 receives a group on a side stream and copies it out: what the largest took stays in that
    /// stream's pool, where nothing else can use it, with the block that was fetched ahead.
    Bytes gather_pool() const {
        if (stack_.shard != ShardEngine::fsdp2 || !regime_.fully_sharded || run_.precision.base)
            return Bytes{};
        const double group = stack_.root_sharded_apart
                                 ? std::max(head_.total(), root_.total() - head_.total())
                                 : root_.total();
        const double ahead = largest_.total() * static_cast<double>(stack_.prefetched_blocks);
        return Bytes{(std::max(group, largest_.total()) + ahead) * s_.e};
    }

    /// Of the gaps, what the allocator cannot give back to the driver when memory runs out: blocks that hold
    /// a live tensor, or pages that do.
    double stuck_share() const {
        const AllocatorModel& allocator = job_.cluster.kernels.allocator;
        return expandable_segments(job_) ? allocator.stuck_pages : allocator.stuck_segments;
    }

    /// Buffers outside the walk, and the three totals.
    void finish() {
        keep_alive();
        out_.micro_batches_in_flight = in_flight_;
        buffers_ = pipeline_buffers();
        term(MemoryTerm::pipeline_buffers) = buffers_.bytes();
        term(MemoryTerm::workspace) = workspace().bytes();
        for (int t = 0; t <= static_cast<int>(MemoryTerm::workspace); ++t) {
            out_.allocated += out_.terms[static_cast<std::size_t>(t)];
        }
        // Model states are allocated once and stay; what comes and goes leaves gaps.
        const Bytes states = term(MemoryTerm::weights) + term(MemoryTerm::master_weights) +
                             term(MemoryTerm::optimizer_states) + term(MemoryTerm::adapters) +
                             term(MemoryTerm::workspace);
        memory_terms::Fragmentation& f = fragmentation_;
        const double share = gap_share(out_.allocated - states);
        f.f = share * stuck_share();
        f.A = out_.allocated.value();
        f.R = states.value();
        term(MemoryTerm::context) = stack_.context;
        term(MemoryTerm::communicators) = communicators().bytes();
        // The allocator waits for held memory rather than fail: it grows into what is free, no further than
        // what does not come back.
        const Bytes free = allowed_memory(job_) - out_.allocated - f.gaps() - term(MemoryTerm::context) -
                           term(MemoryTerm::communicators);
        f.h = held_gathers().value();
        const Bytes given_back = (out_.allocated - states) * (share - f.f);
        const Bytes cached = given_back + gather_pool();
        f.z = (flat_reserve() + cached).value();
        f.s = f.h * stack_.held_gathers_stuck;
        f.y = std::max(Bytes{}, free).value();
        term(MemoryTerm::fragmentation) = f.bytes();
        const double wanted = f.h + f.z;
        out_.returnable = std::min(cached, term(MemoryTerm::fragmentation) - f.gaps());
        out_.refused = Bytes{wanted - std::clamp(wanted, f.s, std::max(f.s, f.y))};
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
    Regime regime_;
    double in_flight_;
    Elements blocks_;
    Elements largest_;
    Elements root_;  ///< embedding and head on this stage
    Elements head_;
    Elements all_;
    double adapters_ = 0.0;
    double trained_ = 1.0;  ///< share of the stage's parameters that get gradients
    Bytes boundary_;        ///< input of one block
    Bytes saved_;
    double inputs_ = 0.0;  ///< blocks whose input is kept to run them again
    Bytes cast_;
    Bytes all_cast_;      ///< copies alive when the forward pass ends
    Bytes dropped_;       ///< what recomputed blocks of one micro-batch do not keep
    double again_ = 0.0;  ///< recomputed blocks
    Bytes embedding_saved_;
    Bytes kept_buckets_;    ///< of replicas, beside the gradients for good
    Bytes walk_peak_;       ///< highest of forward, loss and backward
    Bytes updating_;        ///< temporaries of the optimizer step
    Bytes idle_gradients_;  ///< gradients when it starts
    Bytes highest_{-1.0};
    memory_terms::Weights weights_;
    memory_terms::States master_;
    memory_terms::States moments_;
    memory_terms::Adapters pairs_;
    memory_terms::Buffers buffers_;
    memory_terms::Fragmentation fragmentation_;
    memory_terms::Host host_;
    Alive alive_{};                            ///< at the highest moment
    std::vector<WalkMoment>* walk_ = nullptr;  ///< where moments are written down; null: nowhere
    std::vector<WalkMoment>* after_ = nullptr;
    StageMemory out_{};
};

/// The walk counts the stage's blocks; people count the model's.
void name_block(const Job& job, std::int64_t stage, StageMemory& memory) {
    if (memory.block >= 0) {
        const Parallelism& p = job.run.parallel;
        memory.block = block_at({p.pp, p.vp, block_count(job.model)}, stage, memory.block);
    }
}

}  // namespace

StageMemory stage_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                         std::int64_t stage) {
    StageMemory memory = StageWalk(job, s, table, stages, stage).peak();
    name_block(job, stage, memory);
    return memory;
}

ExplainedMemory explained_memory(const Job& job, const Shape& s, const BlockTable& table,
                                 const StageClasses& stages, std::int64_t stage) {
    ExplainedMemory explained = StageWalk(job, s, table, stages, stage).explained();
    name_block(job, stage, explained.memory);
    return explained;
}

MemoryWalk memory_walk(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                       std::int64_t stage) {
    return StageWalk(job, s, table, stages, stage).moments();
}

namespace {

/// The first stage of the class that holds fewer micro-batches than a step has, after those that hold all of
/// them; nothing where there is none.
std::optional<std::int64_t> first_not_holding_all(const Job& job, const StageClasses& stages,
                                                  const StageClass& c) {
    const double all = static_cast<double>(micro_batches(job.run));
    if (c.stages == 1 || micro_batches_in_flight(job, c.stage) < all)
        return std::nullopt;
    const StageClass* own = &c;
    for (std::int64_t stage = c.stage + 1; stage < job.run.parallel.pp; ++stage) {
        if (&stages.of(stage) == own && micro_batches_in_flight(job, stage) < all)
            return stage;
    }
    return std::nullopt;
}

}  // namespace

PeakMemory peak_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                       Bytes enough) {
    PeakMemory peak{};
    const auto walk = [&](std::int64_t number) {
        const StageMemory stage = StageWalk(job, s, table, stages, number).peak();
        if (stage.device > peak.device)
            peak = {stage.allocated, stage.reserved, stage.device, stage.returnable};
    };
    for (const StageClass& c : stages.classes) {
        walk(c.stage);
        if (peak.device > enough)
            break;
        if (const std::optional<std::int64_t> other = first_not_holding_all(job, stages, c))
            walk(*other);
    }
    return peak;
}

Bytes peak_device_memory(const Job& job, const Shape& s, const BlockTable& table, const StageClasses& stages,
                         Bytes enough) {
    return peak_memory(job, s, table, stages, enough).device;
}

Bytes device_memory_floor(const Job& job, const Shape& s, const BlockTable& table,
                          const StageClasses& stages) {
    Bytes floor;
    for (const StageClass& c : stages.classes)
        floor = std::max(floor, StageWalk(job, s, table, stages, c.stage).floor());
    return floor;
}

}  // namespace traincost
