#include "traincost/import/settings/python/python_torch.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/python/python_told.hpp"

namespace traincost {

namespace {

/// Whether what is called is an optimizer of weights.
bool is_optimizer(const Setting& call) {
    static constexpr std::array<std::string_view, 26> known = {"Adam",
                                                               "AdamW",
                                                               "SGD",
                                                               "Adafactor",
                                                               "Lion",
                                                               "FusedAdam",
                                                               "HybridAdam",
                                                               "CPUAdam",
                                                               "AdamW8bit",
                                                               "Adam8bit",
                                                               "PagedAdamW",
                                                               "PagedAdamW8bit",
                                                               "PagedAdamW32bit",
                                                               "DeepSpeedCPUAdam",
                                                               "Muon",
                                                               "Prodigy",
                                                               "SOAP",
                                                               "Shampoo",
                                                               "FusedLAMB",
                                                               "AdamWScheduleFree",
                                                               "StableAdamW",
                                                               "GaLoreAdamW",
                                                               "PagedAdam8bit",
                                                               "RMSprop",
                                                               "Sophia",
                                                               "SophiaG"};
    const std::string_view path = class_path(call);
    const std::string_view name = class_name(call);
    return std::find(known.begin(), known.end(), name) != known.end() ||
           (path.starts_with("optax.") &&
            (name == "adamw" || name == "adam" || name == "lion" || name == "adafactor" || name == "sgd"));
}

void put_optimizer(Setting& root, const std::vector<PythonScope>& scopes) {
    std::set<std::string> names;
    Setting found;
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        if (is_optimizer(call)) {
            names.insert(std::string(class_name(call)));
            found = scalar_setting(std::string(class_name(call)), call, true);
        }
        const Setting* own = call.peek("$optimizer");  // of the model's class
        if (own != nullptr) {
            names.insert(own->text);
            found = *own;
            found.quoted = true;
        }
    });
    if (names.size() == 1) {
        put(root, "optimizer", &found);
    }
}

/// Whether a call of PyTorch's autocast names no format on a GPU, where it is fp16 then.
bool casts_to_default(const Setting& call) {
    const Setting* device = call.peek("device_type");
    const Setting* given = call.peek("$arguments");
    if (device == nullptr && given != nullptr && !given->items.empty()) {
        device = &given->items.front();
    }
    const bool accelerates = class_path(call).find("ccelerator") != std::string_view::npos;
    return !accelerates && !call.has("$unpacked") && !call.has("dtype") &&
           (device == nullptr || !device->quoted || device->text.starts_with("cuda"));
}

/// The format that a call of autocast, or a policy of mixed precision, computes in.
void put_precision(Setting& root, const std::vector<PythonScope>& scopes) {
    Agreed cast, policy, stored;
    Setting half;
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        stored.add(call.peek("$cast"));
        const std::string_view name = class_name(call);
        const Setting* given = call.peek("$arguments");
        if (name == "autocast") {
            const Setting* enabled = call.peek("enabled");
            const Setting* dtype = call.peek("dtype");
            if (dtype == nullptr && given != nullptr && given->items.size() == 2) {
                dtype = &given->items[1];
            }
            // Whether the machine has what it needs, nobody knows from here.
            const bool is_on = enabled == nullptr ||
                               as_truth(*enabled).value_or(enabled->text.find("cuda") != std::string::npos);
            if (is_on && dtype == nullptr && casts_to_default(call)) {
                half = scalar_setting("torch.float16", call);
                half.is_default = true;
                dtype = &half;
            }
            cast.add(is_on ? dtype : nullptr);
        } else if (name == "fp8_autocast") {
            const Setting* enabled = call.peek("enabled");
            if (enabled == nullptr || as_truth(*enabled).value_or(true)) {
                const Setting fp8 = scalar_setting("fp8", call, true);
                put(root, "mixed_precision", &fp8);
            }
        } else if (name == "set_default_dtype" && given != nullptr && !given->items.empty()) {
            stored.add(&given->items.front());
        } else if (name == "MixedPrecision" || name == "MixedPrecisionPolicy") {
            policy.add(call.peek("param_dtype"));
        } else if (name.ends_with("Plugin") || name == "Booster") {  // of Colossal-AI, and of Accelerate
            policy.add(call.peek("precision"));
        }
    });
    const auto known = [](const Agreed& said) {
        const Setting* at = said.get();
        return at != nullptr && at->is_scalar() && (at->quoted || at->text.starts_with("torch.")) ? at
                                                                                                  : nullptr;
    };
    put(root, "param_dtype", known(cast));
    put(root, "param_dtype", known(policy));
    if (const Setting* at = stored.get(); at != nullptr) {
        const Setting named = scalar_setting(at->text, *at, true);
        put(root, "torch_dtype", &named);
    }
}

/// "fsdp" of the classes that shard or copy a whole model.
std::string_view kind_of_wrapper(std::string_view name) {
    return name == "FSDP" || name == "FullyShardedDataParallel" || name == "FullyShardedDataParallelPlugin"
               ? "fsdp"
           : name == "DistributedDataParallel" || name == "DDP" || name == "TorchDDPPlugin" ? "ddp"
                                                                                            : "";
}

/// Whether the program may wrap its model in another way than in `kinds`, as nobody knows its choice.
bool may_wrap_otherwise(const std::vector<PythonScope>& scopes, const std::set<std::string>& kinds) {
    return std::any_of(scopes.begin(), scopes.end(), [&](const PythonScope& scope) {
        return std::any_of(scope.names.begin(), scope.names.end(), [&](const auto& entry) {
            const std::string& name = entry.first;
            const std::string_view kind =
                name.starts_with(perhaps_made)
                    ? kind_of_wrapper(std::string_view(name).substr(perhaps_made.size()))
                    : std::string_view();
            return !kind.empty() && !kinds.contains(std::string(kind));
        });
    });
}

/// A sharding that the whole program uses, as FSDP's block of settings says it.
void put_sharding(Setting& root, const std::vector<PythonScope>& scopes) {
    std::set<std::string> kinds;
    Setting block, deepspeed;
    const auto word = [&](const Setting& call, std::string_view key, std::string text) {
        place_at(block, key) = scalar_setting(std::move(text), call, true);
    };
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        const std::string_view name = class_name(call);
        const std::string_view path = class_path(call);
        if (kind_of_wrapper(name) == "fsdp") {
            const Setting* strategy = call.peek("sharding_strategy");
            const Setting* reshard = call.peek("reshard_after_forward");
            kinds.insert("fsdp");
            if (strategy == nullptr && reshard != nullptr) {
                place_at(block, "reshard_after_forward") = *reshard;
            } else {
                word(call, "sharding_strategy",
                     strategy == nullptr ? "FULL_SHARD"
                                         : strategy->text.substr(strategy->text.rfind('.') + 1));
            }
            const Setting* offload = call.peek("cpu_offload.offload_params");
            if (offload != nullptr) {
                place_at(block, "offload_params") = *offload;
            }
        } else if (name == "fully_shard") {
            kinds.insert("fsdp");
            const Setting* reshard = call.peek("reshard_after_forward");
            const bool whole = reshard == nullptr || as_number(*reshard).value_or(0.0) > 1.0;
            if (whole || as_truth(*reshard)) {
                word(call, "reshard_after_forward", whole ? "true" : reshard->text);
            }
            if (call.has("offload_policy.$class") &&
                call.peek("offload_policy.$class")->text == "CPUOffloadPolicy") {
                word(call, "offload_params", "true");
            }
        } else if (kind_of_wrapper(name) == "ddp") {
            kinds.insert("ddp");
            word(call, "sharding_strategy", "NO_SHARD");
        } else if (name == "GeminiPlugin") {
            kinds.insert("gemini");
            word(call, "sharding_strategy", "FULL_SHARD");
        } else if (path == "deepspeed.initialize") {
            kinds.insert("deepspeed");
            for (const std::string_view key : {"config", "config_params"}) {
                deepspeed = call.has(key) ? Setting(*call.peek(key)) : deepspeed;
            }
        }
    });
    if (kinds.size() != 1 || may_wrap_otherwise(scopes, kinds)) {
        return;
    }
    if (*kinds.begin() == "deepspeed") {
        const bool plain = !deepspeed.has("$class") ||  // or what a function of the program returns
                           deepspeed.has_any({"zero_optimization", "train_micro_batch_size_per_gpu",
                                              "train_batch_size", "bf16.enabled", "fp16.enabled"});
        if (deepspeed.is_map() && plain) {
            std::erase_if(deepspeed.members, [](const SettingMember& m) { return m.key == "$class"; });
            put(root, "$engine", &deepspeed);
        }
        return;
    }
    block.file = root.file;
    put(root, "fsdp_config", &block);
}

/// init_device_mesh("cuda", (4, 2), mesh_dim_names=("dp", "tp"))
void put_mesh(Setting& root, const Setting& call) {
    const Setting* names = call.peek("mesh_dim_names");
    const Setting* sizes = call.peek("mesh_shape");
    const Setting* given = call.peek("$arguments");
    if (sizes == nullptr && given != nullptr && given->items.size() >= 2) {
        sizes = &given->items[1];
    }
    if (names == nullptr || sizes == nullptr || names->items.size() != sizes->items.size()) {
        return;
    }
    for (std::size_t i = 0; i < names->items.size(); ++i) {
        const std::string name = lower(names->items[i].text);
        if ((name == "tp" || name == "pp" || name == "cp" || name == "sp") && is_count(sizes->items[i])) {
            put(root, name + "_size", &sizes->items[i]);
        }
    }
}

/// The degrees that Colossal-AI's plug-ins and Megatron-Core are told.
void put_degrees(Setting& root, const std::vector<PythonScope>& scopes) {
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        const std::string_view name = class_name(call);
        if (name.ends_with("HybridParallelPlugin")) {
            put(root, "tp_size", call.peek("tp_size"));
            put(root, "pp_size", call.peek("pp_size"));
            put(root, "sp_size", call.peek("sp_size"));
            put(root, "zero_stage", call.peek("zero_stage"));
            put(root, "micro_batch_size", call.peek("microbatch_size"));
        } else if (name == "LowLevelZeroPlugin") {
            put(root, "zero_stage", call.peek("stage"));
        } else if (name == "DeepSpeedPlugin") {
            put(root, "zero_stage", call.peek("zero_stage"));
            put(root, "gradient_accumulation_steps", call.peek("gradient_accumulation_steps"));
        } else if (name == "initialize_model_parallel") {
            put(root, "tp_size", call.peek("tensor_model_parallel_size"));
            put(root, "pp_size", call.peek("pipeline_model_parallel_size"));
            put(root, "cp_size", call.peek("context_parallel_size"));
        } else if (name == "init_device_mesh") {
            put_mesh(root, call);
        } else if (class_path(call) == "torch.compile") {
            const Setting on = scalar_setting("true", call);
            put(root, "torch_compile", &on);
        }
    });
}

/// A model that is made anew: the dimensions of its configuration, or those it is made with.
void put_made_model(Setting& root, const std::vector<PythonScope>& scopes) {
    constexpr std::array<std::string_view, 8> depths = {"num_hidden_layers", "n_layer",  "n_layers",
                                                        "num_layers",        "depth",    "nlayers",
                                                        "num_blocks",        "layer_num"};
    constexpr std::array<std::string_view, 10> widths = {
        "hidden_size", "n_embd",    "n_embed",   "d_model",       "dim",
        "hidden_dim",  "embed_dim", "model_dim", "embedding_dim", "emb_dim"};
    const auto count_in = [](const Setting& call, const auto& names) {
        const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view name) {
            const Setting* at = call.peek(name);
            return at != nullptr && is_count(*at);
        });
        return found == names.end() ? nullptr : call.peek(*found);
    };
    std::set<std::string> shapes;
    Setting found;
    const auto look = [&](const Setting& made) {
        const Setting* depth = count_in(made, depths);
        const Setting* width = made.has("$unpacked") ? nullptr : count_in(made, widths);
        if (depth != nullptr && width != nullptr && shapes.insert(depth->text + "x" + width->text).second) {
            found = made;
        }
    };
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        look(call);
        const Setting* given = call.peek("$arguments");
        if (given != nullptr && !given->items.empty() && given->items.front().is_map() &&
            !given->items.front().has("$class")) {
            look(given->items.front());  // "GPT(json.load(file))"
        }
    });
    if (shapes.size() == 1) {
        std::erase_if(found.members, [](const SettingMember& m) {
            return m.key == "$optimizer" || (m.key != "$class" && !m.value.is_scalar());
        });
        put(root, "$config", &found);
    }
}

/// The map that both of a model's dimensions stand in, which says the others too.
const Setting* shape_in(const std::vector<PythonScope>& scopes, const Setting& depth, const Setting& width) {
    const auto holds = [](const Setting& map, const Setting& part) {
        return std::any_of(map.members.begin(), map.members.end(),
                           [&](const SettingMember& m) { return &m.value == &part; });
    };
    for (const PythonScope& scope : scopes) {
        for (const auto& entry : scope.names) {
            const Setting& map = entry.second;
            if (map.is_map() && holds(map, depth) && holds(map, width)) {
                return &map;
            }
        }
    }
    return nullptr;
}

/// A model whose dimensions are names of the program: "n_layer = 8".
void put_named_model(Setting& root, const std::vector<PythonScope>& scopes) {
    static constexpr std::array<std::string_view, 3> depths = {"n_layer", "n_layers", "num_layers"};
    static constexpr std::array<std::string_view, 4> widths = {"n_embd", "n_embed", "d_model", "hidden_size"};
    static constexpr std::array<std::string_view, 3> heads = {"n_head", "n_heads", "num_heads"};
    const Setting* depth = told(scopes, depths, is_count);
    const Setting* width = told(scopes, widths, is_count);
    const Setting* parts = told(scopes, heads, is_count);
    if (root.has_any({"$config", "model_name_or_path"}) || depth == nullptr || width == nullptr) {
        return;
    }
    if (const Setting* shape = shape_in(scopes, *depth, *width)) {
        put(root, "$config", shape);
        return;
    }
    place_at(root, "$config.n_layer") = *depth;
    place_at(root, "$config.n_embd") = *width;
    if (parts != nullptr) {
        place_at(root, "$config.n_head") = *parts;
    }
}

/// Processes that the program starts itself: "mp.spawn(train, nprocs=4)".
void put_spawned(Setting& root, const std::vector<PythonScope>& scopes) {
    visit_training_calls(scopes, [&](const std::string&, const Setting& call) {
        const Setting* count = call.peek("nprocs");
        if (class_name(call) == "spawn" && count != nullptr && is_count(*count)) {
            put(root, "gpus_per_node", count);
            const Setting one = scalar_setting("1", *count);
            put(root, "num_nodes", &one);
        }
    });
}

}  // namespace

void put_torch(Setting& root, const std::vector<PythonScope>& scopes) {
    put_made_model(root, scopes);
    put_optimizer(root, scopes);
    put_precision(root, scopes);
    put_sharding(root, scopes);
    put_degrees(root, scopes);
    put_named_model(root, scopes);
    put_spawned(root, scopes);
}

}  // namespace traincost
