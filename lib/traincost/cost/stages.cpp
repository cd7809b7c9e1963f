#include "traincost/cost/stages.hpp"

#include <algorithm>

namespace traincost {

namespace {

bool recomputed(const RunSpec& run, std::int64_t position) {
    if (run.recompute != Recompute::full)
        return false;
    if (run.recompute_layers && position >= *run.recompute_layers)
        return false;
    return position % run.recompute_every == 0;
}

/// Runs of one stage, appended to `runs`.
void append_runs(const Job& job, const StageLayout& layout, const BlockTable& table, std::int64_t stage,
                 std::vector<BlockRun>& runs) {
    const std::size_t begin = runs.size();
    std::int64_t position = 0;
    for (std::int64_t v = 0; v < layout.vp; ++v) {
        const std::int64_t chunk = v * layout.pp + stage;
        const std::int64_t first = chunk_first(layout, chunk);
        const std::int64_t last = first + chunk_size(layout, chunk);
        for (std::int64_t i = first; i < last; ++i, ++position) {
            const BlockRun one{position, 1, kind_of(job, table, i), recomputed(job.run, position),
                               i >= job.run.frozen_layers};
            const bool same = runs.size() > begin && runs.back().kind == one.kind &&
                              runs.back().again == one.again && runs.back().trains == one.trains;
            if (same) {
                ++runs.back().count;
            } else {
                runs.push_back(one);
            }
        }
    }
}

StageClass class_of(const std::vector<BlockRun>& runs, std::size_t begin, std::int64_t stage,
                    std::int64_t pp) {
    StageClass c{.stage = stage,
                 .stages = 1,
                 .first = stage == 0,
                 .last = stage == pp - 1,
                 .blocks = 0,
                 .trained = 0,
                 .kinds = {},
                 .runs_begin = begin,
                 .runs_end = runs.size()};
    for (std::size_t i = begin; i < runs.size(); ++i) {
        const BlockRun& run = runs[i];
        const double n = static_cast<double>(run.count);
        KindCount& kind = c.kinds[run.kind];
        kind.blocks += n;
        kind.again += run.again ? n : 0.0;
        kind.kept += !run.again && run.trains ? n : 0.0;
        c.blocks += run.count;
        c.trained += run.trains ? run.count : 0;
    }
    return c;
}

}  // namespace

StageLayout stage_layout(const Job& job) {
    const Parallelism& p = job.run.parallel;
    StageLayout layout{p.pp, p.vp, block_count(job.model)};
    const std::int64_t chunks = p.pp * p.vp;
    layout.ends_count = job.stack.pipeline.ends_count_as_blocks && layout.blocks % chunks != 0 &&
                        (layout.blocks + 2) % chunks == 0;
    if (job.stack.pipeline.balanced_stages && p.vp == 1 && job.model.lm_head) {
        const LayerKind last = layer_kind(job.model, layout.blocks - 1);
        std::int64_t matrices = 0;
        for (const WeightTensor& t : layer_weights(job.model, last)) {
            if (t.matrix)
                matrices += t.rows * t.columns * t.active_copies;
        }
        layout.head_blocks =
            static_cast<double>(job.model.vocab * job.model.hidden) / static_cast<double>(matrices);
    }
    return layout;
}

StageClasses stage_classes(const Job& job, const BlockTable& table) {
    const Parallelism& p = job.run.parallel;
    const StageLayout layout = stage_layout(job);
    StageClasses out;
    out.class_of.reserve(static_cast<std::size_t>(p.pp));
    // Enough for blocks that are alike: the first stage, those between, the last, and one being compared.
    out.classes.reserve(std::min<std::size_t>(static_cast<std::size_t>(p.pp), 3));
    out.runs.reserve(4);
    for (std::int64_t stage = 0; stage < p.pp; ++stage) {
        const std::size_t begin = out.runs.size();
        append_runs(job, layout, table, stage, out.runs);
        const auto runs = [&](std::size_t from) {
            return out.runs.begin() + static_cast<std::ptrdiff_t>(from);
        };
        const auto alike = std::find_if(out.classes.begin(), out.classes.end(), [&](const StageClass& c) {
            return !c.first && stage != p.pp - 1 &&
                   std::equal(runs(c.runs_begin), runs(c.runs_end), runs(begin), out.runs.end());
        });
        if (alike == out.classes.end()) {
            out.class_of.push_back(static_cast<std::int32_t>(out.classes.size()));
            out.classes.push_back(class_of(out.runs, begin, stage, p.pp));
        } else {
            out.class_of.push_back(static_cast<std::int32_t>(alike - out.classes.begin()));
            ++alike->stages;
            out.runs.resize(begin);
        }
    }
    return out;
}

ShardedCount stage_parameters(const BlockTable& table, const StageClass& stage) {
    ShardedCount sum{};
    const auto add = [&sum](const ShardedCount& count, double times) {
        sum.dense += count.dense * times;
        sum.expert += count.expert * times;
        sum.replicated += count.replicated * times;
    };
    for (std::size_t k = 0; k < table.size; ++k)
        add(table.kinds[k].parameters, stage.kinds[k].blocks);
    if (stage.first)
        add(table.embedding_parameters, 1.0);
    if (stage.last)
        add(stage.first ? table.head_only_parameters : table.head_parameters, 1.0);
    return sum;
}

std::int64_t block_at(const StageLayout& layout, std::int64_t stage, std::int64_t position) {
    for (std::int64_t chunk = stage; chunk < layout.pp * layout.vp; chunk += layout.pp) {
        const std::int64_t size = chunk_size(layout, chunk);
        if (position < size)
            return chunk_first(layout, chunk) + position;
        position -= size;
    }
    return -1;
}

}  // namespace traincost
