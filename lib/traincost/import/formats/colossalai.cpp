// Colossal-AI's first configurations: settings at the top of a Python file.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_colossalai(const Setting& root) {
    const Setting* mode = root.peek("fp16.mode");
    const Setting* tensor = root.peek("parallel.tensor");
    const bool parallel = tensor != nullptr && tensor->is_map();
    return (mode != nullptr && mode->text.starts_with("AMP_TYPE") ? 30 : 0) + (parallel ? 30 : 0) +
           points(root, {"zero.model_config", "zero.optimizer_config"}, 20) +
           points(root, {"zero.level", "zero.offload_optimizer_config", "zero.offload_param_config"}, 20) +
           points(root,
                  {"parallel.pipeline", "BATCH_SIZE", "NUM_MICRO_BATCHES", "gradient_accumulation",
                   "clip_grad_norm", "NUM_EPOCHS"},
                  5);
}

namespace {

void read_parallel(const Setting& root, FactSheet& sheet) {
    const Setting* mode = first_of(root, {"parallel.tensor.mode"});
    if (mode != nullptr && mode->text == "sequence") {
        sheet.whole(Fact::cp, root, {"parallel.tensor.size"});
    } else {
        sheet.whole(Fact::tp, root, {"parallel.tensor.size"});
    }
    const Setting* pipeline = root.peek("parallel.pipeline");
    sheet.whole(Fact::pp, root,
                {pipeline != nullptr && pipeline->is_map() ? "parallel.pipeline.size" : "parallel.pipeline"});
    assume_data_parallel_only(sheet, "parallel");
}

/// A batch is of a data-parallel rank; a pipeline cuts it into micro-batches.
void read_rank_batch(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::sequence, root, {"SEQ_LENGTH", "SEQ_LEN", "MAX_SEQ_LENGTH", "SEQUENCE_LENGTH"});
    const Setting* rows = first_of(root, {"BATCH_SIZE", "TRAIN_BATCH_SIZE"});
    const Setting* pieces = first_of(root, {"NUM_MICRO_BATCHES", "NUM_MICROBATCHES"});
    const std::int64_t batch = rows == nullptr ? 0 : as_whole(*rows).value_or(0);
    const std::int64_t count = pieces == nullptr ? 1 : as_whole(*pieces).value_or(0);
    if (batch <= 0 || count <= 0 || batch % count != 0) {
        return;
    }
    const std::string where = rows->where() + (pieces == nullptr ? "" : " and " + pieces->where());
    sheet.state(Fact::micro_batch, batch / count, where);
    if (pieces != nullptr && !root.has("gradient_accumulation")) {
        sheet.state(Fact::accumulation, count, *pieces);
    } else if (pieces == nullptr) {
        sheet.whole(Fact::accumulation, root, {"gradient_accumulation"});
        sheet.assume(Fact::accumulation, std::int64_t{1}, "gradient_accumulation");
    }
}

void read_zero(const Setting& zero, FactSheet& sheet) {
    sheet.whole(Fact::zero, zero, {"level"}, 0);
    if (!sheet.has(Fact::zero)) {
        sheet.state(Fact::zero, std::int64_t{3}, zero);
    }
    const Setting* where =
        first_of(zero, {"model_config.tensor_placement_policy", "model_config.offload_config.device"});
    if (where != nullptr && where->text == "cpu") {
        sheet.state(Fact::offload, "cpu (parameters, optimizer)", *where);
    }
    const Setting* states = first_of(zero, {"offload_optimizer_config.device"});
    const Setting* weights = first_of(zero, {"offload_param_config.device"});
    if (states != nullptr) {
        sheet.state(Fact::offload,
                    states->text + (weights != nullptr ? " (optimizer, parameters)" : " (optimizer)"),
                    *states);
    } else if (weights != nullptr) {
        sheet.state(Fact::offload, weights->text + " (parameters)", *weights);
    }
}

}  // namespace

void read_colossalai(const Setting& root, FactSheet& sheet) {
    read_parallel(root, sheet);
    read_rank_batch(root, sheet);
    if (const Setting* half = root.at("fp16"); half != nullptr && half->is_map()) {
        sheet.state(Fact::precision, "fp16", *half);
        mark_read(*half);
    }
    if (const Setting* at = root.at("model.dtype"); at != nullptr && !sheet.has(Fact::precision)) {
        read_precision_word(root, sheet, {"model.dtype"});
    }
    if (const Setting* zero = root.at("zero"); zero != nullptr && zero->is_map()) {
        read_zero(*zero, sheet);
    }
    if (const Setting* made = first_of(root, {"optimizer.type"})) {
        sheet.state(Fact::optimizer, last_part(made->text), *made);
    }
    read_checkpointing_switch(root, sheet, {"model.checkpoint"});
}

}  // namespace traincost
