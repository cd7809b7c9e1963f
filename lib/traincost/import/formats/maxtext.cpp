// MaxText: YAML over base.yml, and key=value on the command line.

#include <array>
#include <cmath>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_maxtext(const Setting& root) {
    const Setting* program = root.peek("$program");
    const bool named = program != nullptr && lower(program->text).find("maxtext") != std::string::npos;
    return points(root, {"per_device_batch_size", "max_target_length", "base_emb_dim", "remat_policy"}, 20) +
           points(root,
                  {"ici_fsdp_parallelism", "ici_tensor_parallelism", "dcn_data_parallelism",
                   "base_num_decoder_layers", "base_config"},
                  15) +
           (named ? 30 : 0);
}

namespace {

/// The product of an axis between slices and within one; -1 is what is left, and unknown.
std::optional<std::int64_t> axis(const Setting& root, const std::string& name, std::int64_t between,
                                 std::int64_t within) {
    const Setting* dcn = first_of(root, {"dcn_" + name + "_parallelism"});
    const Setting* ici = first_of(root, {"ici_" + name + "_parallelism"});
    const std::int64_t a = dcn == nullptr ? between : as_whole(*dcn).value_or(-1);
    const std::int64_t b = ici == nullptr ? within : as_whole(*ici).value_or(-1);
    return a > 0 && b > 0 ? std::optional(times(a, b)) : std::nullopt;
}

void read_axis(Fact fact, const Setting& root, FactSheet& sheet, const std::string& name) {
    const auto size = axis(root, name, 1, 1);
    const Setting* at = first_of(root, {"ici_" + name + "_parallelism", "dcn_" + name + "_parallelism"});
    if (size && at != nullptr) {
        sheet.state(fact, *size, *at);
    } else if (at == nullptr) {
        sheet.assume(fact, std::int64_t{1}, "ici_" + name + "_parallelism");
    } else {
        sheet.unknown(fact, *at, "takes what is left");
    }
}

/// How many microbatches a pipeline is told to cut the batch of its ranks into.
std::int64_t pipeline_pieces(const Setting& root, const FactSheet& sheet) {
    const Setting* said = first_of(root, {"num_pipeline_microbatches"});
    const std::int64_t pieces = said == nullptr ? 0 : as_whole(*said).value_or(0);
    return sheet.count(Fact::pp).value_or(1) > 1 && pieces > 0 ? pieces : 1;
}

void read_maxtext_batch(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::sequence, root, {"max_target_length"});
    sheet.assume(Fact::sequence, std::int64_t{2048}, "max_target_length");
    const std::int64_t pieces = pipeline_pieces(root, sheet);
    const Setting* steps = first_of(root, {"gradient_accumulation_steps"});
    if (pieces > 1) {
        const std::int64_t times = steps == nullptr ? 1 : as_whole(*steps).value_or(1);
        sheet.state(Fact::accumulation, pieces * times, *root.at("num_pipeline_microbatches"));
    } else {
        sheet.whole(Fact::accumulation, root, {"gradient_accumulation_steps"});
    }
    sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation_steps");
    const Setting* per_device = first_of(root, {"per_device_batch_size"});
    if (per_device == nullptr) {
        sheet.assume(Fact::micro_batch, std::int64_t{12}, "per_device_batch_size");
        return;
    }
    // A rank of data parallelism is tp·cp·pp devices.
    const auto tp = sheet.count(Fact::tp), cp = sheet.count(Fact::cp), pp = sheet.count(Fact::pp);
    const auto x = as_number(*per_device);
    const bool unsaid =
        !sheet.assumes && !tp && !cp && !pp;  // by a file that nobody gave: a device is a rank
    if (!x || (!unsaid && (!tp || !cp || !pp))) {
        sheet.unknown(Fact::micro_batch, *per_device, "a share per rank, with an unknown number of devices");
        return;
    }
    const double sequences = *x * static_cast<double>(tp.value_or(1) * cp.value_or(1) * pp.value_or(1)) /
                             static_cast<double>(pieces);
    if (sequences >= 1.0 && sequences == std::floor(sequences)) {
        sheet.state(Fact::micro_batch, static_cast<std::int64_t>(sequences), *per_device);
    } else {
        sheet.unknown(Fact::micro_batch, *per_device, "is no whole number of sequences");
    }
}

void read_shards(const Setting& root, FactSheet& sheet) {
    const Setting* fsdp = first_of(root, {"ici_fsdp_parallelism", "dcn_fsdp_parallelism"});
    const auto shards = axis(root, "fsdp", 1, -1);
    const auto replicas = axis(root, "data", -1, 1);
    if (fsdp != nullptr) {
        sheet.state(Fact::zero, std::int64_t{shards == 1 ? 0 : 3}, *fsdp);
    } else {
        sheet.assume(Fact::zero, std::int64_t{3}, "ici_fsdp_parallelism");
    }
    // The batch is dealt over the expert axis too.
    const auto experts = sheet.count(Fact::ep);
    if (shards && replicas && experts && sheet.assumes) {
        sheet.state(Fact::dp, times(times(*shards, *replicas), *experts), *fsdp);
    }
}

}  // namespace

void read_maxtext(const Setting& root, FactSheet& sheet) {
    root.at("base_config");
    if (sheet.word(Fact::model, root, {"model_name"}) == nullptr) {
        ModelDimensions dimensions;
        add_dimension(dimensions, "layers", root, {"base_num_decoder_layers"});
        add_dimension(dimensions, "hidden", root, {"base_emb_dim"});
        add_dimension(dimensions, "heads", root, {"base_num_query_heads", "base_num_heads"});
        add_dimension(dimensions, "kv_heads", root, {"base_num_kv_heads"});
        add_dimension(dimensions, "head_dim", root, {"head_dim"});
        add_dimension(dimensions, "ffn", root, {"base_mlp_dim"});
        add_dimension(dimensions, "vocab", root, {"vocab_size"});
        add_dimension(dimensions, "experts", root, {"num_experts"});
        read_tokenizer(root, sheet, {"tokenizer_path"});
        state_dimensions(sheet, dimensions, root, {"base_num_decoder_layers", "base_emb_dim"});
        if (const Setting* scale = first_of(root, {"global_parameter_scale"});
            scale != nullptr && !sheet.has(Fact::model)) {
            sheet.remark(*scale, "a model given by its scale");
        }
    }
    read_axis(Fact::tp, root, sheet, "tensor");
    // Both axes share a sequence between devices.
    const bool by_sequence = root.has("ici_sequence_parallelism") || root.has("dcn_sequence_parallelism");
    read_axis(Fact::cp, root, sheet,
              by_sequence && !root.has("ici_context_parallelism") ? "sequence" : "context");
    read_axis(Fact::pp, root, sheet, "pipeline");
    read_axis(Fact::ep, root, sheet, "expert");
    read_maxtext_batch(root, sheet);
    read_shards(root, sheet);
    if (const Setting* policy = root.at("remat_policy"); policy != nullptr && policy->text == "none") {
        sheet.state(Fact::recompute, "none", *policy);
    } else {
        sheet.word(Fact::recompute, root, {"remat_policy"});
    }
    sheet.assume(Fact::recompute, "full", "remat_policy");
    const Setting* quantization = first_of(root, {"quantization"});
    if (quantization != nullptr && !quantization->text.empty()) {
        sheet.state(Fact::precision, precision_word(quantization->text).value_or(quantization->text),
                    *quantization);
        root.at("dtype");
    } else {
        read_precision_word(root, sheet, {"dtype"});
    }
    sheet.assume(Fact::precision, "bf16", "dtype");
    sheet.word(Fact::attention, root, {"attention"});
    sheet.word(Fact::optimizer, root, {"opt_type"});
    sheet.assume(Fact::optimizer, "adamw", "opt_type");
}

}  // namespace traincost
