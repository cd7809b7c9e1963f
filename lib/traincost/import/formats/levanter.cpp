// Levanter's YAML: batches of the whole step, a micro-batch of each device, meshes of JAX.

#include <algorithm>
#include <vector>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"
#include "traincost/import/settings/python/python_made.hpp"

namespace traincost {

namespace {

/// The only call that `wanted` takes, however often its name stands there.
const Setting* only_made(const Setting& root, bool (*wanted)(const Setting&)) {
    std::vector<const Setting*> found;
    visit_calls(root, [&](const Setting& made) {
        const bool known = std::any_of(found.begin(), found.end(),
                                       [&](const Setting* each) { return each->line == made.line; });
        if (!known && wanted(made)) {
            found.push_back(&made);
        }
    });
    return found.size() == 1 ? found.front() : nullptr;
}

/// The configuration of an experiment in Python, whose trainer its library fills in.
const Setting* experiment_of(const Setting& root) {
    return only_made(root, [](const Setting& made) {
        return class_name(made).ends_with("TrainConfig") && made.has("train_batch_size") &&
               made.has("num_train_steps");
    });
}

}  // namespace

int recognise_levanter(const Setting& root) {
    if (!root.has("trainer") && experiment_of(root) != nullptr) {
        return 50;
    }
    return points(root, {"trainer.mp", "trainer.per_device_parallelism", "trainer.train_batch_size"}, 25) +
           points(root,
                  {"trainer.tensor_parallel_axes", "trainer.fsdp_axis", "trainer.model_axis_size",
                   "trainer.num_train_steps", "trainer.axis_resources", "trainer.mesh", "initialize_from_hf"},
                  10);
}

namespace {

void read_levanter_dimensions(const Setting& root, FactSheet& sheet) {
    ModelDimensions dimensions;
    add_dimension(dimensions, "layers", root, {"model.num_layers"});
    add_dimension(dimensions, "hidden", root, {"model.hidden_dim"});
    add_dimension(dimensions, "heads", root, {"model.num_heads"});
    add_dimension(dimensions, "kv_heads", root, {"model.num_kv_heads"});
    add_dimension(dimensions, "ffn", root, {"model.intermediate_dim"});
    state_dimensions(sheet, dimensions, root, {"model.num_layers", "model.hidden_dim"});
}

void read_levanter_model(const Setting& root, FactSheet& sheet) {
    for (const std::string_view key : {"initialize_from_hf", "model_name_or_path"}) {
        const Setting* at = root.at(key);
        const bool begins_anew = key == "model_name_or_path" && root.has("model.num_layers") &&
                                 root.has("initialize_from_hf") && !is_on(root, "initialize_from_hf");
        if (at != nullptr && as_word(*at) && !as_truth(*at) && !begins_anew && !sheet.has(Fact::model)) {
            sheet.state(Fact::model, at->text, *at);
        }
    }
    read_levanter_dimensions(root, sheet);
}

/// An experiment's trainer, its model and its machine.
void read_experiment(const Setting& root, const Setting& train, FactSheet& sheet) {
    sheet.whole(Fact::global_batch, train, {"train_batch_size"});
    const Setting* model =
        only_made(root, [](const Setting& made) { return made.has("num_layers") && made.has("hidden_dim"); });
    if (model != nullptr) {
        Setting within = *model;
        within.members = {{.key = "model", .value = *model}};
        read_levanter_dimensions(within, sheet);
        mark_read(*model);
    }
    sheet.whole(Fact::sequence, train, {"train_seq_len"});
    if (model != nullptr && !sheet.has(Fact::sequence)) {
        sheet.whole(Fact::sequence, *model, {"max_seq_len", "seq_len"});
    }
    const Setting* machine = only_made(train, [](const Setting& made) {
        return class_path(made).ends_with(".with_gpu") || class_name(made) == "GpuConfig";
    });
    if (machine != nullptr) {
        sheet.whole(Fact::gpus, *machine, {"gpu_count", "count"});
    }
    sheet.whole(Fact::micro_batch, train, {"per_device_parallelism"});
    sheet.assume(Fact::zero, std::int64_t{3}, "trainer.fsdp_axis");
    assume_data_parallel_only(sheet, "Levanter's mesh");
}

/// "bfloat16", "p=f32,c=bfloat16", "params=float32,compute=bfloat16": what products run in.
void read_policy(const Setting& root, FactSheet& sheet) {
    const Setting* at = first_of(root, {"trainer.mp"});
    if (at == nullptr || !at->is_scalar()) {
        return;
    }
    std::string compute = at->text;
    for (const std::string& part : split(at->text, ',')) {
        const std::size_t equals = part.find('=');
        const std::string_view key = std::string_view(part).substr(0, equals);
        if (equals != std::string::npos && (key == "c" || key == "compute")) {
            compute = part.substr(equals + 1);
        }
    }
    const auto word =
        precision_word(compute == "f32" || compute == "f16" ? "fp" + compute.substr(1) : compute);
    if (word) {
        sheet.state(Fact::precision, *word, *at);
    } else {
        sheet.unknown(Fact::precision, *at, "'" + at->text + "' is not a precision");
    }
}

void read_levanter_batch(const Setting& root, FactSheet& sheet) {
    sheet.whole(
        Fact::sequence, root,
        {"train_seq_len", "max_tune_length", "max_train_length", "model.max_seq_len", "model.seq_len"});
    sheet.whole(Fact::global_batch, root, {"trainer.train_batch_size"});
    const Setting* each = first_of(root, {"trainer.per_device_parallelism"});
    if (each != nullptr && as_whole(*each).value_or(-1) > 0) {
        sheet.whole(Fact::micro_batch, root, {"trainer.per_device_parallelism"});
    } else {
        sheet.assume(Fact::accumulation, std::int64_t{1}, "trainer.per_device_parallelism");
    }
}

void read_levanter_mesh(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::tp, root, {"trainer.model_axis_size", "trainer.mesh.axes.model"});
    const Setting* sharded = root.at("trainer.fsdp_axis");
    if (sharded != nullptr) {
        sheet.state(Fact::zero, std::int64_t{says_nothing(*sharded) ? 0 : 3}, *sharded);
        for (const Setting& axis : sharded->items) {
            axis.read = true;
        }
    }
    sheet.assume(Fact::zero, std::int64_t{3}, "trainer.fsdp_axis");
    assume_data_parallel_only(sheet, "Levanter's mesh");
}

}  // namespace

void read_levanter(const Setting& root, FactSheet& sheet) {
    if (const Setting* train = root.has("trainer") ? nullptr : experiment_of(root)) {
        read_experiment(root, *train, sheet);
        return;
    }
    read_levanter_model(root, sheet);
    read_policy(root, sheet);
    read_levanter_batch(root, sheet);
    read_levanter_mesh(root, sheet);
    if (const Setting* at = first_of(root, {"model.gradient_checkpointing"}); at != nullptr) {
        const auto on = as_truth(*at);
        sheet.state(Fact::recompute, on ? std::string(*on ? "full" : "none") : at->text, *at);
    }
    sheet.assume(Fact::recompute, "full", "model.gradient_checkpointing");
    sheet.word(Fact::optimizer, root, {"optimizer.type"});
    sheet.word(Fact::attention, root, {"model.attn_backend"});
    if (!sheet.has(Fact::attention) && is_on(root, "model.use_flash_attention")) {
        sheet.state(Fact::attention, "flash", *root.at("model.use_flash_attention"));
    }
    sheet.whole(Fact::lora_rank, root, {"lora.r"});
}

}  // namespace traincost
