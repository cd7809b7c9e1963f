#include "traincost/spec/job.hpp"

#include <algorithm>
#include <optional>

#include "traincost/spec/check.hpp"
#include "traincost/spec/degree_rules.hpp"
#include "traincost/spec/names.hpp"
#include "traincost/spec/pipeline_rules.hpp"

namespace traincost {

namespace {

/// "; 8 and 16 divide it": the nearest numbers of stages below and above `stages` that divide `blocks`.
std::string nearest_divisors(std::int64_t blocks, std::int64_t stages) {
    std::int64_t below = stages;
    std::int64_t above = stages;
    while (blocks % below != 0)
        --below;
    while (above < blocks && blocks % above != 0)
        ++above;
    return std::to_string(below) + " and " + std::to_string(above) + " do";
}

/// Kinds of parallelism that the stack cannot launch.
void validate_launch(const Job& job, Checker& check) {
    const Parallelism& p = job.run.parallel;
    const auto refuse = [&](const char* member, std::int64_t value, Lack kind) {
        if (lacks(job.stack, kind))
            check.add(member, std::to_string(value) + "; " + lack_text(job.stack, kind));
    };
    if (p.tp > 1)
        refuse("parallel.tp", p.tp, Lack::tp);
    if (p.pp > 1)
        refuse("parallel.pp", p.pp, Lack::pp);
    if (p.vp > 1)
        refuse("parallel.vp", p.vp, Lack::vp);
    if (p.cp > 1)
        refuse("parallel.cp", p.cp, Lack::cp);
    if (p.ep > 1)
        refuse("parallel.ep", p.ep, Lack::ep);
    if (p.pp > 1 && p.zero > 1)
        refuse("parallel.zero", p.zero, Lack::zero_beside_pp);
    const bool narrow = multiplies_narrow(job.run.precision) && p.zero == 3;
    if (narrow && is_compiled(job.run, job.stack))
        refuse("parallel.zero", p.zero, Lack::narrow_compile_sharded);
    if (narrow && job.run.recompute != Recompute::none)
        refuse("parallel.zero", p.zero, Lack::narrow_recompute_sharded);
}

/// Rules that join two or more specs.
void validate_together(const Job& job, std::vector<Problem>& problems) {
    const ModelSpec& m = job.model;
    const RunSpec& r = job.run;
    const Parallelism& p = r.parallel;
    Checker check(problems, "run.");
    const std::int64_t ranks = p.tp * p.pp * p.dp * p.cp;
    if (ranks != job.cluster.accelerators) {
        check.add("parallel.dp", "tp*pp*dp*cp = " + std::to_string(p.tp) + "*" + std::to_string(p.pp) + "*" +
                                     std::to_string(p.dp) + "*" + std::to_string(p.cp) + " = " +
                                     std::to_string(ranks) + ", but the cluster has " +
                                     std::to_string(job.cluster.accelerators) + " accelerators");
    }
    validate_degrees(m, p, check);
    validate_launch(job, check);
    const std::int64_t blocks = m.layers + m.decoder_layers;
    if (p.pp * p.vp > blocks + 2) {
        check.add("parallel.pp", "pp*vp = " + std::to_string(p.pp * p.vp) + " exceeds the model's " +
                                     std::to_string(blocks) + " layers");
    } else if (const std::int64_t chunks = p.pp * p.vp; !deals_stages(job, chunks)) {
        check.add("parallel.pp", "pp*vp = " + std::to_string(chunks) + " does not divide the model's " +
                                     std::to_string(blocks) + " layers; " + nearest_divisors(blocks, chunks) +
                                     "; or allow uneven stages with --uneven-stages (uneven_stages)");
    }
    validate_schedule(job, problems);
    if (p.ep > 1 && m.moe)
        check.divides("parallel.ep", p.ep * p.etp.value_or(1), p.dp * p.cp * p.tp, "tp*cp*dp");
    if (p.hybrid_shard)
        check.divides("parallel.hybrid_shard", *p.hybrid_shard, p.dp * p.cp, "dp*cp");
    check.divides("parallel.cp", p.cp, r.sequence, "run.sequence");
    const std::int64_t pass = r.micro_batch * p.dp;
    if (pass > r.global_batch) {
        check.add("global_batch", std::to_string(r.global_batch) +
                                      " is less than micro-batch*dp = " + std::to_string(r.micro_batch) +
                                      "*" + std::to_string(p.dp) + " = " + std::to_string(pass));
    } else if (r.global_batch % pass != 0) {
        // No launcher deals ranks unequal micro-batches.
        const std::int64_t below = r.global_batch / pass * pass;
        check.add("global_batch", std::to_string(r.global_batch) + " is not a multiple of micro-batch*dp = " +
                                      std::to_string(r.micro_batch) + "*" + std::to_string(p.dp) + "; " +
                                      std::to_string(below) + " and " + std::to_string(below + pass) +
                                      " are");
    }
    if (m.max_position && m.position.kind == PositionKind::learned && m.position.table_rows > 0 &&
        r.sequence > m.position.table_rows) {
        check.add("sequence", std::to_string(r.sequence) + " exceeds the model's " +
                                  std::to_string(m.position.table_rows) + " learned positions");
    }
    if (r.frozen_layers > blocks)
        check.add("frozen_layers", "exceeds the model's " + std::to_string(blocks) + " layers");
    if (r.fp8_scaling && r.precision.gemm != DataType::fp8)
        check.add("fp8_scaling", std::string(name_of(*r.fp8_scaling)) +
                                     " needs products in fp8, as of fp8-mixed; the precision is " +
                                     r.precision_name);
    for (const DataType type : {r.precision.gemm, r.precision.compute}) {
        if (peak_rate(job.cluster.accelerator, type))
            continue;
        check.add("precision", "needs " + std::string(to_string(type)) + " matrix rates; " +
                                   job.cluster.accelerator.id + " has none");
        break;
    }
}

}  // namespace

double hidden_tensor_share(const Job& job) {
    const StackTraffic& traffic = job.stack.traffic;
    const std::optional<bool> asked = job.run.parallel.tp_overlap;
    if (job.run.tuning != Tuning::full || !asked.value_or(true))
        return 0.0;
    return asked ? std::max(traffic.tp_overlap, traffic.tp_overlap_asked) : traffic.tp_overlap;
}

Schedule schedule_of(const Job& job) {
    return job.run.schedule.value_or(job.run.parallel.vp > 1 ? Schedule::interleaved
                                                             : job.stack.pipeline.schedule);
}

Bytes allowed_memory(const AcceleratorSpec& accelerator, const RunSpec& run) {
    return usable_memory(accelerator) * (1.0 - run.headroom);
}

Bytes allowed_memory(const Job& job) {
    return allowed_memory(job.cluster.accelerator, job.run);
}

bool scales_finely(const Job& job) {
    const RunSpec& run = job.run;
    if (!multiplies_narrow(run.precision) || job.stack.narrow.fine_quantise_bytes <= 0.0)
        return false;
    return run.precision.gemm != DataType::fp8 ||
           run.fp8_scaling.value_or(Fp8Scaling::tensorwise) != Fp8Scaling::tensorwise;
}

bool deals_stages(const Job& job, std::int64_t chunks) {
    const std::int64_t blocks = job.model.layers + job.model.decoder_layers;
    return deals_evenly(job, chunks) ||
           (chunks <= blocks && (job.run.uneven_stages || job.stack.pipeline.balanced_stages));
}

std::vector<Problem> validate(const Job& job) {
    std::vector<Problem> problems;
    validate(job.model, problems);
    validate(job.cluster, problems);
    validate(job.stack, problems);
    validate(job.run, problems);
    if (problems.empty())
        validate_together(job, problems);
    return problems;
}

}  // namespace traincost
