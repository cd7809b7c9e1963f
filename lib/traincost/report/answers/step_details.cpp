#include "traincost/report/answers/step_details.hpp"

#include <algorithm>
#include <array>

#include "traincost/cost/step_traffic.hpp"
#include "traincost/fit/kernels/link_fit.hpp"

namespace traincost {

namespace {

std::string_view name_of(Group group) {
    static constexpr std::array<std::string_view, 7> names = {
        "tensor", "context", "expert", "expert tensor", "data", "expert data", "pipeline"};
    return names[static_cast<std::size_t>(group)];
}

Seconds computed(const PassTime& pass) {
    return pass.gemm + pass.attention + pass.memory;
}

/// Of the slowest stage, with what is run again in the backward pass.
PassTime backward_of(const StepParts& parts) {
    PassTime backward = parts.backward;
    backward += parts.again;
    return backward;
}

double layers_of(const Job& job) {
    return static_cast<double>(job.model.layers + job.model.decoder_layers) /
           static_cast<double>(job.run.parallel.pp);
}

Table computation_table(const Job& job, const StepTime& step) {
    const double m = step.parts.micro_batches;
    const double l = layers_of(job);
    const Seconds forward = computed(step.parts.forward);
    const Seconds backward = computed(backward_of(step.parts));
    return {.title = "Computation",
            .columns = {"", "value"},
            .rows = {{text_cell("layers per stage"), number_cell(l)},
                     {text_cell("micro-batches"), count_cell(static_cast<std::int64_t>(m))},
                     {text_cell("forward, whole step"), cell(forward * m)},
                     {text_cell("backward, whole step"), cell(backward * m)},
                     {text_cell("forward, per loop"), cell(forward / l)},
                     {text_cell("backward, per loop"), cell(backward / l)}},
            .remarks = {
                "Per loop: one layer of one micro-batch, with embedding and head spread over the layers."}};
}

Table communication_table(const Job& job, const Estimate& e) {
    const double loops = layers_of(job) * e.step.parts.micro_batches;
    Table table{
        .title = "Communication",
        .columns = {"group", "ranks", "collective", "pass", "messages", "sent per rank", "time", "per loop"},
        .rows = {},
        .remarks = {}};
    for (const Traffic& t : step_traffic(job, e)) {
        // Between stages a loop is a micro-batch, once a step there is none.
        const double each = t.group == Group::pipeline ? e.step.parts.micro_batches : loops;
        table.rows.push_back({text_cell(name_of(t.group)), count_cell(t.ranks),
                              text_cell(collective_name(t.collective)), text_cell(to_string(t.phase)),
                              short_count_cell(t.messages), cell(t.sent), cell(t.alone),
                              t.phase == TrafficPhase::update ? empty_cell() : cell(t.alone / each)});
    }
    if (table.rows.empty()) {
        table.columns.clear();
        table.remarks = {"One rank: no communication."};
        return table;
    }
    table.remarks = {"Time: with the network to itself, hidden or not; the Step table has the exposed time."};
    return table;
}

Table timeline_numbers(const Job& job, const StepTime& step) {
    const StepParts& parts = step.parts;
    const double m = parts.micro_batches;
    const double before = static_cast<double>(job.run.parallel.pp) - 1.0;
    const PassTime backward = backward_of(parts);
    const Seconds f = parts.forward.total();
    const Seconds b = backward.total();
    // The bubble is what the stages wait for each other, in the proportion of the passes.
    const Seconds bubble = step[StepTerm::bubble];
    const double share = f.value() + b.value() > 0.0 ? f / (f + b) : 0.0;
    Table table{
        .title = "Timeline",
        .columns = {"", "value"},
        .rows = {{text_cell("warm-up"), cell(before > 0.0 ? bubble * share : Seconds{})},
                 {text_cell("forward, one micro-batch"), cell(f)},
                 {text_cell("  computing"), share_cell(f.value() > 0.0 ? computed(parts.forward) / f : 0.0)},
                 {text_cell("backward, one micro-batch"), cell(b)},
                 {text_cell("  computing"), share_cell(b.value() > 0.0 ? computed(backward) / b : 0.0)},
                 {text_cell("stable"), cell((f + b) * m + step[StepTerm::pipeline_transfer])},
                 {text_cell("cool-down"), cell(before > 0.0 ? bubble * (1.0 - share) : Seconds{})},
                 {text_cell("exposed gradient and weight traffic"), cell(step[StepTerm::data_parallel])},
                 {text_cell("optimizer, offload, host"),
                  cell(step[StepTerm::optimizer] + step[StepTerm::offload] + step[StepTerm::fixed] +
                       step[StepTerm::allocator])},
                 {text_cell("step"), cell(step.total)}},
        .remarks = {}};
    return table;
}

}  // namespace

std::vector<Table> step_detail_tables(const Job& job, const Estimate& estimate) {
    return {computation_table(job, estimate.step), communication_table(job, estimate),
            timeline_numbers(job, estimate.step)};
}

}  // namespace traincost
