#include "traincost/cost/ops/op_builder.hpp"

#include <algorithm>

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/ops/quantised_weights.hpp"
#include "traincost/cost/ops/unit_bound.hpp"
#include "traincost/spec/adapter_format.hpp"

namespace traincost {

Operator& OpBuilder::linear(std::string_view name, Module module, double m, double n, double k,
                            Bytes saved_input, LowRank adapted, bool bias, int readers) {
    const Shape& s = shape_;
    const AdapterSpec& adapter = job_.run.adapter;
    const bool low_rank =
        adapted.pairs > 0.0 && (job_.run.tuning == Tuning::lora || job_.run.tuning == Tuning::qlora);
    Operator op{.name = name, .module = module, .kind = OpKind::gemm};
    op.gemm = {m, n, k};
    op.weights = n * k;
    op.forward_flops = Flops{2.0 * m * n * k};
    op.weight_gradient = s.train_weights;
    op.backward_flops = op.forward_flops * (s.train_weights ? 2.0 : 1.0);
    op.forward_kernels = bias ? 2 : 1;
    op.backward_kernels = (s.train_weights ? 2 : 1) + (bias && s.train_weights ? 1 : 0);
    const bool quantised = has_quantised_weights(job_, module);
    // A low-rank pair reads a copy of its own under dropout, and where its format is another.
    const bool shares_input =
        low_rank && adapter.dropout == 0.0 && adapter_format(job_.run, stack()) == AdapterFormat::base;
    const bool read_again =
        s.train_weights || shares_input || (quantised && stack().narrow.quantised_keeps_inputs);
    op.saved = read_again ? saved_input : Bytes{};
    op.pinned = quantised && stack().narrow.quantised_keeps_inputs ? saved_input : Bytes{};
    op.forward_transient = Bytes{m * n * s.e};
    op.backward_transient = Bytes{m * (n + k) * s.e};
    // In one function two gradients of the input are there; autograd has given the input back by then.
    if (low_rank && stack().layer.inplace_backward && !stack().layer.adapter_fused)
        op.backward_transient += Bytes{m * k * s.e};
    // A trained scale multiplies the biased output of every product.
    if (job_.run.tuning == Tuning::adapter && adapter.scale_and_bias) {
        op.saved += Bytes{m * n * s.e};
        op.adapter_weights = 2.0 * n;
    }
    // Under autocast the weight gradient leaves the product in 16 bits and is widened beside it.
    if (s.autocast && s.train_weights)
        op.backward_transient += Bytes{n * k * s.e};
    if (s.autocast) {
        // Weight and input are narrowed on the way in, their gradients widened on the way out; each reader of
        // a norm's output has a copy of its own. A compiled norm writes and reads the products' format.
        // A copy from one 16-bit format to the other takes a kernel that is not vectorised: 381e9 elements a
        // second on one H200 (torch 2.11, 2026-11-27), as products of 16 bits that broadcast.
        const double narrow = quantised   ? 0.0  // made in the compute format
                              : s.w > s.e ? s.w + s.e
                                          : broadcast_bytes(s.e, job_.cluster.accelerator);
        const int copies = compiles_walks() ? 0 : s.compiled ? std::min(readers, 1) : readers;
        const double inputs = m * k * (fp32_bytes + s.e) * static_cast<double>(copies);
        op.forward_bytes = Bytes{n * k * narrow + inputs};
        op.backward_bytes = Bytes{(s.train_weights ? n * k * narrow : 0.0) + inputs};
        if (!compiles_walks())
            op.backward_access = MemoryAccess::widen;
        op.forward_kernels += (quantised ? 0 : 1) + copies;
        op.backward_kernels += (quantised ? 0 : 1) + copies;
    }
    if (quantised)
        restore_weights(*this, op, 1);
    if (bias && s.train_weights && stack().layer.bias != BiasKernel::fused)
        op.backward_bytes += Bytes{m * n * s.e};
    list_.push(op);
    Operator& product = last();
    if (readers > 1 && !s.compiled) {
        // The gradients of one input's readers are added up, in the format of the input.
        const double in = s.autocast ? fp32_bytes : s.e;
        const double sums = static_cast<double>(readers - 1);
        memory("input_gradients", module, Bytes{}, Bytes{sums * 3.0 * m * k * in}, 0, static_cast<int>(sums));
    }
    if (low_rank)
        low_rank_products(module, m, n, k, adapted);
    return product;
}

// y += B (A x) · scale, rank r [Hu21, §4.1]: A reads the saved input, B the r-wide product.
void OpBuilder::low_rank_products(Module module, double m, double n, double k, LowRank adapted) {
    const Shape& s = shape_;
    const AdapterSpec& adapter = job_.run.adapter;
    const double rank = static_cast<double>(adapter.rank);
    const double inner = rank * adapted.pairs;
    const double width = adapted.width > 0.0 ? adapted.width : n;
    Operator a{.name = "lora_a", .module = module, .kind = OpKind::gemm};
    a.adapter = true;
    a.adapter_weights = inner * k;
    a.gemm = {m, inner, k};
    a.forward_flops = Flops{2.0 * m * inner * k};
    a.backward_flops = a.forward_flops * 2.0;
    a.forward_kernels = adapter.dropout > 0.0 ? 2 : 1;
    a.backward_kernels = adapter.dropout > 0.0 ? 3 : 2;
    a.saved = adapter.dropout > 0.0 ? Bytes{m * k * (s.e + 1.0)} : Bytes{};
    // A copy of the input under a mask; its gradient is added to that of the product beside.
    const bool fused = s.compiled || stack().layer.adapter_fused;
    const double dropped = adapter.dropout > 0.0 && !s.compiled ? m * k * (2.0 * s.e + 1.0) : 0.0;
    a.forward_bytes = Bytes{dropped};
    a.backward_bytes = Bytes{dropped + (fused ? 1.0 : 3.0) * m * k * s.e};
    a.backward_transient = Bytes{m * k * s.e};
    Operator b{.name = "lora_b", .module = module, .kind = OpKind::gemm};
    b.adapter = true;
    b.adapter_weights = width * rank;
    b.gemm = {m, width, rank};
    b.forward_flops = Flops{2.0 * m * rank * width};
    b.backward_flops = b.forward_flops * 2.0;
    b.forward_kernels = 3;
    b.backward_kernels = 4;
    b.saved = Bytes{m * inner * s.e};
    // The pair's output is scaled and added, each a walk of its own unless the product, or a compiled reader,
    // does both.
    const double outputs = (adapted.tokens > 0.0 ? adapted.tokens : m) * width * s.e;
    b.forward_bytes = Bytes{(fused ? 1.0 : 5.0) * outputs};
    b.backward_bytes = Bytes{(fused ? 0.0 : 2.0) * outputs};
    b.forward_transient = Bytes{2.0 * m * n * s.e};
    b.backward_transient = Bytes{m * n * s.e};
    if (const AdapterFormat format = adapter_format(job_.run, stack()); format != AdapterFormat::base) {
        widen_pair(a, b, format, m * k * adapted.pairs, outputs / s.e);
    }
    list_.push(a);
    list_.push(b);
}

// PEFT's Linear.forward: result + lora_B(lora_A(x.to(fp32))) * scale, back to the base's format.
void OpBuilder::widen_pair(Operator& a, Operator& b, AdapterFormat format, double inputs, double outputs) {
    const Shape& s = shape_;
    const bool dropout = job_.run.adapter.dropout > 0.0;
    const bool narrows = format == AdapterFormat::autocast;  // again, on the way into the products
    const double product = narrows ? s.e : fp32_bytes;
    const double cast = fp32_bytes + s.e;
    a.saved = Bytes{inputs * (product + (dropout ? 1.0 : 0.0))};
    a.forward_bytes =
        Bytes{inputs * (cast + (narrows ? cast : 0.0) + (dropout ? 2.0 * fp32_bytes + 1.0 : 0.0))};
    // The input's gradient, narrowed, joins that of the product beside.
    a.backward_bytes = Bytes{
        inputs * (cast + (narrows ? cast : 0.0) + 3.0 * s.e + (dropout ? 2.0 * fp32_bytes + 1.0 : 0.0))};
    a.forward_access = a.backward_access = MemoryAccess::widen;
    a.forward_kernels += narrows ? 2 : 1;
    a.backward_kernels += narrows ? 3 : 2;
    a.forward_transient = Bytes{inputs * fp32_bytes};
    a.backward_transient = Bytes{inputs * (fp32_bytes + s.e)};
    b.saved *= product / s.e;
    if (narrows)
        return;
    // Scaled, added to the product's output and narrowed; the gradient widened, scaled, and narrowed for
    // the product beside.
    b.forward_bytes = Bytes{outputs * (2.0 * fp32_bytes + (s.e + 2.0 * fp32_bytes) + cast)};
    b.backward_bytes = Bytes{outputs * (2.0 * cast + 2.0 * fp32_bytes)};
    b.forward_access = b.backward_access = MemoryAccess::widen;
    b.forward_kernels += 1;
    b.backward_kernels += 2;
    b.forward_transient = Bytes{outputs * 3.0 * fp32_bytes};
    b.backward_transient = Bytes{outputs * (2.0 * fp32_bytes)};
}

void OpBuilder::add_bias(double elements, bool taken_along) {
    if (stack().layer.bias != BiasKernel::apart || taken_along || shape_.compiled)
        return;
    last().forward_bytes += Bytes{elements * shape_.e * 2.0};
}

bool OpBuilder::trains_norms() const {
    return shape_.train_weights || (job_.run.tuning == Tuning::adapter && job_.run.adapter.scale_and_bias);
}

Operator& OpBuilder::memory(std::string_view name, Module module, Bytes forward, Bytes backward,
                            int forward_kernels, int backward_kernels) {
    Operator op{.name = name, .module = module, .kind = OpKind::memory};
    op.forward_bytes = forward;
    op.backward_bytes = backward;
    op.forward_kernels = forward_kernels;
    op.backward_kernels = backward_kernels;
    list_.push(op);
    return last();
}

void OpBuilder::communicate(std::string_view name, Module module, Group group, Collective forward,
                            Bytes forward_message, Collective backward, Bytes backward_message) {
    Operator op{.name = name, .module = module, .kind = OpKind::communication};
    op.group = group;
    op.forward_collective = forward;
    op.backward_collective = backward;
    op.forward_message = forward_message;
    op.backward_message = backward_message;
    op.forward_kernels = forward_message.value() > 0.0 ? 1 : 0;
    op.backward_kernels = backward_message.value() > 0.0 ? 1 : 0;
    list_.push(op);
}

void OpBuilder::residual_add(std::string_view name, Module module) {
    const Shape& s = shape_;
    const double n = s.tokens_sp * static_cast<double>(model().hidden);
    const bool dropout = s.dropout > 0.0;
    const bool fused = stack().layer.bias_dropout_fused || s.fused.norms;
    const double passes = dropout && !fused ? 2.0 * s.e + 1.0 : (dropout ? 1.0 : 0.0);
    // Backward: the gradient of the stream joins that of the branch beside it, which is narrowed on its way.
    const double narrowed = s.r > s.e ? s.r + s.e : 0.0;
    const double joined = compiles_walks() ? narrowed : s.fused.norms ? 0.0 : 3.0 * s.r + narrowed;
    Operator& op = memory(name, module, Bytes{n * (s.e + 2.0 * s.r + passes)},
                          Bytes{n * (joined + (dropout ? s.e + s.r + 1.0 : 0.0))}, dropout && !fused ? 2 : 1,
                          (dropout ? 1 : 0) + (s.r > s.e && !s.fused.norms ? 2 : 0));
    if (dropout && !fused)
        op.forward_access = op.backward_access = MemoryAccess::dropout;
    else if (s.r > s.e && !compiles_walks())
        op.forward_access = MemoryAccess::widen;  // formats are mixed
    op.saved = Bytes{dropout ? n : 0.0};
    op.forward_transient = Bytes{n * (s.r + s.e)};
    op.backward_transient = Bytes{n * (s.r + s.e)};
}

void OpBuilder::enter_tensor_parallel(std::string_view name, Module module, int readers) {
    if (shape_.tp == 1)
        return;
    const int times = stack().layer.copies_parallel_inputs ? readers : 1;
    for (int i = 0; i < times; ++i)
        enter_once(name, module);
}

void OpBuilder::enter_once(std::string_view name, Module module) {
    const Bytes message{shape_.tokens * static_cast<double>(model().hidden) * shape_.e};
    if (shape_.sequence_parallel) {
        const Bytes gathered = gathered_bytes(message, module);
        communicate(name, module, Group::tensor, Collective::all_gather, gathered, Collective::reduce_scatter,
                    message);
        rearrange("sequence_joined", module, joined_bytes(gathered), parted_bytes(message));
        if (stack().layer.save_sharded_input && shape_.train_weights) {
            // The saved shard is gathered once more for the weight gradient [Korthikanti22, §4.2.2].
            communicate("regather", module, Group::tensor, Collective::all_gather, Bytes{},
                        Collective::all_gather, gathered);
        }
    } else {
        communicate(name, module, Group::tensor, Collective::all_reduce, Bytes{}, Collective::all_reduce,
                    message);
    }
}

void OpBuilder::leave_tensor_parallel(std::string_view name, Module module) {
    if (shape_.tp == 1)
        return;
    const Bytes message{shape_.tokens * static_cast<double>(model().hidden) * shape_.e};
    if (shape_.sequence_parallel) {
        const Bytes gathered = gathered_bytes(message, module);
        rearrange("sequence_parted", module, parted_bytes(message), joined_bytes(gathered));
        communicate(name, module, Group::tensor, Collective::reduce_scatter, message, Collective::all_gather,
                    gathered);
    } else {
        communicate(name, module, Group::tensor, Collective::all_reduce, message, Collective::all_reduce,
                    Bytes{});
    }
}

void OpBuilder::rearrange(std::string_view name, Module module, Bytes forward, Bytes backward) {
    if (stack().layer.tensor_parallel == TensorParallelKind::dtensor)
        memory(name, module, forward, backward, 0, 0);
}

Bytes OpBuilder::joined_bytes(Bytes message) const {
    return shape_.batch > 1.0 ? message * 2.0 : Bytes{};
}

Bytes OpBuilder::parted_bytes(Bytes message) const {
    constexpr double strided_concatenation = 3.0;
    return message * (2.0 * (shape_.batch > 1.0 && !shape_.compiled ? strided_concatenation : 1.0));
}

Bytes OpBuilder::gathered_bytes(Bytes message, Module module) const {
    // Adapters read the gathered input too, in the compute format.
    const bool narrow = stack().narrow.quantise_bytes > 0.0 && !scales_finely(job_) &&
                        module != Module::head && job_.run.tuning == Tuning::full;
    const double bytes = bytes_per_element(job_.run.precision.gemm).value();
    return narrow && bytes < shape_.e ? message * (bytes / shape_.e) : message;
}

Bytes OpBuilder::saved_norm_output(double width, int consumers) const {
    const Shape& s = shape_;
    const bool sharded = s.tp > 1 && s.sequence_parallel && stack().layer.save_sharded_input;
    const bool each = (s.autocast && !s.compiled) || (s.tp > 1 && stack().layer.copies_parallel_inputs);
    const double copies = each ? static_cast<double>(consumers) : 1.0;
    return Bytes{(sharded ? s.tokens_sp : s.tokens) * width * saved_input_element(s.fused.norms) * copies};
}

double OpBuilder::saved_input_element(bool compiled) const {
    const double narrow = bytes_per_element(job_.run.precision.gemm).value();
    if (stack().narrow.input == NarrowInput::narrow || narrow >= shape_.e)
        return std::min(shape_.e, narrow);
    return compiled && job_.run.precision.gemm == DataType::fp8 ? 0.0 : shape_.e;
}

}  // namespace traincost
