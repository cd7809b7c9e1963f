#include "traincost/import/nested_arguments.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/transformers/trainer_names.hpp"
#include "traincost/import/settings/key_meaning.hpp"

namespace traincost {

namespace {

constexpr int deepest_table = 3;

bool holds(std::string_view text, std::string_view part) {
    return text.find(part) != text.npos;
}

/// A batch beside the steps that accumulate is what one of them takes.
bool accumulates(const Setting& table) {
    return table.has("batch_size") &&
           std::any_of(table.members.begin(), table.members.end(),
                       [](const SettingMember& m) { return means_accumulation(m.key) && as_whole(m.value); });
}

/// alpaca-lora's words, whose batch is a whole step's: "batch_size" beside "micro_batch_size" and
/// "cutoff_len".
bool cuts_its_batch(const Setting& table) {
    return table.has("batch_size") && table.has("micro_batch_size") && table.has("cutoff_len") &&
           !table.has("$program");
}

/// Tables that the trainer itself takes.
bool is_block(std::string_view key) {
    return key == "fsdp_config" || key == "deepspeed" || key.ends_with("_kwargs") || key.starts_with("$");
}

/// A table of what a model does that is not trained here.
bool is_beside_training_table(std::string_view key) {
    const std::string name = lower(key);
    return holds(name, "infer") || holds(name, "generat") || holds(name, "sampl");
}

/// Whether one of the tables of `root` says what `is_one` asks for.
bool says(const Setting& root, int depth, bool (*is_one)(const SettingMember&)) {
    return std::any_of(root.members.begin(), root.members.end(), [&](const SettingMember& m) {
        return is_one(m) || (depth < deepest_table && m.value.is_map() && !is_block(m.key) &&
                             says(m.value, depth + 1, is_one));
    });
}

/// Whether the settings of a program of one's own lie in tables of their own: the batch in "data", the steps
/// that accumulate and the rate in "optim".
bool trains_in_parts(const Setting& root) {
    return !root.has("$program") && !root.has("$class") && says(root, 0, [](const SettingMember& m) {
        return m.key == "batch_size" && m.value.is_scalar();
    }) && says(root, 0, [](const SettingMember& m) {
        return means_accumulation(m.key) && as_whole(m.value).has_value();
    }) && says(root, 0, [](const SettingMember& m) {
        return (m.key == "lr" || m.key == "learning_rate") && m.value.is_scalar();
    });
}

/// Whether a table says how deep and how wide a model is.
bool has_shape(const Setting& table) {
    const auto says_whole = [&](Paths names) {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
            const Setting* at = table.peek(name);
            return at != nullptr && as_whole(*at).value_or(0) > 0;
        });
    };
    return table.is_map() && says_whole(depth_names) && says_whole(width_names);
}

/// Whether it is a rate of learning, or says how long the training goes on.
bool is_of_training(const SettingMember& m) {
    static constexpr std::array<std::string_view, 14> names = {
        "lr",        "learning_rate", "max_lr", "base_lr",    "peak_lr",    "train_steps", "total_steps",
        "max_steps", "num_steps",     "epochs", "num_epochs", "max_epochs", "n_epochs",    "max_iters"};
    return m.value.is_scalar() && std::find(names.begin(), names.end(), m.key) != names.end();
}

/// Whether a table says of a micro-step "B", the rows, and "T", the tokens of each.
bool holds_rows_and_tokens(const Setting& table) {
    const Setting* rows = table.peek("B");
    const Setting* tokens = table.peek("T");
    return rows != nullptr && tokens != nullptr && as_whole(*rows).value_or(0) > 0 &&
           as_whole(*tokens).value_or(0) > 0;
}

/// "Qwen/Qwen3-8B".
bool is_of_hub(const Setting* at) {
    return at != nullptr && at->is_scalar() && std::count(at->text.begin(), at->text.end(), '/') == 1 &&
           at->text.front() != '/' && at->text.front() != '.' && at->text.back() != '/' &&
           at->text.find_first_of(" $<{") == std::string::npos;
}

/// Whether a table of a model names one of the hub's.
bool names_model(const SettingMember& m) {
    return m.value.is_map() && holds(lower(m.key), "model") &&
           std::any_of(m.value.members.begin(), m.value.members.end(),
                       [](const SettingMember& inner) { return is_of_hub(&inner.value); });
}

/// A table of adapters: their rank, and how much they count for.
bool is_of_adapters(const SettingMember& m) {
    return m.value.is_map() && m.value.has_any({"r", "rank"}) && m.value.has_any({"alpha", "lora_alpha"});
}

/// Whether a file that nobody starts trains a language model, in the words of its own program: rows, and two
/// of a rate, a shape and a length; or the rows of one device beside those of all; or adapters of a named
/// model, and a rate.
bool trains_in_words(const Setting& root) {
    if (root.has("$program") || root.has("schema")) {  // the latter a job of this program's own
        return false;
    }
    const bool short_names = holds_rows_and_tokens(root) || says(root, 0, [](const SettingMember& m) {
                                 return m.value.is_map() && holds_rows_and_tokens(m.value);
                             });
    const bool device = says(root, 0, [](const SettingMember& m) {
        return means_device_batch(m.key) && as_whole(m.value).has_value();
    });
    const bool rows = device || short_names || says(root, 0, [](const SettingMember& m) {
                          return m.key == "batch_size" && as_whole(m.value).has_value();
                      });
    const bool shape =
        has_shape(root) || says(root, 0, [](const SettingMember& m) { return has_shape(m.value); });
    const bool length = short_names || says(root, 0, [](const SettingMember& m) {
                            return means_length(m.key) && as_whole(m.value).has_value();
                        });
    const bool rate = says(root, 0, is_of_training);
    const bool all = says(root, 0, [](const SettingMember& m) {
        return (means_whole_batch(m.key) || means_accumulation(m.key)) && as_whole(m.value).has_value();
    });
    const bool adapters = says(root, 0, is_of_adapters) && says(root, 0, names_model);
    return (rows && int{shape} + int{length} + int{rate} >= 2) || (device && all) ||
           (rows && adapters && rate);
}

/// Whether the file's top is a trainer's arguments, in the words of its own program.
bool trains_by_itself(const Setting& root) {
    const bool trains = accumulates(root) && root.has_any({"learning_rate", "lr"}) && !root.has("$program");
    return trains || cuts_its_batch(root);
}

/// Whether the arguments of a trainer stand in a table below `setting`.
bool has_arguments(const Setting& setting, int depth) {
    return (depth > 0 && (accumulates(setting) || cuts_its_batch(setting))) ||
           std::any_of(setting.members.begin(), setting.members.end(), [&](const SettingMember& m) {
               return (depth > 0 && lower(m.key) == "per_device_train_batch_size" && m.value.is_scalar()) ||
                      (depth < deepest_table && m.value.is_map() && has_arguments(m.value, depth + 1));
           });
}

/// In whose words a file's settings stand.
struct FileWords {
    bool in_parts = false;  ///< a batch lies apart from the steps that accumulate it
    bool of_own = false;    ///< of a program that nobody gave
};

bool names_kernel(const Setting* at) {
    const std::string name = at == nullptr || !at->is_scalar() ? "" : lower(at->text);
    return name == "sdpa" || name == "eager" || name.starts_with("flash");
}

/// The name on a command line of what a table calls by less: the rank of an adapter, the name of a model.
std::string name_of(std::string_view table, const Setting& said, std::string_view key, FileWords words) {
    const std::string in = lower(table);
    const std::string name = lower(key);
    const bool adapts =
        holds(in, "lora") || holds(in, "peft") || holds(in, "adapter") || said.has("lora_alpha");
    if (adapts && (name == "r" || name == "rank")) {
        return "lora_r";
    }
    if (adapts && name == "dropout") {
        return "lora_dropout";
    }
    static constexpr std::array<std::string_view, 13> of_model = {
        "name",       "path",    "id",    "name_or_path", "base_model", "pretrained_model_name_or_path",
        "model_name", "base_id", "hf_id", "repo_id",      "model_id",   "model_path",
        "hf_model"};
    const bool model = holds(in, "model") && !holds(in, "reward") && !has_shape(said);
    if (model && (std::find(of_model.begin(), of_model.end(), name) != of_model.end() ||
                  (name == "base" && is_of_hub(said.peek(key))))) {
        return "model_name_or_path";
    }
    const bool kernel = means_attention(name) || (words.of_own && name == "attention");
    if (model && kernel && names_kernel(said.peek(key))) {
        return "attn_implementation";
    }
    if (cuts_its_batch(said) && holds(name, "batch_size")) {
        return name == "batch_size" ? "global_batch_size" : "per_device_train_batch_size";
    }
    if (words.of_own && holds_rows_and_tokens(said) && (key == "B" || key == "T")) {
        return key == "B" ? "per_device_train_batch_size" : "max_seq_length";
    }
    const bool of_training = !holds(in, "eval") && !holds(in, "val") && !holds(in, "test");
    if (name == "batch_size" && (accumulates(said) || (words.in_parts && of_training))) {
        return "per_device_train_batch_size";
    }
    if (means_accumulation(name)) {
        return "gradient_accumulation_steps";
    }
    const bool is_own = words.of_own && of_training;
    if (is_own && means_device_batch(name)) {
        return "per_device_train_batch_size";
    }
    if (is_own && means_whole_batch(name)) {
        return "global_batch_size";
    }
    if (is_own && means_length(name)) {
        return "max_seq_length";
    }
    if (is_own && (name == "compile" || name == "use_compile" || name == "compile_model")) {
        return "torch_compile";
    }
    const bool base = name == "base_model" || name == "backbone_name_or_path";
    return base ? "model_name_or_path" : name;
}

class Hoisting {
public:
    explicit Hoisting(const Setting& root)
        : words_{.in_parts = trains_in_parts(root), .of_own = trains_in_words(root)} {
        all_.kind = Setting::Kind::map;
        all_.file = root.file;
        all_.line = root.line;
        add(root, "", 0);
        if (words_.of_own || words_.in_parts) {
            add_shape(root, 0);
            if (!all_.has("$adapted")) {  // no trainer's defaults hold
                place_at(all_, "$adapted") = scalar_setting("words", root);
            }
        }
    }
    Setting take() {
        return std::move(all_);
    }

private:
    void add(const Setting& table, const std::string& name, int depth) {
        for (const SettingMember& m : table.members) {
            const bool of_reader = m.key.starts_with("$") && depth > 0;  // a class, a word in a group's place
            if (!of_reader && !is_table(m, depth) && !is_tracker(m) && !names_shape(table, m) &&
                !names_optimizer(name, m)) {
                put(name_of(name, table, m.key, words_), m.value);
            }
        }
        for (const SettingMember& m : table.members) {
            const bool beside = words_.of_own && is_beside_training_table(m.key);
            if (is_table(m, depth) && !is_tracker(m) && !beside) {
                put_optimizer(m);
                add(m.value, m.key, depth + 1);
            }
        }
    }
    static bool is_optimizer(std::string_view name) {
        static constexpr std::array<std::string_view, 7> known = {"adam",      "sgd",    "lion", "muon",
                                                                  "adafactor", "sophia", "soap"};
        const std::string small = lower(name);
        return !small.ends_with("config") &&
               std::any_of(known.begin(), known.end(),
                           [&](std::string_view each) { return holds(small, each); });
    }
    /// "optimizer: {name: adamw}".
    static bool names_optimizer(std::string_view table, const SettingMember& m) {
        const bool names = m.key == "name" || m.key == "type" || m.key == "_target_";
        return names && holds(lower(table), "optim") && m.value.is_scalar() && is_optimizer(m.value.text);
    }
    /// "optim=AdamW(lr=...)": the class that is made is the optimizer; so is what a table names.
    void put_optimizer(const SettingMember& table) {
        if (!holds(lower(table.key), "optim")) {
            return;
        }
        const Setting* made = table.value.peek("$class");
        for (const SettingMember& m : table.value.members) {
            made = names_optimizer(table.key, m) ? &m.value : made;
        }
        if (made == nullptr) {
            return;
        }
        std::string name = made->text.substr(made->text.rfind('.') + 1);
        if (is_optimizer(name)) {
            put("optimizer", scalar_setting(std::move(name), *made, true));
        }
    }
    /// What a program calls the shape beside it, which is no model that others know.
    bool names_shape(const Setting& table, const SettingMember& m) const {
        return words_.of_own && (m.key == "model_name" || m.key == "name") && has_shape(table) &&
               m.value.is_scalar() && !holds(m.value.text, "/");
    }
    /// The model that the one table of a shape makes.
    void add_shape(const Setting& table, int depth) {
        if (has_shape(table)) {
            Setting shape = table;
            std::erase_if(shape.members, [](const SettingMember& m) { return !m.value.is_scalar(); });
            shaped_ = shaped_ + 1;
            if (shaped_ == 1) {
                place_at(all_, "$config") = std::move(shape);
            } else {
                std::erase_if(all_.members, [](const SettingMember& m) { return m.key == "$config"; });
            }
        }
        for (const SettingMember& m : table.members) {
            if (depth < deepest_table && m.value.is_map() && !m.key.starts_with("$")) {
                add_shape(m.value, depth + 1);
            }
        }
    }
    static bool is_table(const SettingMember& m, int depth) {
        return m.value.is_map() && depth < deepest_table && !is_block(m.key);
    }
    /// What an experiment is called where it is kept, and no setting of it.
    static bool is_tracker(const SettingMember& m) {
        static constexpr std::array<std::string_view, 8> trackers = {
            "tags", "wandb", "mlflow", "metadata", "comet", "clearml", "neptune", "hub"};
        return m.value.is_map() && std::find(trackers.begin(), trackers.end(), m.key) != trackers.end();
    }
    void put(const std::string& key, const Setting& value) {
        if (key.empty() || key.front() == '_') {
            return;
        }
        Setting* before = all_.member(key);
        if (before == nullptr) {
            all_.members.push_back({.key = key, .value = value});
        } else if (before->is_scalar() && value.is_scalar() && before->text != value.text) {
            before->text = "<" + before->text + " or " + value.text + ">";
        }
    }

    Setting all_{};
    int shaped_ = 0;
    FileWords words_;
};

}  // namespace

std::optional<Setting> nested_arguments(const Setting& root) {
    return has_arguments(root, 0) || trains_by_itself(root) || trains_in_parts(root) || trains_in_words(root)
               ? std::optional(Hoisting(root).take())
               : std::nullopt;
}

std::optional<Setting> told_arguments(const Setting& root) {
    const bool nested = std::any_of(root.members.begin(), root.members.end(), [](const SettingMember& m) {
        return m.value.is_map() && !m.key.starts_with("$");
    });
    return nested && root.has("$program") ? std::optional(Hoisting(root).take()) : std::nullopt;
}

}  // namespace traincost
