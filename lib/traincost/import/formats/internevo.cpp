// InternEvo (InternLM's trainer): blocks of settings at the top of a Python file.

#include "traincost/base/multiples.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_internevo(const Setting& root) {
    return points(root, {"data.micro_bsz", "data.micro_num", "parallel.zero1", "hybrid_zero_optimizer"}, 20) +
           points(root, {"parallel.weight", "model.num_attention_heads", "data.seq_len", "beta2_scheduler"},
                  5);
}

namespace {

void read_intern_model(const Setting& root, FactSheet& sheet) {
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"model.num_layers"});
    add_dimension(dimensions, "hidden", root, {"model.hidden_size"});
    add_dimension(dimensions, "heads", root, {"model.num_attention_heads"});
    add_dimension(dimensions, "kv_heads", root, {"model.num_kv_attention_heads"});
    // The width is rounded up to a multiple of 256.
    const Setting* ratio = first_of(root, {"model.mlp_ratio"});
    const Setting* hidden = root.peek("model.hidden_size");
    if (ratio != nullptr && hidden != nullptr && as_number(*ratio) && as_whole(*hidden)) {
        constexpr std::int64_t multiple = 256;
        const auto width =
            static_cast<std::int64_t>(*as_number(*ratio) * static_cast<double>(*as_whole(*hidden)));
        dimensions.emplace_back("ffn", round_up(width, multiple));
    }
    add_dimension(dimensions, "experts", root, {"model.num_experts", "model.moe.num_experts"});
    add_dimension(dimensions, "vocab", root, {"model.vocab_size"});
    state_dimensions(sheet, dimensions, root, {"model.num_layers", "model.hidden_size"});
}

/// The size of a kind of parallelism: "tensor=2", "tensor=dict(size=2, mode='msp')".
const Setting* size_of(const Setting& root, const std::string& kind) {
    const Setting* block = root.at("parallel." + kind);
    return block != nullptr && block->is_map() ? first_of(*block, {"size"}) : block;
}

void read_intern_parallelism(const Setting& root, FactSheet& sheet) {
    const auto take = [&](Fact fact, const std::string& kind) {
        const Setting* size = size_of(root, kind);
        if (size != nullptr && as_whole(*size).value_or(0) > 0) {
            sheet.state(fact, *as_whole(*size), *size);
        }
    };
    const Setting* mode = first_of(root, {"parallel.tensor.mode"});
    const bool of_sequence = mode != nullptr && mode->text == "isp";  // weights lie in a group of their own
    take(of_sequence ? Fact::cp : Fact::tp, "tensor");
    take(Fact::pp, "pipeline");
    take(Fact::ep, "expert");
    if (mode != nullptr && (mode->text == "msp" || mode->text == "fsp" || mode->text == "mtp")) {
        sheet.state(Fact::sequence_parallel, mode->text != "mtp", *mode);
    }
    sheet.truth(Fact::sequence_parallel, root, {"parallel.sequence_parallel"});
    if (const Setting* shards = size_of(root, "zero1"); shards != nullptr && as_number(*shards)) {
        sheet.state(Fact::zero, std::int64_t{*as_number(*shards) == 1.0 ? 0 : 1}, *shards);
    }
    const Setting* weights = size_of(root, "weight");
    if (of_sequence && weights != nullptr && as_whole(*weights).value_or(1) > 1) {
        sheet.remark(*weights, "weights sharded apart from the optimizer's states");
    }
    assume_data_parallel_only(sheet, "parallel");
}

}  // namespace

void read_internevo(const Setting& root, FactSheet& sheet) {
    read_intern_model(root, sheet);
    read_intern_parallelism(root, sheet);
    sheet.whole(Fact::sequence, root, {"data.seq_len"});
    sheet.whole(Fact::micro_batch, root, {"data.micro_bsz"});
    sheet.whole(Fact::accumulation, root, {"data.micro_num"});
    read_precision_word(root, sheet, {"model.dtype"});
    if (const Setting* flash = root.at("model.use_flash_attn");
        flash != nullptr && as_truth(*flash) == true) {
        sheet.state(Fact::attention, "flash", *flash);
    }
    if (const Setting* share = root.at("model.checkpoint")) {  // of the layers
        const auto part = as_truth(*share) == true ? std::optional(1.0) : as_number(*share);
        if (part == 1.0) {
            sheet.state(Fact::recompute, "full", *share);
        } else if (as_truth(*share) == false || part == 0.0) {
            sheet.state(Fact::recompute, "none", *share);
        } else if (part) {
            sheet.state(Fact::recompute, share->text + " of the layers", *share);
        }
    }
    if (const Setting* adam = root.at("adam"); adam != nullptr && adam->is_map()) {
        sheet.state(Fact::optimizer, "adamw", *adam);
        mark_read(*adam);
    }
}

}  // namespace traincost
