#include "traincost/spec/stack.hpp"

#include <algorithm>

#include "traincost/spec/check.hpp"

namespace traincost {

namespace {

/// A number of a stack and its range.
struct NumberField {
    const char* name;
    double StackSpec::*member;
    double low;
    double high;
};

constexpr double most_copies = 1000.0;
constexpr double most_bytes = 1000.0;  // for an element

constexpr NumberField numbers[] = {
    {"dropout", &StackSpec::dropout, 0.0, 1.0},
    {"metric_losses", &StackSpec::metric_losses, 0.0, 100.0},
    {"logits_copies_fp32", &StackSpec::logits_copies_fp32, 0.0, most_copies},
    {"gradient_passes", &StackSpec::gradient_passes, 0.0, most_copies},
    {"optimizer_temporary_copies", &StackSpec::optimizer_temporary_copies, 0.0, most_copies},
    {"flat_gradient_copies", &StackSpec::flat_gradient_copies, 0.0, most_copies},
    {"bucket_copies", &StackSpec::bucket_copies, 0.0, most_copies},
    {"extra_saved_hidden", &StackSpec::extra_saved_hidden, 0.0, most_copies},
    {"gathered_blocks_ahead", &StackSpec::gathered_blocks_ahead, 0.0, 1e6},
    {"held_gathers_limit", &StackSpec::held_gathers_limit, 0.0, 1.0},
    {"held_gathers_stuck", &StackSpec::held_gathers_stuck, 0.0, 1.0},
    {"overlap_slowdown", &StackSpec::overlap_slowdown, 0.0, 1.0},
    {"tp_overlap", &StackSpec::tp_overlap, 0.0, 1.0},
    {"clamped_glu_passes", &StackSpec::clamped_glu_passes, 0.0, 1000.0},
    {"expert_walks", &StackSpec::expert_walks, 0.0, 1000.0},
    {"ring_merge_bytes", &StackSpec::ring_merge_bytes, 0.0, most_bytes},
    {"compiled_ring_merge_bytes", &StackSpec::compiled_ring_merge_bytes, 0.0, most_bytes},
    {"ring_launches", &StackSpec::ring_launches, 0.0, 1000.0},
    {"ep_overlap", &StackSpec::ep_overlap, 0.0, 1.0},
    {"sharded_messages", &StackSpec::sharded_messages, 1.0, 1000.0},
    {"quantise_bytes", &StackSpec::quantise_bytes, 0.0, 64.0},
    {"eager_quantise_bytes", &StackSpec::eager_quantise_bytes, 0.0, most_bytes},
    {"gemm_factor", &StackSpec::gemm_factor, 1e-3, 1e3},
    {"fragmentation", &StackSpec::fragmentation, 0.0, 10.0},
    {"fragmentation_recompute", &StackSpec::fragmentation_recompute, 0.0, 10.0},
};

/// A time, up to an hour.
struct TimeField {
    const char* name;
    Seconds StackSpec::*member;
};
constexpr double longest = 3600.0;
constexpr TimeField times[] = {
    {"host_per_dispatched_kernel_s", &StackSpec::host_per_dispatched_kernel},
    {"per_expert_launch_s", &StackSpec::per_expert_launch},
    {"host_per_block_slice_s", &StackSpec::host_per_block_slice},
    {"norm_sync_per_domain_s", &StackSpec::norm_sync_per_domain},
    {"host_per_kernel_s", &StackSpec::host_per_kernel},
    {"host_per_parallel_block_s", &StackSpec::host_per_parallel_block},
    {"host_per_starved_block_rank_s", &StackSpec::host_per_starved_block_rank},
    {"host_per_sharded_block_s", &StackSpec::host_per_sharded_block},
    {"host_per_checkpoint_s", &StackSpec::host_per_checkpoint},
    {"host_per_adapter_s", &StackSpec::host_per_adapter},
    {"host_per_narrow_product_s", &StackSpec::host_per_narrow_product},
    {"host_per_step_s", &StackSpec::host_per_step},
};

/// A size, up to a petabyte.
struct SizeField {
    const char* name;
    Bytes StackSpec::*member;
};
constexpr double largest = 1e15;
constexpr SizeField sizes[] = {
    {"gradient_bucket_bytes", &StackSpec::gradient_bucket},
    {"context_bytes", &StackSpec::context},
    {"per_communicator_bytes", &StackSpec::per_communicator},
    {"workspace_bytes", &StackSpec::workspace},
};

}  // namespace

void validate(const StackSpec& s, std::vector<Problem>& problems) {
    Checker check(problems, "stack.");
    check.name("id", s.id);
    for (const NumberField& field : numbers)
        check.in_range(field.name, s.*field.member, field.low, field.high);
    for (const TimeField& field : times)
        check.in_range(field.name, s.*field.member, 0.0, longest);
    for (const SizeField& field : sizes)
        check.in_range(field.name, s.*field.member, 0.0, largest);
    check.count("vocab_multiple", s.vocab_multiple, std::int64_t{1} << 20);
    check.count("loss_chunks", s.loss_chunks, std::int64_t{1} << 32);
    check.between("prefetched_blocks", s.prefetched_blocks, 0, std::int64_t{1} << 20);
}

DataType usual_gradients(const StackStates& states, const Precision& precision) {
    const bool own = stack.gradients == GradientStore::parameter && !precision.base;
    return own ? precision.weights : precision.gradients;
}

Precision stack_precision(const StackStates& states, const Precision& recipe) {
    Precision p = recipe;
    if (stack.amp == CastMode::sharded && p.master &&
        bytes_per_element(p.gemm) < bytes_per_element(p.compute)) {
        p.weights = *p.master;
        p.master.reset();
        p.autocast = true;
    }
    p.gradients = usual_gradients(states, p);
    if (stack.reduce)
        p.reduce = *stack.reduce;
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
    }
    throw Error(ErrorKind::internal, "a lack of a stack that has no name");
}

}  // namespace traincost
