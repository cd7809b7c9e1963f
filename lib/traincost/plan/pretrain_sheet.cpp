#include "traincost/plan/pretrain_sheet.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "traincost/cost/blocks.hpp"
#include "traincost/cost/memory.hpp"
#include "traincost/plan/configuration_text.hpp"
#include "traincost/plan/plan_ranking.hpp"

namespace traincost {

namespace {

/// The job with everything on one accelerator.
Job on_one(const Job& job) {
    Job whole = job;
    whole.run.parallel = Parallelism{};
    whole.run.micro_batch = 1;
    whole.run.global_batch = 1;
    whole.cluster.accelerators = 1;
    return whole;
}

std::int64_t elements_of(const WeightList& weights) {
    std::int64_t n = 0;
    for (const WeightTensor& tensor : weights) {
        n += elements(tensor);
    }
    return n;
}

/// Bytes a parameter takes: read by a forward pass, and trained.
struct ParameterBytes {
    Bytes evaluation;
    Bytes training;
};

/// Tables and heads of a quantised base keep the compute format, unless the stack quantises the head.
ParameterBytes parameter_bytes(const RunSpec& run, bool quantised) {
    const Precision& p = run.precision;
    const Bytes weights = bytes_per_element(p.base && quantised ? *p.base : p.weights);
    if (run.tuning != Tuning::full) {
        return {weights, weights};
    }
    return {weights, weights + bytes_per_element(p.gradients) + optimizer_state_bytes(run.optimizer, p) +
                         (p.master ? bytes_per_element(*p.master) : Bytes{})};
}

std::string_view layer_name(const LayerKind& kind) {
    if (kind.side == Side::encoder) {
        return "encoder layers";
    }
    if (kind.mixer == Mixer::recurrent) {
        return kind.moe ? "recurrent layers with experts" : "recurrent layers";
    }
    if (kind.mixer == Mixer::none) {
        return kind.moe ? "layers of experts" : "layers of an MLP";
    }
    return kind.moe ? "expert layers" : "layers";
}

/// The most that operators hold at once when nothing is kept for a backward pass: an input, an output and the
/// temporaries between them, beside the residual stream.
Bytes forward_working_set(const Job& whole) {
    const Shape shape = shape_of(whole);
    const auto ops = std::make_unique<BlockOps>();
    fill_ops(whole, shape, *ops);
    const Bytes stream{shape.tokens * static_cast<double>(whole.model.hidden) * shape.r};
    Bytes most;
    const auto walk = [&](const OpList& list) {
        Bytes input;
        for (const Operator& op : list) {
            most = std::max(most, input + op.saved + op.forward_transient);
            input = op.saved;
        }
    };
    for (std::size_t k = 0; k < ops->size; ++k) {
        walk(ops->blocks[k]);
    }
    walk(ops->embedding);
    walk(ops->head);
    return stream + most;
}

std::vector<SheetRow> memory_rows(const Job& job) {
    const Job whole = on_one(job);
    const ModelSpec& model = job.model;
    std::vector<SheetRow> rows;
    const auto weights = [&](std::string_view name, std::int64_t count, std::int64_t n, bool quantised) {
        const ParameterBytes each = parameter_bytes(job.run, quantised);
        const double parameters = static_cast<double>(n);
        rows.push_back(
            {std::string(name), count, n, each.evaluation * parameters, each.training * parameters});
    };
    weights("embedding", 1, elements_of(embedding_weights(model)), false);
    for (const LayerKind& kind : layer_kinds(model)) {
        weights(layer_name(kind), kind.count, elements_of(layer_weights(model, kind)) * kind.count, true);
    }
    weights("head", 1, elements_of(head_weights(model, false)), job.stack.narrow.quantised_head);

    const StageMemory stage = estimate(whole).stages.front();
    const Shape shape = shape_of(whole);
    const Bytes input{shape.tokens * static_cast<double>(model.hidden) * shape.r};
    rows.push_back({"layer input, per sequence", 1, {}, input, input});
    rows.push_back({"activations, per sequence",
                    1,
                    {},
                    forward_working_set(whole),
                    stage[MemoryTerm::saved_activations] + stage[MemoryTerm::block_inputs] +
                        stage[MemoryTerm::working_set]});
    if (stage[MemoryTerm::adapters].value() > 0) {
        rows.push_back({"adapters", 1, {}, Bytes{}, stage[MemoryTerm::adapters]});
    }
    Bytes evaluation;
    Bytes training;
    for (const SheetRow& row : rows) {
        if (row.name != "layer input, per sequence") {  // part of the activations
            evaluation += row.evaluation;
            training += row.training;
        }
    }
    rows.push_back({"all", 1, parameter_count(model).total, evaluation, training});
    return rows;
}

std::vector<ZeroRow> zero_rows(const Job& job, Bytes capacity) {
    const std::vector<std::int64_t> known = stack_space(job).zero;
    std::vector<ZeroRow> rows;
    for (std::int64_t stage = 0; stage <= 3; ++stage) {
        Job sharded = job;
        sharded.run.parallel = Parallelism{};
        sharded.run.parallel.dp = job.cluster.accelerators;
        sharded.run.parallel.zero = stage;
        sharded.run.global_batch =
            std::max(job.run.global_batch, sharded.run.micro_batch * sharded.run.parallel.dp);
        const StageMemory memory = estimate(sharded).stages.front();
        Job one = on_one(job);
        one.run.micro_batch = one.run.global_batch = job.run.micro_batch;
        const Bytes weights = memory[MemoryTerm::weights];
        const Bytes gathered = stage == 3 ? memory[MemoryTerm::gathered_weights] : Bytes{};
        const Bytes evaluation = weights + gathered + forward_working_set(one) +
                                 memory[MemoryTerm::workspace] + memory[MemoryTerm::context] +
                                 memory[MemoryTerm::communicators];
        const bool of_stack = known.empty() || std::find(known.begin(), known.end(), stage) != known.end();
        rows.push_back({stage, evaluation, memory.device, memory.device <= capacity, of_stack});
    }
    return rows;
}

}  // namespace

PretrainSheet pretrain_sheet(const Job& job, const SearchSpace& space, std::size_t top,
                             const Freedoms& freedoms,
                             const std::function<MemoryMargin(const Job&)>& margin_of,
                             const std::function<bool(const Job&, const Estimate&)>& is_sure) {
    PretrainSheet sheet{};
    sheet.parameters = parameter_count(job.model);
    sheet.memory = memory_rows(job);
    sheet.zero = zero_rows(job, allowed_memory(job));

    constexpr std::size_t variants = 40;  // of micro-batch, recomputation, virtual stages … of one layout
    SearchRequest request{.model = job.model,
                          .run = job.run,
                          .sites = {Site{job.cluster, job.stack, space}},
                          .objective = {},
                          .limits = {},
                          .top = top * variants,
                          .margin_of = margin_of};
    RelaxedSearch answer =
        relaxed_search(std::move(request), freedoms, [](SearchRequest& r) { return search(r); });
    const SearchResult& found = answer.result;
    sheet.relaxed = answer.relaxed;
    sheet.counts = found.counts;
    sheet.risky = found.risky;
    const auto plan_of = [&](const Configuration& configuration) {
        Job plan = job_of(answer.request, configuration);
        Estimate e = estimate(plan);
        std::string flags = configuration_flags(answer.request, configuration);
        if (flags.find("--stack ") == flags.npos && plan.stack.id != job.stack.id)
            flags = "--stack " + plan.stack.id + " " + flags;
        return SheetPlan{std::move(flags), std::move(plan), std::move(e)};
    };
    const auto take_plans = [&](bool any) {
        std::vector<std::tuple<int, int, int, int, int, int>> seen;
        for (const auto& [plan, also] : guises_of(found.best)) {
            const Configuration& c = plan.configuration;
            const std::tuple layout(c.zero, c.dp, c.tp, c.pp, c.cp, c.ep);
            if (sheet.plans.size() == top || std::find(seen.begin(), seen.end(), layout) != seen.end())
                continue;
            SheetPlan taken = plan_of(c);
            if (!any && !is_sure(taken.job, taken.estimate))
                continue;
            seen.push_back(layout);
            sheet.plans.push_back(std::move(taken));
        }
    };
    take_plans(found.risky || !is_sure);
    if (sheet.plans.empty() && !found.best.empty()) {
        sheet.risky = true;
        take_plans(true);
    }
    if (sheet.plans.empty() && found.smallest) {
        sheet.smallest = plan_of(found.smallest->configuration);
    }
    return sheet;
}

}  // namespace traincost
