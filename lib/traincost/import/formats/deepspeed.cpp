// DeepSpeed's JSON: a configuration by itself, or the part of a job whose rest stands in a script.

#include <algorithm>
#include <cctype>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_deepspeed(const Setting& root) {
    // A model description beside these keys belongs to GPT-NeoX.
    if (root.has("pipe_parallel_size") || root.has("model_parallel_size") || root.has("num_layers") ||
        root.has("pipe-parallel-size") || root.has("model-parallel-size") || root.has("num-layers")) {
        return 0;
    }
    return points(root, {"zero_optimization.stage", "train_micro_batch_size_per_gpu"}, 40) +
           points(root,
                  {"zero_optimization", "fp16.enabled", "bf16.enabled", "zero_allow_untested_optimizer"},
                  20) +
           points(root, {"train_batch_size", "gradient_clipping", "steps_per_print", "wall_clock_breakdown"},
                  10);
}

namespace {

bool is_auto(const Setting& setting) {
    return setting.is_scalar() && lower(setting.text) == "auto";
}

void read_count(Fact fact, const Setting& root, FactSheet& sheet, std::string_view path) {
    const Setting* at = first_of(root, {path});
    if (at == nullptr) {
        return;
    }
    if (is_auto(*at)) {
        at->read = true;  // the script that loads this file decides
    } else {
        sheet.whole(fact, root, {path});
    }
}

void read_offload(const Setting& root, FactSheet& sheet) {
    const Setting* zero = root.at("zero_optimization");
    if (zero == nullptr) {
        return;
    }
    // "none" is a word here that states something, not the absence of a value.
    const auto device = [&](std::string_view path) -> const Setting* {
        const Setting* at = zero->at(path);
        return at != nullptr && at->is_scalar() && at->text == "none" ? at : first_of(*zero, {path});
    };
    const Setting* optimizer = device("offload_optimizer.device");
    const Setting* parameters = device("offload_param.device");
    const Setting* old = first_of(*zero, {"cpu_offload"});
    const auto is_moved = [](const Setting* s) { return s != nullptr && s->text != "none"; };
    if (is_moved(optimizer) && is_moved(parameters)) {
        const std::string both =
            optimizer->text == parameters->text
                ? optimizer->text + " (optimizer, parameters)"
                : optimizer->text + " (optimizer), " + parameters->text + " (parameters)";
        sheet.state(Fact::offload, both, *optimizer);
    } else if (is_moved(optimizer)) {
        sheet.state(Fact::offload, optimizer->text + " (optimizer)", *optimizer);
    } else if (is_moved(parameters)) {
        sheet.state(Fact::offload, parameters->text + " (parameters)", *parameters);
    } else if (old != nullptr && as_truth(*old).value_or(false)) {
        sheet.state(Fact::offload, "cpu (optimizer)", *old);
    } else if (const Setting* none = optimizer != nullptr    ? optimizer
                                     : parameters != nullptr ? parameters
                                                             : old) {
        sheet.state(Fact::offload, "none", *none);
    }
}

}  // namespace

namespace {

/// Takes over what `block` states, of the facts that `wanted` picks.
template <class Wanted>
void take_statements(const Setting& block, FactSheet& sheet, Wanted wanted) {
    FactSheet inner;
    read_deepspeed(block, inner);
    for (const auto& [fact, found] : inner.reading.facts) {
        if (found.how == How::stated && wanted(fact)) {
            sheet.state(fact, found.value, found.where);
        }
    }
    sheet.reading.unread.insert(sheet.reading.unread.end(), inner.reading.unread.begin(),
                                inner.reading.unread.end());
}

}  // namespace

void read_deepspeed_block(const Setting& block, FactSheet& sheet) {
    take_statements(block, sheet, [&](Fact fact) {
        return fact == Fact::zero || fact == Fact::offload ||
               (fact == Fact::optimizer && !sheet.has(Fact::optimizer));
    });
}

void read_deepspeed_statements(const Setting& block, FactSheet& sheet) {
    take_statements(block, sheet, [&](Fact fact) { return !sheet.has(fact); });
}

namespace {

/// "DeepSpeedCPUAdam" of the class of that name that Python hands over instead of a word; nothing where the
/// name is a variable's.
std::string name_of_class(const std::string& text) {
    if (!text.starts_with('<') || text.size() < 3) {
        return text;
    }
    const std::string name = text.substr(1, text.size() - 2);
    const bool is_class =
        std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
        std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; }) &&
        std::all_of(name.begin(), name.end(), is_name_letter);
    return is_class ? name : std::string();
}

}  // namespace

void read_deepspeed(const Setting& root, FactSheet& sheet) {
    if (const Setting* stage = first_of(root, {"zero_optimization.stage"})) {
        if (is_auto(*stage)) {
            sheet.unknown(Fact::zero, *stage, "auto");
        } else if (const auto x = as_whole(*stage); x && *x >= 0 && *x <= 3) {
            sheet.state(Fact::zero, *x, *stage);
        } else {
            sheet.unknown(Fact::zero, *stage, "'" + stage->text + "' must be a stage from 0 to 3");
        }
    } else {
        sheet.assume(Fact::zero, std::int64_t{0}, "zero_optimization.stage");
    }
    read_count(Fact::micro_batch, root, sheet, "train_micro_batch_size_per_gpu");
    read_count(Fact::global_batch, root, sheet, "train_batch_size");
    read_count(Fact::accumulation, root, sheet, "gradient_accumulation_steps");
    for (const std::string_view key : {"tensor_parallel.autotp_size", "tensor_parallel.tp_size"}) {
        read_count(Fact::tp, root, sheet, key);
    }
    const Setting* brain = first_of(root, {"bf16.enabled", "bfloat16.enabled"});
    const Setting* half = first_of(root, {"fp16.enabled"});
    if (brain != nullptr && as_truth(*brain).value_or(false)) {
        sheet.state(Fact::precision, "bf16", *brain);
    } else if (half != nullptr && as_truth(*half).value_or(false)) {
        sheet.state(Fact::precision, "fp16", *half);
    } else if ((brain != nullptr && is_auto(*brain)) || (half != nullptr && is_auto(*half))) {
        // the script decides
    } else {
        sheet.assume(Fact::precision, "fp32", "bf16 and fp16 in DeepSpeed");
    }
    read_offload(root, sheet);
    if (const Setting* type = first_of(root, {"optimizer.type"})) {
        const std::string name = name_of_class(type->text);
        if (name.empty()) {
            sheet.unknown(Fact::optimizer, *type, "nobody knows it from here");
        } else {
            sheet.state(Fact::optimizer, name, *type);
        }
    }
    if (const Setting* disable = first_of(root, {"compile.disable"})) {
        if (const auto off = as_truth(*disable)) {
            sheet.state(Fact::compile, !*off, *disable);
        }
    }
    for (const std::string_view key : {"bf16.bf16_master_weights_and_grads", "bf16.bf16_optimizer_states"}) {
        if (is_on(root, key)) {
            sheet.remark(*root.at(key), "no 4-byte copies of weights");
        }
    }
}

}  // namespace traincost
