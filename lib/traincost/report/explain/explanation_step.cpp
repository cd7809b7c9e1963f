// The terms of a step: cost/step is what computes them, docs/model.md, section Step time, tells the whole.

#include "traincost/cost/kernels.hpp"
#include "traincost/report/explain/explanation_rows.hpp"

namespace traincost {

namespace {

double term(const ExplainedJob& x, StepTerm t) {
    return x.estimate.step[t].value();
}

const StepParts& parts(const ExplainedJob& x) {
    return x.estimate.step.parts;
}

double ratio(double a, double b) {
    return b == 0.0 ? 0.0 : a / b;
}

/// Micro-batches, and one part of a micro-batch's forward and backward pass.
template <Seconds PassTime::*part>
std::vector<double> pass_values(const ExplainedJob& x) {
    const StepParts& p = parts(x);
    return {p.micro_batches, (p.forward.*part).value(), (p.backward.*part).value()};
}

std::vector<double> recompute_values(const ExplainedJob& x) {
    return {parts(x).micro_batches, parts(x).again.total().value()};
}

std::vector<double> transfer_values(const ExplainedJob& x) {
    const double one = parts(x).transfer.value();
    return {ratio(term(x, StepTerm::pipeline_transfer), one), one};
}

std::vector<double> bubble_values(const ExplainedJob& x) {
    const StepParts& p = parts(x);
    const double work = (p.forward.total() + p.backward.total() + p.again.total()).value();
    const double transfers = term(x, StepTerm::pipeline_transfer);
    return {p.micro_batches * work + transfers + term(x, StepTerm::bubble), p.micro_batches, work, transfers};
}

std::vector<double> data_parallel_values(const ExplainedJob& x) {
    const DataParallelTime& d = parts(x).data_parallel;
    return {d.reductions,     d.reduction.value(), d.gathers,        d.gathering.value(),
            d.hidden.value(), d.slowdown,          d.copies.value(), d.host.value()};
}

std::vector<double> optimizer_values(const ExplainedJob& x) {
    const double bytes = parts(x).optimizer_bytes.value();
    const double products = parts(x).orthogonalisation.value();
    return {bytes, bytes > 0.0 ? bytes / (term(x, StepTerm::optimizer) - products) : 1.0, products};
}

std::vector<double> offload_values(const ExplainedJob& x) {
    const OffloadTime& o = parts(x).offload;
    return {o.transfers.value(), o.hidden.value(), o.update.value(), o.storage.value(), o.upload.value()};
}

std::vector<double> fixed_values(const ExplainedJob& x) {
    return {host_time(x.job.stack.host.per_step, x.job).value(), parts(x).norms, parts(x).domain_bounds,
            x.job.stack.host.norm_sync_per_domain.value()};
}

std::vector<double> allocator_values(const ExplainedJob& x) {
    const AllocatorPressure& p = parts(x).allocator;
    return {p.refusals, p.returned.value(), p.seconds_per_byte};
}

std::vector<double> total_values(const ExplainedJob& x) {
    const double compute = term(x, StepTerm::gemm) + term(x, StepTerm::attention) +
                           term(x, StepTerm::memory_bound) + term(x, StepTerm::recompute);
    const double communication = term(x, StepTerm::tensor_parallel) + term(x, StepTerm::context_parallel) +
                                 term(x, StepTerm::expert_parallel) + term(x, StepTerm::data_parallel);
    const double pipeline = term(x, StepTerm::pipeline_transfer) + term(x, StepTerm::bubble);
    const double host = term(x, StepTerm::host) + term(x, StepTerm::fixed) + term(x, StepTerm::allocator);
    const double update = term(x, StepTerm::optimizer) + term(x, StepTerm::offload);
    return {compute, communication, pipeline, update, host};
}

/// FLOPs of a step of all GPUs, at `each` of one, and what they are held against.
std::vector<double> utilization_values(const ExplainedJob& x, FlopRate each) {
    const double gpus = static_cast<double>(x.job.cluster.accelerators);
    const Seconds step = x.estimate.step.total;
    return {(each * step).value() * gpus, step.value(), gpus,
            peak_rate(x.job.cluster.accelerator, x.job.run.precision.gemm)->value()};
}

std::vector<double> mfu_values(const ExplainedJob& x) {
    return utilization_values(x, x.estimate.throughput.model_flops_per_gpu);
}

std::vector<double> hfu_values(const ExplainedJob& x) {
    return utilization_values(x, x.estimate.throughput.hardware_flops_per_gpu);
}

template <StepTerm which>
Cell term_cell(const ExplainedJob& x) {
    return cell(x.estimate.step[which]);
}

Cell step_cell(const ExplainedJob& x) {
    return cell(x.estimate.step.total);
}

Cell mfu_cell(const ExplainedJob& x) {
    return percent_cell(x.estimate.throughput.mfu);
}

Cell hfu_cell(const ExplainedJob& x) {
    return percent_cell(x.estimate.throughput.hfu);
}

constexpr SymbolMeaning micro_batch_count = {"m", "", "micro-batches per step"};

/// The symbols of m (f + b).
std::vector<SymbolMeaning> pass_symbols(std::string_view forward, std::string_view backward) {
    return {micro_batch_count, {"f", "s", forward}, {"b", "s", backward}};
}

}  // namespace

std::vector<ExplanationRow> step_explanations() {
    return {
        {{"step.gemm",
          "matrix products of the slowest stage",
          "m * (f + b)",
          pass_symbols("forward products of one micro-batch, each from its shape, tiles and waves",
                       "input and weight gradients"),
          {"docs/model.md, section GEMM time", "[Williams09] for the memory bound",
           "fitted to 50,620 measured kernels of 9 GPUs; held out: median 2.6 %, 90th percentile 9.0 %"},
          {"device.gemm_factor"}},
         pass_values<&PassTime::gemm>,
         term_cell<StepTerm::gemm>},
        {{"step.attention",
          "attention kernels of the slowest stage",
          "m * (f + b)",
          pass_symbols("forward kernels of one micro-batch, from head size, length and causality",
                       "backward kernels, 2.5 times the FLOPs"),
          {"docs/model.md, section Attention time", "[Dao23]",
           "own H200 measurements, 152 shapes, 2026; the FlashAttention-2 paper's figures for Ampere"},
          {"attention.kernel", "attention.generation", "attention.softmax_fused"}},
         pass_values<&PassTime::attention>,
         term_cell<StepTerm::attention>},
        {{"step.memory_bound",
          "operators limited by device memory bandwidth: norms, activations, residuals, loss",
          "m * (f + b)",
          pass_symbols("bytes of the forward operators over the bandwidth of their access pattern",
                       "bytes of the backward operators, likewise"),
          {"docs/model.md, section Bandwidth-bound operators", "own H200 measurements, 187 rows, 2026"},
          {"layer.norm", "layer.rotary", "layer.activation", "head.loss", "head.metric_losses", "layer.bias",
           "layer.bias_dropout_fused", "layer.adapter_fused", "layer.compile"}},
         pass_values<&PassTime::memory>,
         term_cell<StepTerm::memory_bound>},
        {{"step.recompute",
          "forward work of every kind repeated in the backward pass",
          "m * r",
          {micro_batch_count, {"r", "s", "forward time of recomputed work in one micro-batch"}},
          {"[Korthikanti22, §5]"},
          {"layer.recompute_stops_early"}},
         recompute_values,
         term_cell<StepTerm::recompute>},
        {{"step.host",
          "kernel launches that the device waits for",
          "m * (f + b)",
          pass_symbols("launch time of a forward pass beyond the device's own time",
                       "the same for the backward pass"),
          {"own H200 runs of launch-bound models, torch 2.11, 2026"},
          {"host.per_kernel_s", "host.per_dispatched_kernel_s", "host.per_parallel_block_s",
           "host.per_starved_block_rank_s", "host.per_sharded_block_s", "host.per_checkpoint_s",
           "host.per_adapter_s", "host.per_narrow_product_s", "host.cuda_graphs"}},
         pass_values<&PassTime::host>,
         term_cell<StepTerm::host>},
        {{"step.tensor_parallel",
          "exposed tensor-parallel communication",
          "m * (f + b)",
          pass_symbols("collectives of a forward pass, minus the share hidden behind products",
                       "the same for the backward pass"),
          {"docs/model.md, section Collectives", "[Shoeybi19]",
           "[Korthikanti22, §4.2] for sequence parallelism"},
          {"traffic.tp_overlap", "traffic.tp_overlap_asked", "layer.tensor_parallel",
           "layer.sequence_parallel"}},
         pass_values<&PassTime::tensor>,
         term_cell<StepTerm::tensor_parallel>},
        {{"step.context_parallel",
          "exposed context-parallel communication",
          "m * (f + b)",
          pass_symbols("key/value exchange that outlasts the attention of cp - 1 of cp blocks",
                       "the same, with gradients"),
          {"docs/model.md, section Collectives", "[Liu23, Sec. 3]"},
          {}},
         pass_values<&PassTime::context>,
         term_cell<StepTerm::context_parallel>},
        {{"step.expert_parallel",
          "exposed expert-parallel communication",
          "m * (f + b)",
          pass_symbols("dispatch and combine of a forward pass, minus the hidden share",
                       "the same for the backward pass"),
          {"docs/model.md, section Collectives", "[DeepSeekV3, §3.2]"},
          {"experts.overlap", "experts.token_dispatch", "experts.dispatch_permutes"}},
         pass_values<&PassTime::expert>,
         term_cell<StepTerm::expert_parallel>},
        {{"step.pipeline_transfer",
          "exposed transfers between stages",
          "n * x",
          {{"n", "", "transfers on the critical path of the schedule"},
           {"x", "s", "time of one: a micro-batch's boundary tensor to the next stage; 0 if sends overlap"}},
          {"docs/model.md, section Step time", "[Narayanan21, §3.2]"},
          {"pipeline.overlap_p2p", "pipeline.sharded_sends"}},
         transfer_values,
         term_cell<StepTerm::pipeline_transfer>},
        {{"step.bubble",
          "the slowest stage waiting for the others",
          "T - m * w - X",
          {{"T", "s", "from first forward to last backward, by the schedule's closed form"},
           micro_batch_count,
           {"w", "s", "forward, backward and recomputation of one micro-batch on the slowest stage"},
           {"X", "s", "exposed transfers"}},
          {"docs/model.md, section Step time", "[Huang19] GPipe", "[Narayanan21, §2.2] 1F1B, interleaved",
           "[Qi23, Table 2] zero bubble", "[DeepSeekV3, Table 2] DualPipe"},
          {"pipeline.schedule"}},
         bubble_values,
         term_cell<StepTerm::bubble>},
        {{"step.data_parallel",
          "exposed gradient reduction and weight gathers",
          "k_r * R + k_g * G - (1 - s) * H + C + X",
          {{"k_r", "", "reductions per step"},
           {"R", "s", "one reduction of the stage's gradients"},
           {"k_g", "", "gathers per step"},
           {"G", "s", "one gather of its weights"},
           {"H", "s", "traffic overlapped with compute"},
           {"s", "", "slowdown of compute as a share of that traffic"},
           {"C", "s", "copies between flat buffers and their tensors"},
           {"X", "s", "host time for slicing the tensors of a sharded optimizer"}},
          {"docs/model.md, sections Collectives and Step time", "[Rajbhandari20, §7]",
           "own H200 runs with DDP and FSDP2, torch 2.11, 2026, for s"},
          {"traffic.overlap_grad_reduce", "traffic.overlap_param_gather", "traffic.overlap_slowdown",
           "traffic.waiting_slowdown", "traffic.reduce_every_micro_batch",
           "traffic.replicas_reduce_every_micro_batch", "traffic.gradient_bucket_bytes",
           "traffic.sharded_messages", "traffic.reduces_to_owner", "traffic.broadcasts_updates",
           "host.per_block_slice_s", "states.shard"}},
         data_parallel_values,
         term_cell<StepTerm::data_parallel>},
        {{"step.optimizer",
          "update of weights and optimizer states, gradient norm and casts",
          "Q / V + O",
          {{"Q", "B",
            "bytes read and written: gradients as often as the stack reads them, states and weights twice"},
           {"V", "B/s", "bandwidth of the optimizer's kernels at this size, launch included"},
           {"O", "s", "Muon: products that make the matrices' updates orthogonal, five iterations"}},
          {"docs/model.md, section Bandwidth-bound operators", "[Jordan24]"},
          {"states.gradient_passes", "states.optimizer"}},
         optimizer_values,
         term_cell<StepTerm::optimizer>},
        {{"step.offload",
          "exposed host transfers and updates",
          "T - H + max(C, N, U)",
          {{"T", "s",
            "transfers of gradients (down), weights (up) and activations (both ways) in their passes"},
           {"H", "s", "part of these hidden behind the passes' own work"},
           {"C", "s", "update on the host: weights, states, gradients and copies through host memory"},
           {"N", "s", "optimizer states read from and written to NVMe, in parallel with the update"},
           {"U", "s", "updated weights sent to the device, in parallel with the update"}},
          {"docs/model.md, section Step time", "[Ren21, §4.2, §5.1] optimizer on the host",
           "[Rajbhandari21, §5.2] NVMe", "own H200 host, torch 2.11, 2026: link and update rates"},
          {"traffic.overlap_grad_reduce", "traffic.overlap_param_gather",
           "traffic.reduce_every_micro_batch"}},
         offload_values,
         term_cell<StepTerm::offload>},
        {{"step.fixed",
          "data loading, logging, synchronisation",
          "h + n * d * x",
          {{"h", "s", "host time per step that does not depend on its size"},
           {"n", "",
            "norms of the stage whose gradients are summed over tensor-parallel ranks; 0 without sequence "
            "parallelism"},
           {"d", "", "domain boundaries within a tensor-parallel group"},
           {"x", "s", "time per norm and boundary, if the stack sums norms one by one"}},
          {"measured runs of the stack", "docs/model.md, section Step time"},
          {"host.per_step_s", "host.norm_sync_per_domain_s"}},
         fixed_values,
         term_cell<StepTerm::fixed>},
        {{"step.allocator",
          "memory returned to the driver and allocated again because the device is full",
          "k * D * c",
          {{"k", "",
            "failed allocations per step: one, or one per micro-batch if gathers wait for their stream"},
           {"D", "B", "cached memory returned each time: reserved plus requested, minus allocated"},
           {"c", "s/B", "time per byte returned and allocated again"}},
          {"docs/model.md, section Allocator pressure", "own H200 run, torch 2.11, 2026"},
          {"device.expandable_segments", "states.flat_optimizer", "device.gathered_blocks_ahead"}},
         allocator_values,
         term_cell<StepTerm::allocator>},
        {{"step.total",
          "time of one step",
          "compute + communication + pipeline + update + host",
          {{"compute", "s", "gemm, attention, memory bound, recompute"},
           {"communication", "s", "tensor, context, expert and data parallel"},
           {"pipeline", "s", "pipeline transfer and bubble"},
           {"update", "s", "optimizer and offload"},
           {"host", "s", "host, fixed and allocator"}},
          {"docs/model.md, section Step time"},
          {}},
         total_values,
         step_cell},
        {{"throughput.mfu",
          "model FLOPs over peak FLOPs: matrix products, and attention over visible keys",
          "F / (t * g * P)",
          {{"F", "FLOP", "forward and backward of the global batch"},
           {"t", "s", "step"},
           {"g", "", "GPUs"},
           {"P", "FLOP/s", "dense peak of the matrix format"}},
          {"[Chowdhery22, App. B]", "operator inventory, cost/flops"},
          {}},
         mfu_values,
         mfu_cell},
        {{"throughput.hfu",
          "hardware FLOPs over peak FLOPs: model FLOPs plus recomputation",
          "F / (t * g * P)",
          {{"F", "FLOP", "forward, backward and recomputation of the global batch"},
           {"t", "s", "step"},
           {"g", "", "GPUs"},
           {"P", "FLOP/s", "dense peak of the matrix format"}},
          {"[Chowdhery22, App. B]", "[Korthikanti22, §6.3]"},
          {}},
         hfu_values,
         hfu_cell},
    };
}

}  // namespace traincost
