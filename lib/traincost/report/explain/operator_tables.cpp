#include "traincost/report/explain/operator_tables.hpp"

#include <algorithm>
#include <string>

#include "traincost/base/text.hpp"
#include "traincost/cost/weights.hpp"

namespace traincost {

namespace {

std::string_view kind_word(OpKind kind) {
    switch (kind) {
        case OpKind::gemm:
            return "gemm";
        case OpKind::grouped_gemm:
            return "grouped_gemm";
        case OpKind::attention:
            return "attention";
        case OpKind::memory:
            return "memory";
        case OpKind::communication:
            return "communication";
    }
    return "";
}

bool communicates(const Operator& op, std::initializer_list<Group> groups) {
    return op.kind == OpKind::communication &&
           std::find(groups.begin(), groups.end(), op.group) != groups.end();
}

/// Whether the number called `item` counts the operator.
bool counted(const Operator& op, std::string_view item) {
    const bool multiplies = op.kind == OpKind::gemm || op.kind == OpKind::grouped_gemm;
    if (item == "step.gemm")
        return multiplies;
    if (item == "step.attention")
        return op.kind == OpKind::attention;
    if (item == "step.memory_bound")
        return op.kind == OpKind::memory || (op.forward_bytes + op.backward_bytes).value() > 0.0;
    if (item == "step.tensor_parallel")
        return communicates(op, {Group::tensor, Group::expert_tensor});
    if (item == "step.context_parallel")
        return communicates(op, {Group::context});
    if (item == "step.expert_parallel")
        return communicates(op, {Group::expert});
    if (item == "memory.saved_activations")
        return op.saved.value() > 0.0;
    if (item == "memory.cast_weights" || item == "memory.gradients" || item == "memory.weights")
        return op.weights > 0.0;
    return true;
}

std::string size_text(double x) {
    return to_exact(x);
}

/// "16384 x 4096 x 1024": rows, outputs, inputs; "8 of" of a grouped product; heads, queries and keys.
std::string shape_text(const Operator& op) {
    if (op.kind == OpKind::gemm || op.kind == OpKind::grouped_gemm) {
        const std::string one =
            size_text(op.gemm.m) + " x " + size_text(op.gemm.n) + " x " + size_text(op.gemm.k);
        return op.gemm.count == 1.0 ? one : size_text(op.gemm.count) + " of " + one;
    }
    if (op.kind == OpKind::attention) {
        return size_text(op.attention.batch) + " x " + size_text(op.attention.heads) + " heads, " +
               size_text(op.attention.queries) + " x " + size_text(op.attention.keys);
    }
    return "";
}

Bytes moved(const Operator& op) {
    return op.kind == OpKind::communication ? op.forward_message + op.backward_message
                                            : op.forward_bytes + op.backward_bytes;
}

std::vector<const ListedOperator*> counted_of(const OperatorPart& part, std::string_view item) {
    std::vector<const ListedOperator*> found;
    for (const ListedOperator& listed : part.operators) {
        if (counted(listed.of, item))
            found.push_back(&listed);
    }
    return found;
}

/// Zero is nothing to say.
template <class Quantity>
Cell cell_or_empty(Quantity x) {
    return x.value() > 0.0 ? cell(x) : empty_cell();
}

std::vector<Cell> row_of(const ListedOperator& listed) {
    const Operator& op = listed.of;
    return {text_cell(op.name),
            text_cell(shape_text(op)),
            cell_or_empty(op.forward_flops + op.backward_flops),
            cell_or_empty(moved(op)),
            cell_or_empty(op.saved),
            count_cell(op.forward_kernels + op.backward_kernels),
            cell_or_empty(listed.forward),
            cell_or_empty(listed.backward)};
}

void write_operator(JsonWriter& out, const ListedOperator& listed) {
    const Operator& op = listed.of;
    out.begin_object();
    out.member("name", op.name);
    out.member("module", to_string(op.module));
    out.member("kind", kind_word(op.kind));
    if (const std::string shape = shape_text(op); !shape.empty())
        out.member("shape", shape);
    out.member("forward_flops", op.forward_flops.value());
    out.member("backward_flops", op.backward_flops.value());
    const bool sends = op.kind == OpKind::communication;
    out.member("forward_bytes", (sends ? op.forward_message : op.forward_bytes).value());
    out.member("backward_bytes", (sends ? op.backward_message : op.backward_bytes).value());
    out.member("saved_bytes", op.saved.value());
    out.member("weights", op.weights + op.adapter_weights);
    out.member("forward_kernels", op.forward_kernels);
    out.member("backward_kernels", op.backward_kernels);
    out.member("forward_s", listed.forward.value());
    out.member("backward_s", listed.backward.value());
    out.end_object();
}

}  // namespace

std::vector<Table> operator_tables(std::span<const OperatorPart> parts, std::string_view item) {
    std::vector<Table> tables;
    for (const OperatorPart& part : parts) {
        const std::vector<const ListedOperator*> operators = counted_of(part, item);
        if (operators.empty())
            continue;
        Table table{
            .title = "Operators of one micro-batch: " + part.name +
                     (part.runs == 1.0 ? "" : ", " + size_text(part.runs) + " of them"),
            .columns = {"operator", "shape", "FLOPs", "bytes", "kept", "kernels", "forward", "backward"},
            .rows = {},
            .remarks = {}};
        for (const ListedOperator* listed : operators)
            table.rows.push_back(row_of(*listed));
        tables.push_back(std::move(table));
    }
    if (!tables.empty()) {
        tables.back().remarks = {
            "FLOPs, bytes and kernel counts cover both passes on one rank of the slowest stage. A matrix "
            "product's bytes are those of its casts and sums. Times are of each operator alone; their sum "
            "differs from the step because communication is hidden and power is shared."};
    }
    return tables;
}

void write_operators(JsonWriter& out, std::span<const OperatorPart> parts, std::string_view item) {
    out.key("operators").begin_array();
    for (const OperatorPart& part : parts) {
        const std::vector<const ListedOperator*> operators = counted_of(part, item);
        if (operators.empty())
            continue;
        out.begin_object();
        out.member("part", part.name);
        out.member("runs", part.runs);
        out.key("list").begin_array();
        for (const ListedOperator* listed : operators)
            write_operator(out, *listed);
        out.end_array();
        out.end_object();
    }
    out.end_array();
}

}  // namespace traincost
