#include "traincost/import/formats/megatron/recomputed_parts.hpp"

#include "traincost/import/formats/format_facts.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

void read_recomputed_parts(const Setting& root, FactSheet& sheet, const RecomputeKeys& keys) {
    const Setting* method = first_of(root, keys.method);
    const Setting* layers = first_of(root, keys.layers);
    const Setting* modules = first_of(root, keys.modules);
    const auto kind = sheet.word(Fact::recompute);
    if (kind == "selective" && modules != nullptr && !says_nothing(*modules)) {
        std::string known;
        for (const std::string& name : listed_names(*modules)) {
            if (recompute_module(name) == nullptr) {
                sheet.remark(*modules, name + " is not recomputed here");
            } else {
                known += (known.empty() ? "" : ",") + name;
            }
        }
        if (!known.empty()) {
            sheet.state(Fact::recompute_modules, known, *modules);
        }
    }
    const std::int64_t count = layers == nullptr ? 0 : as_whole(*layers).value_or(0);
    if (kind == "full" && method != nullptr && method->text == "block" && count > 0) {
        sheet.state(Fact::recompute_layers, count * sheet.count(Fact::vp).value_or(1), *layers);
    }
}

void read_kept_aside(const Setting& model, const Setting& optimizer, FactSheet& sheet) {
    if (const Setting* states = first_of(optimizer, {"optimizer_cpu_offload", "cpu_optimizer"});
        states != nullptr && as_truth(*states)) {
        sheet.state(Fact::offload, *as_truth(*states) ? "cpu (optimizer)" : "none", *states);
    }
    for (const std::string_view key : {"cpu_offloading", "fine_grained_activation_offloading"}) {
        if (is_on(model, key)) {
            state_offloaded_activations(*model.at(key), "cpu", sheet);
            first_of(model, {"offload_modules"});
        }
    }
}

}  // namespace traincost
