// Lightning: the YAML of its command line, and Hydra's tables that make its Trainer.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

/// What makes an object: "class_path" on the command line, "_target_" in Hydra, a call in Python.
const Setting* made_by(const Setting& block) {
    return first_of(block, {"class_path", "_target_", "$class"});
}

/// The settings of an object: beside "_target_", below "init_args".
const Setting& arguments_of(const Setting& block) {
    const Setting* below = block.at("init_args");
    return below != nullptr && below->is_map() ? *below : block;
}

/// The Trainer's settings: below "trainer", or the whole file.
const Setting* trainer_of(const Setting& root) {
    const Setting* below = root.peek("trainer");
    if (below != nullptr && below->is_map()) {
        return below;
    }
    const Setting* fabric = root.peek("fabric");  // for loops of one's own
    const Setting* made = fabric == nullptr ? nullptr : fabric->peek("$class");
    if (made != nullptr && made->text.ends_with("Fabric")) {
        return fabric;
    }
    const Setting* target = root.peek("_target_");
    return target != nullptr && target->text.ends_with(".Trainer") ? &root : nullptr;
}

/// The first call in `value`, the outer one first, that `wanted` takes: it is given the class or function.
const Setting* call_in(const Setting& value, bool (*wanted)(const std::string& name, const Setting& call)) {
    const Setting* made = value.is_map() ? value.peek("$class") : nullptr;
    if (made != nullptr && wanted(made->text, value)) {
        return &value;
    }
    for (const SettingMember& m : value.members) {
        if (const Setting* found = call_in(m.value, wanted)) {
            return found;
        }
    }
    for (const Setting& item : value.items) {
        if (const Setting* found = call_in(item, wanted)) {
            return found;
        }
    }
    return nullptr;
}

/// Several classes of one block's settings: data modules, models.
const Setting* first_below(const Setting& root, std::initializer_list<std::string_view> blocks, Paths keys) {
    for (const std::string_view name : blocks) {
        const Setting* block = root.at(name);
        if (block == nullptr || !block->is_map()) {
            continue;
        }
        if (const Setting* found = first_of(arguments_of(*block), keys)) {
            return found;
        }
        if (const Setting* found = first_of(*block, keys)) {
            return found;
        }
    }
    return nullptr;
}

/// Whether the call makes a loader of so many rows.
bool makes_loader(const std::string& made, const Setting& call) {
    std::string name = lower(last_part(made));
    std::erase(name, '_');
    return name.find("dataloader") != name.npos && call.has("batch_size");
}

/// What a program trains on: the loader it makes that is not one to validate with.
const Setting* loader_of(const Setting& root) {
    for (const SettingMember& m : root.members) {
        const std::string name = lower(m.key);
        const bool other = name.find("val") != name.npos || name.find("test") != name.npos;
        const Setting* loader = other ? nullptr : call_in(m.value, makes_loader);
        if (loader != nullptr) {
            return loader;
        }
    }
    return nullptr;
}

/// Whether the trainer's strategy is that of a framework built on Lightning, which has degrees of its own.
bool starts_other_strategy(const Setting& trainer) {
    const Setting* strategy = trainer.peek("strategy");
    return strategy != nullptr &&
           strategy->has_any({"tensor_model_parallel_size", "pipeline_model_parallel_size"});
}

/// Whether Python makes it of Lightning's class, under the names by which programs import its package.
bool is_made(const Setting& trainer) {
    const Setting* made = trainer.peek("$class");
    return made != nullptr &&
           (made->text == "L.Trainer" || made->text == "pl.Trainer" || made->text == "lightning.Trainer" ||
            made->text == "pytorch_lightning.Trainer");
}

}  // namespace

int recognise_lightning(const Setting& root) {
    const Setting* trainer = trainer_of(root);
    if (trainer == nullptr || root.has("exp_manager") || root.has("model.encoder_seq_length") ||
        root.has("model.micro_batch_size") || root.has("model.tensor_model_parallel_size") ||
        root.has("training") || starts_other_strategy(*trainer)) {
        return 0;
    }
    const Setting* target = trainer->peek("_target_");
    return points(*trainer,
                  {"accelerator", "devices", "strategy", "precision", "accumulate_grad_batches", "max_epochs",
                   "max_steps", "gradient_clip_val", "limit_val_batches", "log_every_n_steps", "num_nodes",
                   "gpus", "num_sanity_val_steps"},
                  10) +
           points(root, {"seed_everything", "data.class_path", "model.class_path"}, 15) +
           (target != nullptr && target->text.ends_with(".Trainer") ? 30 : 0) + (is_made(*trainer) ? 20 : 0);
}

namespace {

void read_devices(const Setting& trainer, FactSheet& sheet) {
    const Setting* at = first_of(trainer, {"devices", "gpus"});
    if (at == nullptr) {
        return;
    }
    std::int64_t count = 0;
    if (at->is_list()) {
        count = static_cast<std::int64_t>(at->items.size());
        mark_read(*at);
    } else if (at->text.find(',') != std::string::npos) {  // "0,1" and "0,"
        const std::vector<std::string> parts = split(at->text, ',');
        count =
            std::count_if(parts.begin(), parts.end(), [](const std::string& part) { return !part.empty(); });
    } else {
        count = as_whole(*at).value_or(0);
    }
    if (count <= 0) {
        sheet.unknown(Fact::gpus_per_node, *at, "as many as there are");
        return;
    }
    sheet.state(Fact::gpus_per_node, count, *at);
    if (!trainer.has("num_nodes")) {
        sheet.assume(Fact::nodes, std::int64_t{1}, "trainer.num_nodes");
    }
}

void read_strategy_object(const Setting& block, FactSheet& sheet) {
    const Setting* made = made_by(block);
    const Setting& said = arguments_of(block);
    const std::string name = made == nullptr ? std::string() : lower(last_part(made->text));
    if (const Setting* config = said.at("config");
        name.find("deepspeed") != name.npos && config != nullptr && config->is_map()) {
        read_deepspeed_statements(*config, sheet);
    } else if (name.find("deepspeed") != name.npos) {
        sheet.whole(Fact::zero, said, {"stage"}, 0);
        sheet.assume(Fact::zero, std::int64_t{2}, "stage");
        if (is_on(said, "offload_optimizer")) {
            sheet.state(Fact::offload, "cpu (optimizer)", *said.at("offload_optimizer"));
        }
    } else if (name.find("fsdp") != name.npos) {
        read_fsdp_block(said, sheet);
        sheet.assume(Fact::zero, std::int64_t{3}, "sharding_strategy");
        if (const Setting* at =
                first_of(said, {"activation_checkpointing_policy", "activation_checkpointing"})) {
            sheet.state(Fact::recompute, "full", *at);
            mark_read(*at);
        }
        if (is_on(said, "cpu_offload")) {
            sheet.state(Fact::offload, "cpu (parameters, optimizer)", *said.at("cpu_offload"));
        }
    } else if (name.find("modelparallel") != name.npos) {
        for (const auto& [fact, key] :
             {std::pair{Fact::tp, "tensor_parallel_size"}, std::pair{Fact::dp, "data_parallel_size"}}) {
            if (const Setting* at = first_of(said, {key}); at != nullptr && as_whole(*at)) {
                sheet.whole(fact, said, {key});
            } else if (fact == Fact::tp) {
                sheet.unknown(fact, at != nullptr ? *at : *made, "a node's devices");
            }
        }
        sheet.assume(Fact::zero, std::int64_t{3}, "the strategy of parallel models");
    } else if (name.find("ddp") != name.npos) {
        sheet.state(Fact::zero, stage_of_ddp(name), *made);
    }
}

/// What a program of Python says around its Trainer: the loader's rows, the model's name.
void read_program(const Setting& root, FactSheet& sheet) {
    const Setting* loader = sheet.has(Fact::micro_batch) ? nullptr : loader_of(root);
    if (loader != nullptr) {
        sheet.whole(Fact::micro_batch, *loader, {"batch_size"});
    }
    const Setting* model = root.peek("model");
    const Setting* loaded =
        model == nullptr ? nullptr : call_in(*model, [](const std::string& made, const Setting&) {
            return made.ends_with("from_pretrained");
        });
    if (loaded == nullptr) {
        return;
    }
    const Setting* given = loaded->peek("$arguments");
    const Setting* name = first_of(*loaded, {"pretrained_model_name_or_path"});
    if (name == nullptr && given != nullptr && given->is_list() && !given->items.empty()) {
        name = &given->items.front();
    }
    if (name != nullptr && name->is_scalar() && as_word(*name)) {
        sheet.state(Fact::model, name->text, *name);
    }
}

/// What the rest of a program says, by the names of a trainer's command line, where nothing is known.
void read_rest_of_program(const Setting& root, bool own_loop, FactSheet& sheet) {
    const Setting* rest = root.peek("$loop");
    if (rest == nullptr) {
        return;
    }
    for (const auto& [fact, key] :
         {std::pair{Fact::micro_batch, "batch_size_per_device"}, std::pair{Fact::sequence, "max_seq_length"},
          std::pair{Fact::lora_rank, "lora_r"},
          std::pair{Fact::accumulation, "gradient_accumulation_steps"}}) {
        const Setting* at = rest->peek(key);
        const bool counts = fact != Fact::accumulation || own_loop;
        if (at != nullptr && counts && !sheet.has(fact) && as_whole(*at).value_or(0) > 0) {
            sheet.state(fact, *as_whole(*at), *at);
        }
    }
    for (const auto& [fact, key] :
         {std::pair{Fact::optimizer, "optimizer"}, std::pair{Fact::model, "model_name_or_path"}}) {
        const Setting* at = rest->peek(key);
        if (at != nullptr && !sheet.has(fact) && as_word(*at)) {
            sheet.state(fact, at->text, *at);
        }
    }
    if (!sheet.has(Fact::model)) {
        read_new_model(*rest, sheet);
    }
    if (const Setting* compiled = rest->peek("torch_compile");
        compiled != nullptr && as_truth(*compiled) && !sheet.has(Fact::compile)) {
        sheet.state(Fact::compile, *as_truth(*compiled), *compiled);
    }
}

}  // namespace

void read_lightning(const Setting& root, FactSheet& sheet) {
    const Setting& trainer = *trainer_of(root);
    trainer.read = true;
    read_devices(trainer, sheet);
    sheet.whole(Fact::nodes, trainer, {"num_nodes"});
    read_precision_word(trainer, sheet, {"precision"});
    if (trainer.has("$class") && !trainer.has("$unpacked") && !trainer.has("plugins")) {
        sheet.assume(Fact::precision, "fp32", "trainer.precision");
    }
    sheet.whole(Fact::accumulation, trainer, {"accumulate_grad_batches"});
    if (&trainer == root.peek("fabric")) {
        sheet.whole(Fact::accumulation, root,
                    {"gradient_accumulation_iters", "gradient_accumulation_steps", "accumulation_steps"});
    } else {
        sheet.assume(Fact::accumulation, std::int64_t{1}, "accumulate_grad_batches");
    }
    if (const Setting* strategy = first_of(trainer, {"strategy"})) {
        if (strategy->is_map()) {
            read_strategy_object(*strategy, sheet);
        } else {
            read_strategy_word(*strategy, sheet);
        }
    }
    const auto below = [&](std::initializer_list<std::string_view> blocks, Paths keys) {
        const Setting* found = first_below(root, blocks, keys);
        return found != nullptr && found->is_scalar() ? found : nullptr;
    };
    const std::initializer_list<std::string_view> data = {"data",    "datamodule", "data_module",
                                                          "dataset", "dm",         "loader"};
    if (const Setting* at = below(data, {"batch_size", "train_batch_size", "per_device_batch_size",
                                         "micro_batch_size", "batch_size_per_gpu", "per_gpu_batch_size"})) {
        if (const auto rows = as_whole(*at); rows && *rows > 0) {
            sheet.state(Fact::micro_batch, *rows, *at);
        }
    }
    if (const Setting* at = below({"loader"}, {"global_batch_size"}); at != nullptr && as_whole(*at)) {
        sheet.state(Fact::global_batch, *as_whole(*at), *at);
    }
    read_program(root, sheet);
    const Paths lengths = {"max_length", "max_seq_length", "max_seq_len",     "block_size", "seq_len",
                           "seq_length", "context_length", "sequence_length", "length"};
    for (const Setting* at : {below(data, lengths), below({"model"}, lengths), below({"args"}, lengths)}) {
        if (at != nullptr && as_whole(*at).value_or(0) > 0 && !sheet.has(Fact::sequence)) {
            sheet.state(Fact::sequence, *as_whole(*at), *at);
        }
    }
    if (const Setting* at = below({"model"}, {"model_name_or_path", "pretrained_model_name_or_path",
                                              "model_name", "pretrained_model", "hf_model_name"});
        at != nullptr && as_word(*at)) {
        sheet.state(Fact::model, at->text, *at);
    }
    if (const Setting* optimizer = root.at("optimizer"); optimizer != nullptr && optimizer->is_map()) {
        if (const Setting* made = made_by(*optimizer)) {
            sheet.state(Fact::optimizer, last_part(made->text), *made);
        }
    }
    if (const Setting* own = first_of(root, {"model.$optimizer"}); own != nullptr) {  // of the module itself
        sheet.state(Fact::optimizer, own->text, *own);
    }
    read_rest_of_program(root, &trainer == root.peek("fabric"), sheet);
    assume_data_parallel_only(sheet, "this strategy of Lightning");
}

}  // namespace traincost
