#include "traincost/report/methods/iiis_comparison.hpp"

#include "traincost/report/methods/form_values.hpp"

namespace traincost {

namespace {

/// The same job: no ZeRO, no optimizer state anywhere else, its own network.
JobDraft iiis_job_of(const IiisInput& in, const CompareFlags& flags) {
    JobDraft job;
    job.model = compared_model(flags, in.model.name);
    job.gpu = compared_gpu(flags, in.gpu.name);
    job.gpus = in.tp * in.pp * in.dp;
    job.sequence = in.model.sequence;
    job.micro_batch = in.microbatch;
    job.global_batch = in.minibatch * in.dp;
    job.tp = in.tp;
    job.pp = in.pp;
    job.dp = in.dp;
    job.zero = 0;
    job.recompute = RecomputeChoice{in.recompute, {}, 1, {}};
    job.tokens = in.million_tokens * 1e6 * in.epochs;
    return job;
}

}  // namespace

Table iiis_comparison(const IiisInput& in, const IiisResult& r, const CompareFlags& flags,
                      const Sources& sources) {
    const OwnEstimate o = own_estimate(iiis_job_of(in, flags), sources);
    const StageMemory& m = o.peak();
    const StepTime& step = o.estimate.step;
    const Bytes states = m[MemoryTerm::weights] + m[MemoryTerm::master_weights] + m[MemoryTerm::gradients] +
                         m[MemoryTerm::optimizer_states];
    const Bytes kept =
        m[MemoryTerm::saved_activations] + m[MemoryTerm::block_inputs] + m[MemoryTerm::working_set];
    const auto bytes = [](double x) { return cell(Bytes{x}); };
    const auto seconds = [](double x) { return cell(Seconds{x}); };
    const Seconds transfer = step[StepTerm::pipeline_transfer];
    return compared_table(
        {{"parameters", short_count_cell(r.parameters.total),
          short_count_cell(static_cast<double>(o.estimate.parameters.total)),
          "theirs: 12h² + 5h per layer, position table; ours: the published architecture"},
         {"weights, gradients, states", bytes(r.memory.overall - r.memory.activation), cell(states),
          "theirs: 16 bytes per parameter over tp·pp; ours: the fullest stage, with embedding"},
         {"activations", bytes(r.memory.activation), cell(kept),
          "theirs: all layers of the minibatch; ours: micro-batches in flight on one stage"},
         {"memory per GPU", bytes(r.memory.overall), cell(m.device),
          "ours: with buffers, fragmentation, context and communicators"},
         {"forward passes", seconds(r.computation.forward), cell(step.forward),
          "theirs: fp32 peak at 100 %, no attention scores; ours: measured 16-bit kernels"},
         {"backward passes", seconds(r.computation.backward), cell(step.backward),
          "theirs: twice the forward time; ours: plus recomputation"},
         {"tensor parallel, exposed", seconds(r.communication.forward_allgather),
          cell(step[StepTerm::tensor_parallel]),
          "theirs: h·h·b bytes for any t; ours: s·h·b and (t - 1)/t, both passes"},
         {"between stages", seconds(r.communication.p2p), cell(transfer),
          "theirs: h·h·b over a shared NIC, not added; ours: s·h·b, part of the step"},
         {"bubble", seconds(r.timeline.warmup + r.timeline.cooldown), cell(step[StepTerm::bubble]),
          "both: (p - 1) passes; ours: with unequal stages"},
         {"gradient all-reduce", seconds(r.timeline.allreduce), cell(step[StepTerm::data_parallel]),
          "theirs: 2φ bytes by 8 GPUs per host, even for d = 1; ours: 2(d - 1)/d, exposed part"},
         {"optimizer", seconds(0.0), cell(step[StepTerm::optimizer]), "theirs: no time"},
         {"iteration", seconds(r.timeline.iteration), cell(step.total),
          "the sum of the above, plus host time"},
         {"all tokens", seconds(r.total.seconds),
          o.estimate.training ? cell(o.estimate.training->time) : empty_cell(),
          "iterations times the above"}},
        "iiis", o);
}

}  // namespace traincost
