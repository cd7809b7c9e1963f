#include "traincost/spec/stack.hpp"

#include "traincost/spec/check.hpp"

namespace traincost {

void validate(const StackSpec& s, std::vector<Problem>& problems) {
    Checker check(problems, "stack.");
    check.in_range("dropout", s.dropout, 0.0, 1.0);
    check.positive("vocab_multiple", s.vocab_multiple);
    check.in_range("metric_losses", s.metric_losses, 0.0, 100.0);
    check.in_range("overlap_slowdown", s.overlap_slowdown, 0.0, 1.0);
    check.in_range("tp_overlap", s.tp_overlap, 0.0, 1.0);
    check.in_range("clamped_glu_passes", s.clamped_glu_passes, 0.0, 1000.0);
    check.in_range("expert_walks", s.expert_walks, 0.0, 1000.0);
    check.in_range("ep_overlap", s.ep_overlap, 0.0, 1.0);
    check.in_range("sharded_messages", s.sharded_messages, 1.0, 1000.0);
    check.at_least("prefetched_blocks", s.prefetched_blocks, 0);
    check.in_range("quantise_bytes", s.quantise_bytes, 0.0, 64.0);
    check.positive("gemm_factor", s.gemm_factor);
    check.in_range("fragmentation", s.fragmentation, 0.0, 10.0);
    check.in_range("fragmentation_recompute", s.fragmentation_recompute, 0.0, 10.0);
}

DataType usual_gradients(const StackSpec& stack, const Precision& precision) {
    const bool own = stack.gradients == GradientStore::parameter && !precision.base;
    return own ? precision.weights : precision.gradients;
}

}  // namespace traincost
