// torchtitan: TOML of 2024 and 2025, flags with the same paths, and the Python configurations of 2026.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_torchtitan(const Setting& root) {
    const Setting* kind = root.peek("$class");
    const bool python = kind != nullptr && kind->text.ends_with("Config");
    return named(root, {"torchtitan", "run_train.sh"}, 40) +
           points(root,
                  {"model.flavor", "parallelism.tensor_parallel_degree",
                   "parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree",
                   "training.max_context_length", "hf_transformers.model", "job.config_file",
                   "training.tensor_parallel_degree"},
                  30) +
           points(root,
                  {"training.seq_len", "training.local_batch_size", "training.batch_size",
                   "activation_checkpoint.mode", "activation_checkpoint", "job.dump_folder",
                   "lr_scheduler.warmup_steps", "experimental.pipeline_parallel_degree", "metrics.log_freq",
                   "model_spec", "parallelism", "training"},
                  12) +
           (python ? 20 : 0);
}

namespace {

const Setting* class_of(const Setting* call) {
    return call == nullptr ? nullptr : call->at("$class");
}

void read_titan_model(const Setting& root, FactSheet& sheet) {
    const Setting* flavor = first_of(root, {"model.flavor"});
    const Setting* name = first_of(root, {"model.name"});
    read_tokenizer(root, sheet, {"model.hf_assets_path", "model.tokenizer_path", "hf_assets_path"});
    if (const Setting* hf = first_of(root, {"hf_transformers.model"})) {
        sheet.state(Fact::model, hf->text, *hf);
    } else if (flavor != nullptr) {
        sheet.state(Fact::model, name == nullptr ? flavor->text : name->text + " " + flavor->text, *flavor);
    } else if (const Setting* shape = root.peek("model.config");
               shape != nullptr && shape->is_scalar() &&
               as_word(*shape)) {  // flame's, a file of Transformers
        sheet.word(Fact::model, root, {"model.config"});
    } else {
        for (const std::string_view key : {"model_spec", "model"}) {
            const Setting* call = root.at(key);
            const Setting* words = call == nullptr ? nullptr : call->at("$arguments");
            if (words != nullptr && !words->items.empty() && words->items[0].quoted) {
                words->items[0].read = true;
                class_of(call);
                sheet.state(Fact::model, words->items[0].text, words->items[0]);
                return;
            }
        }
    }
}

void read_titan_batch(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::sequence, root, {"training.seq_len", "training.max_context_length"});
    const auto of_tokens = [&](Fact fact, std::string_view path) {
        const Setting* at = first_of(root, {path});
        if (at != nullptr && as_whole(*at).value_or(1) > 0) {
            state_batch_of_tokens(fact, *at, sheet);
        }
        return at != nullptr;
    };
    const bool tokens = of_tokens(Fact::micro_batch, "training.num_tokens_per_microbatch_per_dp_rank");
    of_tokens(Fact::global_batch, "training.num_tokens_per_train_step");
    sheet.whole(Fact::micro_batch, root, {"training.local_batch_size", "training.batch_size"});
    sheet.whole(Fact::accumulation, root, {"training.gradient_accumulation_steps"});
    const Setting* global = first_of(root, {"training.global_batch_size"});
    if (global != nullptr && as_whole(*global).value_or(-1) > 0) {
        sheet.whole(Fact::global_batch, root, {"training.global_batch_size"});
    } else if (!root.has("training.num_tokens_per_train_step")) {
        sheet.assume(Fact::accumulation, std::int64_t{1}, "training.global_batch_size");
    }
    if (!tokens && !root.has("$class")) {
        sheet.assume(Fact::micro_batch, std::int64_t{8}, "training.local_batch_size");
    }
    sheet.assume(Fact::sequence, std::int64_t{2048}, "training.seq_len");
}

void read_titan_degrees(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::tp, root, {"parallelism.tensor_parallel_degree", "training.tensor_parallel_degree"});
    sheet.whole(Fact::pp, root,
                {"parallelism.pipeline_parallel_degree", "experimental.pipeline_parallel_degree",
                 "training.pipeline_parallel_degree"});
    sheet.whole(Fact::cp, root,
                {"parallelism.context_parallel_degree", "experimental.context_parallel_degree",
                 "training.context_parallel_degree"});
    sheet.whole(Fact::ep, root,
                {"parallelism.expert_parallel_degree", "experimental.expert_parallel_degree"});
    for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp, Fact::ep}) {
        sheet.assume(fact, std::int64_t{1}, "parallelism of torchtitan");
    }
    const Setting* shard =
        first_of(root, {"parallelism.data_parallel_shard_degree", "training.data_parallel_shard_degree",
                        "training.data_parallel_degree"});
    const Setting* replicate = first_of(
        root, {"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"});
    const std::int64_t shards = shard == nullptr ? -1 : as_whole(*shard).value_or(-1);
    const std::int64_t replicas = replicate == nullptr ? 1 : as_whole(*replicate).value_or(-1);
    if (shards > 0 && replicas > 0) {
        sheet.state(Fact::dp, shards * replicas, *shard);
    } else if (replicate != nullptr && replicas <= 0) {
        sheet.unknown(Fact::dp, *replicate, "no number is known for it");
    }
    const Setting* reshard = first_of(root, {"parallelism.fsdp_reshard_after_forward"});
    if (shards == 1) {
        sheet.state(Fact::zero, std::int64_t{0}, *shard);
    } else if (reshard != nullptr && reshard->text != "default") {
        sheet.state(Fact::zero, std::int64_t{reshard->text == "never" ? 2 : 3}, *reshard);
    } else {
        sheet.assume(Fact::zero, std::int64_t{sheet.count(Fact::pp) == 1 ? 3 : 2},
                     "parallelism.fsdp_reshard_after_forward");
    }
    sheet.truth(Fact::tp_overlap, root,
                {"parallelism.enable_async_tensor_parallel", "experimental.enable_async_tensor_parallel"});
    if (const auto tp = sheet.count(Fact::tp)) {
        sheet.assume(Fact::sequence_parallel, *tp > 1, "tensor parallelism in torchtitan");
    }
}

void read_titan_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* block = root.at("activation_checkpoint");
    first_of(root, {"activation_checkpoint.selective_ac_option"});
    if (sheet.word(Fact::recompute, root, {"activation_checkpoint.mode"}) != nullptr) {
        return;
    }
    if (const Setting* kind = class_of(block)) {
        const std::string name = lower(kind->text);
        if (name.find("full") != std::string::npos) {
            sheet.state(Fact::recompute, "full", *kind);
        } else if (name.find("selective") != std::string::npos) {
            sheet.state(Fact::recompute, "selective", *kind);
        }
    } else if (block != nullptr && block->is_null()) {
        sheet.state(Fact::recompute, "none", *block);
    } else if (const Setting* at = root.at("activation_checkpoint.mode");
               at != nullptr && at->text == "none") {
        sheet.state(Fact::recompute, "none", *at);
    }
    sheet.assume(Fact::recompute, "selective", "activation_checkpoint.mode");
}

/// Whether a list, or words joined by commas, names something with `part`.
bool names_part(const Setting& list, std::string_view part) {
    if (list.text.find(part) != std::string::npos) {
        return true;
    }
    return std::any_of(list.items.begin(), list.items.end(), [&](const Setting& item) {
        item.read = true;
        return item.text.find(part) != std::string::npos ||
               (item.is_map() && item.peek("$class") != nullptr &&
                lower(item.peek("$class")->text).find(part) != std::string::npos);
    });
}

/// A section of its own has the recipe, or the converter in a list of objects.
void read_titan_scaling(const Setting& root, const Setting& converters, FactSheet& sheet) {
    read_fp8_scaling(root, sheet,
                     {"quantize.linear.float8.recipe_name", "float8.recipe_name",
                      "quantize.linear.mx.recipe_name", "mx.recipe_name"});
    for (const Setting& item : converters.items)
        read_fp8_scaling(item, sheet, {"recipe_name"});
    if (!sheet.has(Fact::fp8_scaling) && names_part(converters, "mx"))
        sheet.state(Fact::fp8_scaling, "mxfp8", converters);
}

void read_titan_precision(const Setting& root, FactSheet& sheet) {
    const Setting* converters =
        first_of(root, {"model.converters", "model_converters.converters", "model_converters",
                        "model_spec.converters", "model.quantization"});
    if (converters != nullptr && converters->is_scalar() && !as_word(*converters)) {
        sheet.unknown(Fact::precision, *converters, "what converts the model is unknown");
    } else if (converters != nullptr && names_part(*converters, "fp4")) {
        sheet.state(Fact::precision, "fp4", *converters);
    } else if (converters != nullptr &&
               (names_part(*converters, "float8") || names_part(*converters, "mx"))) {
        sheet.state(Fact::precision, "fp8", *converters);
        read_titan_scaling(root, *converters, sheet);
    } else if (is_on(root, "float8.enable_float8_linear")) {
        sheet.state(Fact::precision, "fp8", *root.at("float8.enable_float8_linear"));
    } else {
        read_precision_word(root, sheet, {"training.mixed_precision_param"});
    }
    sheet.assume(Fact::precision, "bf16", "training.mixed_precision_param");
}

void read_compile(const Setting& root, FactSheet& sheet) {
    const Setting* components = first_of(root, {"compile.components"});
    const Setting* at = first_of(root, {"compile.enable", "training.compile"});
    if (at != nullptr && as_truth(*at)) {
        const bool model = components == nullptr || names_part(*components, "model");
        sheet.state(Fact::compile, *as_truth(*at) && model,
                    as_truth(*at).value_or(false) && !model ? *components : *at);
    } else if (const Setting* made = class_of(root.at("compile"));
               made != nullptr && !root.has("compile.enable") && last_part(made->text) != "CompileConfig") {
        sheet.unknown(Fact::compile, *made, "compiles what it names by itself");
    }
    sheet.assume(Fact::compile, false, "compile.enable");
}

/// Configurations in Python list an optimizer for each group of parameters.
void read_titan_optimizer(const Setting& root, FactSheet& sheet) {
    if (sheet.word(Fact::optimizer, root, {"optimizer.name"}) != nullptr) {
        return;
    }
    const Setting* groups = first_of(root, {"optimizer.param_groups", "optim.optimizer.optimizers"});
    if (groups != nullptr && groups->is_list() && !groups->items.empty()) {
        groups->read = true;
        const Setting* first = nullptr;
        bool is_one = true;
        for (const Setting& group : groups->items) {
            const Setting* name = group.is_map() ? first_of(group, {"optimizer_name", "$class"}) : nullptr;
            is_one = is_one && name != nullptr && (first == nullptr || first->text == name->text);
            first = name;
        }
        if (is_one) {
            const std::size_t suffix = first->text.rfind(".Config");
            sheet.state(Fact::optimizer, last_part(first->text.substr(0, suffix)), *first);
        } else {
            sheet.unknown(Fact::optimizer, *groups, "several optimizers");
        }
    }
    sheet.assume(Fact::optimizer, "AdamW", "optimizer.name");
}

}  // namespace

void read_torchtitan(const Setting& root, FactSheet& sheet) {
    if (const Setting* made = class_of(&root);
        (made != nullptr && !made->text.ends_with("Config")) || root.has("$unpacked")) {
        sheet.assumes = false;  // what was said before stands where nobody can read it
        sheet.remark(made != nullptr ? *made : *root.peek("$unpacked"),
                     "what this makes of a configuration is unknown");
    }
    read_titan_model(root, sheet);
    read_titan_batch(root, sheet);
    read_titan_degrees(root, sheet);
    read_titan_recompute(root, sheet);
    read_titan_precision(root, sheet);
    read_compile(root, sheet);
    read_titan_optimizer(root, sheet);
    if (is_on(root, "training.enable_cpu_offload")) {
        sheet.state(Fact::offload, "cpu (parameters, optimizer)", *root.at("training.enable_cpu_offload"));
    }
}

}  // namespace traincost
