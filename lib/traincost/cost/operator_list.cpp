#include "traincost/cost/operator_list.hpp"

#include <memory>

#include "traincost/cost/stages.hpp"

namespace traincost {

namespace {

std::string_view mixer_words(Mixer mixer) {
    switch (mixer) {
        case Mixer::attention:
            return "";
        case Mixer::shared_attention:
            return ", shared attention";
        case Mixer::recurrent:
            return ", recurrent";
        case Mixer::both:
            return ", recurrent and attention";
        case Mixer::none:
            return ", no mixer";
    }
    return "";
}

std::string name_of(const BlockSignature& kind, const Job& job) {
    std::string name = kind.side == Side::encoder         ? "encoder block"
                       : kind.side == Side::cross_decoder ? "decoder block"
                                                          : "block";
    name += kind.moe ? " with experts" : kind.mlp ? "" : " without an MLP";
    name += mixer_words(kind.mixer);
    const bool attends = kind.mixer != Mixer::recurrent && kind.mixer != Mixer::none;
    if (attends && kind.span < static_cast<double>(job.run.sequence))
        name += ", window of " + std::to_string(static_cast<std::int64_t>(kind.span)) + " keys";
    if (kind.shape > 0)
        name += ", shape " + std::to_string(kind.shape + 1);
    return name;
}

}  // namespace

std::vector<OperatorPart> operator_list(const Job& job, std::int64_t stage) {
    const Shape shape = shape_of(job);
    const auto ops = std::make_unique<BlockOps>();
    fill_ops(job, shape, *ops);
    const BlockTable table = block_table(job, shape, *ops);
    const StageClasses stages = stage_classes(job, table);
    const StageClass& its = stages.of(stage);
    const KernelContext context = kernel_context(job);
    std::vector<OperatorPart> parts;
    const auto add = [&](std::string name, double runs, const OpList& list) {
        OperatorPart part{std::move(name), runs, {}};
        for (const Operator& op : list)
            part.operators.push_back(
                {op, operator_time(op, Pass::forward, context), operator_time(op, Pass::backward, context)});
        parts.push_back(std::move(part));
    };
    if (its.first)
        add("embedding", 1.0, ops->embedding);
    for (std::size_t k = 0; k < ops->size; ++k) {
        if (its.kinds[k].blocks > 0.0)
            add(name_of(ops->kinds[k], job), its.kinds[k].blocks, ops->blocks[k]);
    }
    if (its.last)
        add("head and loss", 1.0, ops->head);
    return parts;
}

}  // namespace traincost
