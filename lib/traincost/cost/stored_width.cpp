#include "traincost/cost/stored_width.hpp"

#include <optional>

namespace traincost {

double stored_width(const Job& job, const BlockTable& table, const StageClass& stage, double width) {
    const std::optional<DataType>& base = job.run.precision.base;
    const auto elements = [&](const StageClass& c) {
        const ShardedCount n = stage_parameters(table, c);
        return n.dense + n.expert;
    };
    const double all = elements(stage);
    if (!base || all <= 0.0)
        return width;
    StageClass blocks = stage;
    blocks.first = blocks.last = false;
    const double share = elements(blocks) / all;
    return bytes_per_element(*base).value() * share + width * (1.0 - share);
}

}  // namespace traincost
