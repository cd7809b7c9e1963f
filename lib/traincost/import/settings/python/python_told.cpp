#include "traincost/import/settings/python/python_told.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/key_meaning.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_model.hpp"

namespace traincost {

void Agreed::add(const Setting* said) {
    if (said != nullptr) {
        differs = differs ||
                  (at != nullptr && (at->text != said->text || (said->is_map() && at->line != said->line)));
        at = at == nullptr ? said : at;
    }
}

bool is_beside_training(std::string_view name) {
    static constexpr std::array<std::string_view, 8> others = {"val",    "eval",     "test",    "infer",
                                                               "sample", "generate", "predict", "dev_"};
    return contains_any(lower(name), others);
}

void visit_training_calls(const std::vector<PythonScope>& scopes,
                          const std::function<void(const std::string&, const Setting&)>& seen) {
    for (const PythonScope& scope : scopes) {
        if (is_beside_training(scope.function)) {
            continue;
        }
        for (const auto& entry : scope.names) {
            visit_calls(entry.second, [&](const Setting& call) { seen(entry.first, call); });
        }
    }
}

bool is_count(const Setting& value) {
    return as_whole(value).value_or(0) > 0 && !value.quoted;
}

bool is_text(const Setting& value) {
    return value.is_scalar() && value.quoted && !value.text.empty();
}

namespace {

constexpr int deepest_group = 3;

/// Whether it is a group of settings within others: "train" of "config.train.rows".
bool is_settings_group(const SettingMember& m) {
    return m.value.is_map() && !m.key.starts_with("$") && !m.value.has("$arguments") &&
           !is_beside_training(m.key);
}

/// What the object of settings, and the groups in it, say of `name`.
void look_in_object(const Setting& object, std::string_view name, bool (*wanted)(const Setting&),
                    Agreed& agreed, int depth) {
    const Setting* at = object.peek(name);
    agreed.add(at != nullptr && wanted(*at) ? at : nullptr);
    for (const SettingMember& m : object.members) {
        if (depth < deepest_group && is_settings_group(m)) {
            look_in_object(m.value, name, wanted, agreed, depth + 1);
        }
    }
}

/// What the names of a scope, and the objects of settings among them, say of `name`.
void look_in(const PythonScope& scope, std::string_view name, bool (*wanted)(const Setting&),
             Agreed& agreed) {
    for (const auto& [key, value] : scope.names) {
        if (lower(key) == name && wanted(value)) {
            agreed.add(&value);
        } else if (value.is_map() && !value.has("$arguments") && !is_beside_training(key)) {
            look_in_object(value, name, wanted, agreed, 0);
        } else if (value.is_map() && !is_beside_training(key)) {
            for (const SettingMember& m : value.members) {  // the settings that an object is made with
                if (is_settings_group(m) && !m.value.has("$class")) {
                    look_in_object(m.value, name, wanted, agreed, 1);
                }
            }
        }
    }
}

}  // namespace

const Setting* told(const std::vector<PythonScope>& scopes, std::span<const std::string_view> names,
                    bool (*wanted)(const Setting&)) {
    for (const std::string_view name : names) {
        Agreed agreed;
        for (const PythonScope& scope : scopes) {
            const auto options = scope.names.find(std::string(options_of_parser));
            const Setting* at = options == scope.names.end() ? nullptr : options->second.peek(name);
            agreed.add(at != nullptr && wanted(*at) ? at : nullptr);
        }
        for (std::size_t i = 0; agreed.at == nullptr && i < scopes.size(); ++i) {
            if (scopes[i].is_told && !is_beside_training(scopes[i].function)) {
                look_in(scopes[i], name, wanted, agreed);
            }
        }
        if (agreed.at != nullptr) {
            return agreed.get();
        }
    }
    return nullptr;
}

namespace {

/// Adds what the members of `object`, and of the groups in it, that mean it are given.
void add_meant(const Setting& object, bool (*means)(std::string_view), bool (*wanted)(const Setting&),
               Agreed& agreed, int depth = 0) {
    for (const SettingMember& m : object.members) {
        agreed.add(means(m.key) && wanted(m.value) ? &m.value : nullptr);
        if (depth < deepest_group && is_settings_group(m)) {
            add_meant(m.value, means, wanted, agreed, depth + 1);
        }
    }
}

}  // namespace

const Setting* told_by(const std::vector<PythonScope>& scopes, bool (*means)(std::string_view),
                       bool (*wanted)(const Setting&)) {
    Agreed agreed;
    for (const PythonScope& scope : scopes) {
        if (const auto options = scope.names.find(std::string(options_of_parser));
            options != scope.names.end()) {
            add_meant(options->second, means, wanted, agreed);
        }
    }
    for (std::size_t i = 0; agreed.at == nullptr && i < scopes.size(); ++i) {
        if (!scopes[i].is_told || is_beside_training(scopes[i].function)) {
            continue;
        }
        for (const auto& [key, value] : scopes[i].names) {
            if (means(key) && wanted(value)) {
                agreed.add(&value);
            } else if (value.is_map() && !value.has("$arguments") && !is_beside_training(key)) {
                add_meant(value, means, wanted, agreed);
            }
        }
    }
    return agreed.get();
}

namespace {

/// The length that the program is told on its command line.
const Setting* told_length(const std::vector<PythonScope>& scopes) {
    static constexpr std::array<std::string_view, 8> lengths = {
        "max_seq_length", "max_seq_len", "max_sequence_length", "max_length",
        "cutoff_len",     "seq_length",  "block_size",          "max_len"};
    for (const PythonScope& scope : scopes) {
        const auto options = scope.names.find(std::string(options_of_parser));
        for (std::size_t i = 0; options != scope.names.end() && i < lengths.size(); ++i) {
            const Setting* at = options->second.member(lengths[i]);
            if (at != nullptr && as_whole(*at)) {
                return at;
            }
        }
    }
    return nullptr;
}

/// Whether the function makes the rows of a data set, which "dataset.map(...)" calls: often one within
/// another.
bool prepares_rows(std::string_view function) {
    const std::string in = lower(function);
    return function == "inner" || in.find("token") != in.npos || in.find("preprocess") != in.npos ||
           in.find("encode") != in.npos;
}

/// The length that the program's tokenizer cuts its rows to, where all its calls agree on one; of a model
/// with an encoder, the longer one of what goes in and what comes out. What a function of rows says goes
/// before what is cut elsewhere, as for an evaluation.
const Setting* cut_length(const std::vector<PythonScope>& scopes) {
    struct Cut {
        const Setting* length = nullptr;
        bool differs = false;
    };
    Cut of_rows, others;
    bool encodes = false;
    for (const PythonScope& scope : scopes) {
        Cut& found = prepares_rows(scope.function) ? of_rows : others;
        for (const auto& [name, value] : scope.names) {
            visit_calls(value, [&](const Setting& call) {
                encodes = encodes || class_path(call).find("Seq2Seq") != std::string_view::npos;
                const Setting* cut = call.peek("truncation");
                const Setting* at = is_beside_training(class_name(call)) || class_name(call) == "pipeline"
                                        ? nullptr
                                        : call.peek("max_length");
                if (at != nullptr && cut != nullptr && (cut->text == "True" || cut->text == "true")) {
                    const Setting* before = found.length;
                    found.differs = found.differs || (before != nullptr && before->text != at->text);
                    const bool shorter =
                        before != nullptr && as_number(*before).value_or(0.0) > as_number(*at).value_or(0.0);
                    found.length = shorter ? before : at;
                }
            });
        }
    }
    const Cut& chosen = of_rows.length != nullptr ? of_rows : others;
    return chosen.differs && !encodes ? nullptr : chosen.length;
}

/// The length of the rows that the program's own class of them is told.
const Setting* length_of_rows(const std::vector<PythonScope>& scopes) {
    static constexpr std::array<std::string_view, 8> lengths = {
        "max_length", "max_seq_length", "max_seq_len",     "seq_len",
        "block_size", "max_len",        "sequence_length", "seq_length"};
    Agreed agreed;
    visit_training_calls(scopes, [&](const std::string& name, const Setting& call) {
        const std::string made = lower(class_path(call));
        static constexpr std::array<std::string_view, 5> kinds = {"data", "preprocessor", "collator", "token",
                                                                  "corpus"};
        if (!contains_any(made, kinds) || is_beside_training(name)) {
            return;
        }
        for (const std::string_view key : lengths) {
            const Setting* at = call.peek(key);
            agreed.add(at != nullptr && is_count(*at) ? at : nullptr);
        }
    });
    return agreed.get();
}

}  // namespace

void put_length(Setting& root, const std::vector<PythonScope>& scopes) {
    static constexpr std::array<std::string_view, 10> names = {
        "max_seq_length",   "max_seq_len",    "seq_length", "seq_len",    "sequence_length",
        "model_max_length", "context_length", "cutoff_len", "block_size", "max_sequence_length"};
    put(root, "max_seq_length", cut_length(scopes));
    put(root, "max_seq_length", told_length(scopes));
    put(root, "max_seq_length", told(scopes, names, is_count));
    put(root, "max_seq_length", length_of_rows(scopes));
    put(root, "max_seq_length", told_by(scopes, means_length, is_count));
}

}  // namespace traincost
