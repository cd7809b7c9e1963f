// What must hold of every prediction of memory, whatever the job.

#include <traincost/cost/estimate.hpp>

#include <catch2/catch.hpp>

#include "support/search_jobs.hpp"

using namespace traincost;

namespace {

/// Kinds of stacks, of precisions and of recomputation over a small GPT on 8 GPUs.
std::vector<Job> jobs() {
    std::vector<Job> all;
    for (const bool moe : {false, true}) {
        for (const std::string_view precision : {"bf16-mixed", "bf16-amp", "bf16-pure", "fp16-mixed"}) {
            for (const ShardEngine engine :
                 {ShardEngine::megatron, ShardEngine::deepspeed, ShardEngine::fsdp1, ShardEngine::fsdp2}) {
                for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
                    Job job{moe ? search_jobs::mixture(8, 1024, 8, 8) : search_jobs::gpt(8, 1024, 8),
                            search_jobs::cluster(8), search_jobs::stack(), search_jobs::run(1024, 64)};
                    job.run.precision_name = precision;
                    job.run.precision = *precision_from(precision);
                    job.run.recompute = recompute;
                    job.run.recompute_modules.core_attention = recompute == Recompute::selective;
                    job.run.parallel.dp = 8;
                    job.run.micro_batch = 2;
                    job.stack.states.shard = engine;
                    job.stack.states.amp = CastMode::autocast;
                    job.stack.states.optimizer_temporary_copies = 1.0;
                    all.push_back(job);
                }
            }
        }
    }
    return all;
}

Bytes highest(const Job& job) {
    Bytes peak;
    for (const StageMemory& m : estimate(job).stages)
        peak = std::max(peak, m.allocated);
    return peak;
}

bool at_most(Bytes a, Bytes b) {
    return a.value() <= b.value() * (1.0 + 1e-12);
}

}  // namespace

TEST_CASE("the totals are the sums of their terms", "[memory]") {
    for (Job job : jobs()) {
        job.run.parallel.dp = 2;
        job.run.parallel.tp = 2;
        job.run.parallel.pp = 2;
        for (const StageMemory& m : estimate(job).stages) {
            Bytes allocated;
            for (int t = 0; t <= static_cast<int>(MemoryTerm::workspace); ++t)
                allocated += m.terms[static_cast<std::size_t>(t)];
            CHECK(m.allocated.value() == Approx(allocated.value()));
            CHECK(m.reserved.value() == Approx((allocated + m[MemoryTerm::fragmentation]).value()));
            CHECK(m.device.value() ==
                  Approx((m.reserved + m[MemoryTerm::context] + m[MemoryTerm::communicators]).value()));
            for (int t = 0; t < memory_term_count; ++t) {
                INFO(to_string(static_cast<MemoryTerm>(t)));
                CHECK(m.terms[static_cast<std::size_t>(t)].value() >= 0.0);
            }
        }
    }
}

// FSDP at stage 2 gathers all weights from their shards: it may exceed stage 1, and is left out.
TEST_CASE("memory never rises with the ZeRO stage", "[memory]") {
    for (Job job : jobs()) {
        const bool fsdp =
            job.stack.states.shard == ShardEngine::fsdp1 || job.stack.states.shard == ShardEngine::fsdp2;
        Bytes before{1e18};
        for (const std::int64_t zero : {0, 1, 2, 3}) {
            if (fsdp && zero == 2)
                continue;
            job.run.parallel.zero = zero;
            const Bytes now = highest(job);
            CHECK(at_most(now, before));
            before = now;
        }
    }
}

TEST_CASE("memory never rises with tensor parallelism", "[memory]") {
    for (Job job : jobs()) {
        Bytes before{1e18};
        for (const std::int64_t tp : {1, 2, 4, 8}) {
            job.run.parallel.tp = tp;
            job.run.parallel.dp = 8 / tp;
            job.run.parallel.zero = 0;
            const Bytes now = highest(job);
            CHECK(at_most(now, before));
            before = now;
        }
    }
}

// A block that is recomputed runs its forward pass beside every block input: that much is stated.
TEST_CASE("recomputation saves memory in a deep stage", "[memory]") {
    for (Job job : jobs()) {
        job.run.recompute = Recompute::none;
        const Bytes none = highest(job);
        job.run.recompute = Recompute::selective;
        job.run.recompute_modules.core_attention = true;
        CHECK(at_most(highest(job), none));
        job.run.recompute_modules = {.per_op = true};
        CHECK(at_most(highest(job), none));
        job.run.recompute = Recompute::full;
        CHECK(at_most(highest(job), none));
    }
}

TEST_CASE("what is reserved never rises with the share of recomputed blocks", "[memory]") {
    for (Job job : jobs()) {
        if (job.run.recompute != Recompute::full)
            continue;
        job.stack.device.fragmentation = 0.22;
        job.stack.device.fragmentation_recompute = 0.45;
        const auto reserved = [&] {
            Bytes peak;
            for (const StageMemory& m : estimate(job).stages)
                peak = std::max(peak, m.reserved);
            return peak;
        };
        job.run.recompute = Recompute::none;
        Bytes before = reserved();
        job.run.recompute = Recompute::full;
        for (const std::int64_t layers : {1, 2, 3, 4, 6, 8}) {
            job.run.recompute_layers = layers;
            INFO(job.run.precision_name << " " << layers << " layers");
            const Bytes now = reserved();
            CHECK(at_most(now, before));
            before = now;
        }
    }
}

TEST_CASE("memory grows with micro-batch and sequence", "[memory]") {
    for (Job job : jobs()) {
        Bytes before;
        for (const std::int64_t batch : {1, 2, 4, 8}) {
            job.run.micro_batch = batch;
            const Bytes now = highest(job);
            CHECK(at_most(before, now));
            before = now;
        }
        before = Bytes{};
        job.run.micro_batch = 1;
        for (const std::int64_t sequence : {512, 1024, 4096}) {
            job.run.sequence = sequence;
            const Bytes now = highest(job);
            CHECK(at_most(before, now));
            before = now;
        }
    }
}

TEST_CASE("without a pipeline every schedule is the same", "[memory]") {
    for (Job job : jobs()) {
        job.run.schedule = Schedule::one_f_one_b;
        const StageMemory plain = estimate(job).stages[0];
        for (const Schedule schedule : {Schedule::gpipe, Schedule::zero_bubble, Schedule::dualpipe}) {
            job.run.schedule = schedule;
            const StageMemory m = estimate(job).stages[0];
            CHECK(m.terms == plain.terms);
            CHECK(m[MemoryTerm::pipeline_buffers].value() == 0.0);
        }
    }
}

// FSDP over one rank still makes its 16-bit copies block by block: it is left out. ZeRO-2 with buckets of its
// own, as DeepSpeed has them, takes one over one rank too.
TEST_CASE("over one rank ZeRO changes nothing but its own bucket", "[memory]") {
    for (Job job : jobs()) {
        if (job.stack.states.shard == ShardEngine::fsdp1 || job.stack.states.shard == ShardEngine::fsdp2 ||
            job.model.moe)
            continue;
        job.cluster = search_jobs::cluster(1);
        job.run.parallel.dp = 1;
        job.run.parallel.zero = 0;
        const StageMemory plain = estimate(job).stages[0];
        for (const std::int64_t zero : {1, 2, 3}) {
            job.run.parallel.zero = zero;
            const StageMemory m = estimate(job).stages[0];
            const StackTraffic& traffic = job.stack.traffic;
            if (zero == 2 && !traffic.buckets_kept && traffic.bucket_copies > 0.0) {
                CHECK(m.allocated >= plain.allocated);
                CHECK(m.allocated <= plain.allocated + traffic.gradient_bucket * traffic.bucket_copies);
            } else {
                CHECK(m.terms == plain.terms);
            }
        }
    }
}
