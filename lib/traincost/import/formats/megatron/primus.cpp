// Primus and FlagScale: Megatron's, torchtitan's or MaxText's keys inside a frame of their own.

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

/// The module that trains, by its name, or in a list of modules that know their names.
const Setting* module_trainer_of(const Setting& root) {
    for (const std::string_view path : {"modules.pre_trainer", "modules.post_trainer"}) {
        if (const Setting* at = root.peek(path); at != nullptr && at->is_map()) {
            return at;
        }
    }
    const Setting* modules = root.peek("modules");
    for (std::size_t i = 0; modules != nullptr && i < modules->items.size(); ++i) {
        const Setting& each = modules->items[i];
        const Setting* name = each.peek("name");
        if (name != nullptr && name->text.ends_with("_trainer") && each.has("framework")) {
            return &each;
        }
    }
    return nullptr;
}

}  // namespace

int recognise_primus(const Setting& root) {
    return module_trainer_of(root) != nullptr ? 90 : 0;
}

int recognise_flagscale(const Setting& root) {
    return points(root, {"experiment.runner", "experiment.task", "experiment.exp_name"}, 25) +
           points(root, {"system.tensor_model_parallel_size", "system.precision", "system.checkpoint"}, 20) +
           (root.has("system") && root.has("model") && root.has("data") ? 20 : 0) +
           points(root,
                  {"model.num_layers", "model.global_batch_size", "model.micro_batch_size", "data.data_path"},
                  5);
}

void read_primus(const Setting& root, FactSheet& sheet) {
    const Setting* trainer = module_trainer_of(root);
    const Setting* framework = first_of(*trainer, {"framework"});
    const Setting* overrides = first_of(*trainer, {"overrides", "params"});
    trainer->at("config");
    trainer->at("name");
    if (const Setting* model = trainer->at("model"); model != nullptr && model->is_map()) {
        const Setting* name = first_of(*model, {"name"});
        const Setting* size = first_of(*model, {"flavor"});
        if (name != nullptr && size != nullptr) {
            sheet.state(Fact::model, name->text + " " + size->text, *size);
        }
    } else if (const Setting* name = first_of(*trainer, {"model"})) {
        const std::string& text = name->text;
        if (as_word(*name)) {
            sheet.state(Fact::model, text.ends_with(".yaml") ? text.substr(0, text.size() - 5) : text, *name);
        }
    }
    if (overrides == nullptr || !overrides->is_map()) {
        return;
    }
    const std::string kind = framework == nullptr ? "megatron" : lower(framework->text);
    const auto read = kind == "torchtitan" ? read_torchtitan
                      : kind == "maxtext"  ? read_maxtext
                                           : read_megatron;
    // What is not overridden stands in the preset that is named, and its defaults are not the framework's.
    FactSheet inner;
    read(*overrides, inner);
    if (is_on(*overrides, "primus_turbo.enable_primus_turbo") &&
        is_on(*overrides, "primus_turbo.use_turbo_float8_linear")) {
        inner.forget(Fact::precision);
        inner.state(Fact::precision, "fp8", *overrides->at("primus_turbo.use_turbo_float8_linear"));
    }
    const Setting* adapts = first_of(*overrides, {"use_lora", "lora.enabled"});
    if (adapts != nullptr && as_truth(*adapts).value_or(false)) {
        inner.whole(Fact::lora_rank, *overrides, {"lora_rank", "lora.dim"});
    }
    for (const auto& [fact, value] : inner.reading.facts) {
        if (value.how != How::by_default && fact != Fact::model) {
            sheet.state(fact, value.value, value.where, value.how);
        }
    }
    sheet.add_unreadable(inner);
    sheet.reading.unread.insert(sheet.reading.unread.end(), inner.reading.unread.begin(),
                                inner.reading.unread.end());
}

namespace {

/// The leaves of the blocks as one level: FlagScale's blocks only group Megatron's flags.
void flatten(const Setting& block, Setting& flat) {
    for (const SettingMember& m : block.members) {
        if (m.value.is_map()) {
            flatten(m.value, flat);
        } else {
            flat.members.push_back(m);
            flat.members.back().value.read = false;
        }
        mark_read(m.value);
    }
}

}  // namespace

void read_flagscale(const Setting& root, FactSheet& sheet) {
    Setting flat;
    flat.kind = Setting::Kind::map;
    for (const std::string_view block : {"system", "model", "data"}) {
        if (const Setting* at = root.at(block)) {
            flatten(*at, flat);
        }
    }
    if (flat.members.empty() && root.has("tensor_model_parallel_size")) {
        flatten(root, flat);
    }
    if (!flat.members.empty()) {
        read_megatron(flat, sheet);
        list_unread(flat, sheet.reading.unread);
    }
    sheet.whole(Fact::nodes, root, {"experiment.runner.nnodes"});
    sheet.whole(Fact::gpus_per_node, root, {"experiment.runner.nproc_per_node"});
    root.at("experiment.runner.backend");
}

}  // namespace traincost
