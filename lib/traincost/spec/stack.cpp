#include "traincost/spec/stack.hpp"

#include <algorithm>
#include <utility>

#include "traincost/spec/check.hpp"

namespace traincost {

namespace {

constexpr double most_copies = 1000.0;
constexpr double most_bytes = 1000.0;  // for an element
constexpr double longest = 3600.0;     // seconds
constexpr double largest = 1e15;       // bytes

/// A number of a stack and its range.
struct NumberOfStack {
    const char* name;
    double value;
    double low;
    double high;
};

void check_numbers(Checker& check, const StackSpec& s) {
    const NumberOfStack numbers[] = {
        {"layer.dropout", s.layer.dropout, 0.0, 1.0},
        {"head.metric_losses", s.head.metric_losses, 0.0, 100.0},
        {"head.logits_copies_fp32", s.head.logits_copies_fp32, 0.0, most_copies},
        {"states.gradient_passes", s.states.gradient_passes, 0.0, most_copies},
        {"states.optimizer_temporary_copies", s.states.optimizer_temporary_copies, 0.0, most_copies},
        {"states.flat_gradient_copies", s.states.flat_gradient_copies, 0.0, most_copies},
        {"traffic.bucket_copies", s.traffic.bucket_copies, 0.0, most_copies},
        {"layer.extra_saved_hidden", s.layer.extra_saved_hidden, 0.0, most_copies},
        {"device.gathered_blocks_ahead", s.device.gathered_blocks_ahead, 0.0, 1e6},
        {"device.held_gathers_limit", s.device.held_gathers_limit, 0.0, 1.0},
        {"device.held_gathers_stuck", s.device.held_gathers_stuck, 0.0, 1.0},
        {"traffic.overlap_slowdown", s.traffic.overlap_slowdown, 0.0, 1.0},
        {"traffic.waiting_slowdown", s.traffic.waiting_slowdown, 0.0, 1.0},
        {"traffic.tp_overlap", s.traffic.tp_overlap, 0.0, 1.0},
        {"traffic.tp_overlap_asked", s.traffic.tp_overlap_asked, 0.0, 1.0},
        {"experts.clamped_glu_passes", s.experts.clamped_glu_passes, 0.0, 1000.0},
        {"experts.walks", s.experts.walks, 0.0, 1000.0},
        {"experts.row_passes_forward", s.experts.row_passes_forward, 0.0, 1000.0},
        {"experts.row_passes_backward", s.experts.row_passes_backward, 0.0, 1000.0},
        {"experts.row_copies_kept", s.experts.row_copies_kept, 1.0, 1000.0},
        {"attention.written_out_forward_bytes", s.attention.written_out_forward_bytes, 0.0, most_bytes},
        {"attention.written_out_backward_bytes", s.attention.written_out_backward_bytes, 0.0, most_bytes},
        {"attention.narrow_softmax_forward_bytes", s.attention.narrow_softmax_forward_bytes, 0.0, most_bytes},
        {"attention.narrow_softmax_backward_bytes", s.attention.narrow_softmax_backward_bytes, 0.0,
         most_bytes},
        {"attention.ring_merge_bytes", s.attention.ring_merge_bytes, 0.0, most_bytes},
        {"attention.compiled_ring_merge_bytes", s.attention.compiled_ring_merge_bytes, 0.0, most_bytes},
        {"attention.ring_launches", s.attention.ring_launches, 0.0, 1000.0},
        {"experts.overlap", s.experts.overlap, 0.0, 1.0},
        {"traffic.sharded_messages", s.traffic.sharded_messages, 1.0, 1000.0},
        {"narrow.quantise_bytes", s.narrow.quantise_bytes, 0.0, 64.0},
        {"narrow.fine_quantise_bytes", s.narrow.fine_quantise_bytes, 0.0, 64.0},
        {"narrow.eager_quantise_bytes", s.narrow.eager_quantise_bytes, 0.0, most_bytes},
        {"device.gemm_factor", s.device.gemm_factor, 1e-3, 1e3},
        {"device.fragmentation", s.device.fragmentation, 0.0, 10.0},
        {"device.fragmentation_recompute", s.device.fragmentation_recompute, 0.0, 10.0},
        {"device.sharded_states_pin", s.device.sharded_states_pin, 0.0, 10.0},
    };
    for (const NumberOfStack& number : numbers)
        check.in_range(number.name, number.value, number.low, number.high);
}

/// Times of the host, up to an hour; sizes, up to a petabyte.
void check_quantities(Checker& check, const StackSpec& s) {
    const std::pair<const char*, Seconds> times[] = {
        {"host.per_dispatched_kernel_s", s.host.per_dispatched_kernel},
        {"experts.launch_s", s.experts.launch},
        {"host.per_block_slice_s", s.host.per_block_slice},
        {"host.norm_sync_per_domain_s", s.host.norm_sync_per_domain},
        {"host.per_kernel_s", s.host.per_kernel},
        {"host.per_parallel_block_s", s.host.per_parallel_block},
        {"host.per_starved_block_rank_s", s.host.per_starved_block_rank},
        {"host.per_sharded_block_s", s.host.per_sharded_block},
        {"host.per_checkpoint_s", s.host.per_checkpoint},
        {"host.per_adapter_s", s.host.per_adapter},
        {"host.per_narrow_product_s", s.host.per_narrow_product},
        {"host.per_step_s", s.host.per_step},
    };
    for (const auto& [name, time] : times)
        check.in_range(name, time, 0.0, longest);
    const std::pair<const char*, Bytes> sizes[] = {
        {"traffic.gradient_bucket_bytes", s.traffic.gradient_bucket},
        {"device.context_bytes", s.device.context},
        {"device.per_communicator_bytes", s.device.per_communicator},
        {"device.workspace_bytes", s.device.workspace},
    };
    for (const auto& [name, size] : sizes)
        check.in_range(name, size, 0.0, largest);
}

}  // namespace

void validate(const StackSpec& s, std::vector<Problem>& problems) {
    Checker check(problems, "stack.");
    check.name("id", s.id);
    check_numbers(check, s);
    check_quantities(check, s);
    check.count("head.vocab_multiple", s.head.vocab_multiple, std::int64_t{1} << 20);
    check.count("head.loss_chunks", s.head.loss_chunks, std::int64_t{1} << 32);
    check.between("states.prefetched_blocks", s.states.prefetched_blocks, 0, std::int64_t{1} << 20);
}

DataType usual_gradients(const StackStates& states, const Precision& precision) {
    const bool own = states.gradients == GradientStore::parameter && !precision.base;
    return own ? precision.weights : precision.gradients;
}

Precision stack_precision(const StackStates& states, const Precision& recipe) {
    Precision p = recipe;
    if (states.amp == CastMode::sharded && p.master &&
        bytes_per_element(p.gemm) < bytes_per_element(p.compute)) {
        p.weights = *p.master;
        p.master.reset();
        p.autocast = true;
    }
    p.gradients = usual_gradients(states, p);
    if (states.reduce)
        p.reduce = *states.reduce;
    return p;
}

bool lacks(const StackSpec& stack, Lack kind) {
    return std::find(stack.lacks.begin(), stack.lacks.end(), kind) != stack.lacks.end();
}

std::string lack_text(const StackSpec& stack, Lack kind) {
    switch (kind) {
        case Lack::tp:
            return stack.id + " has no tensor parallelism";
        case Lack::pp:
            return stack.id + " has no pipeline parallelism";
        case Lack::vp:
            return stack.id + " has no virtual pipeline stages";
        case Lack::cp:
            return stack.id + " has no context parallelism";
        case Lack::ep:
            return stack.id + " has no expert parallelism";
        case Lack::zero_beside_pp:
            return stack.id + " has no ZeRO 2 or 3 beside a pipeline";
        case Lack::narrow_compile_sharded:
            return stack.id + " does not compile fp8 under ZeRO 3";
        case Lack::narrow_recompute_sharded:
            return stack.id + " does not recompute fp8 blocks under ZeRO 3";
    }
    throw Error(ErrorKind::internal, "unknown limitation of a stack");
}

}  // namespace traincost
