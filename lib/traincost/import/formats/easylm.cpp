// EasyLM and what was made of it (LWM, LAPA, TTT): commands with a mesh of JAX and batches of the whole mesh.

#include <algorithm>
#include <vector>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

namespace {

/// "load_llama_config": the preset of a model.
const SettingMember* preset_of(const Setting& root) {
    for (const SettingMember& m : root.members) {
        const std::string_view key = m.key;
        if (key.starts_with("load_") && key.ends_with("_config") && key.size() > 12 && as_word(m.value)) {
            return &m;
        }
    }
    return nullptr;
}

/// The data set of the training that says `key`, "json_dataset"; of several nobody knows which is read.
const Setting* set_with(const Setting& root, std::string_view key) {
    const Setting* sets = root.at("train_dataset");
    const Setting* found = nullptr;
    for (std::size_t i = 0; sets != nullptr && i < sets->members.size(); ++i) {
        const Setting& set = sets->members[i].value;
        if (set.is_map() && set.has(key)) {
            if (found != nullptr) {
                return nullptr;
            }
            found = &set;
        }
    }
    return found;
}

}  // namespace

int recognise_easylm(const Setting& root) {
    const Setting* program = root.peek("$program");
    const Setting* mesh = root.peek("mesh_dim");
    if (program == nullptr || mesh == nullptr || !mesh->is_scalar() ||
        lower(program->text).find("train") == std::string::npos) {
        return 0;
    }
    return 20 + named(root, {"EasyLM"}, 40) + (preset_of(root) != nullptr ? 20 : 0) +
           points(root, {"optimizer.accumulate_gradient_steps", "train_dataset", "load_checkpoint"}, 20);
}

namespace {

/// Replicas, shards and parts of a tensor, and in a mesh of four parts of a sequence: "1,-1,4",
/// "!-1,4,1,1", "dp:1,fsdp:-1,mp:4". What is -1 takes the devices that are left.
void read_mesh(const Setting& root, FactSheet& sheet) {
    const Setting& at = *root.at("mesh_dim");
    std::vector<std::int64_t> sizes;
    for (std::string_view rest = at.text; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        std::string_view axis = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        axis.remove_prefix(std::min(axis.find_first_of("-0123456789"), axis.size()));
        sizes.push_back(as_whole(scalar_setting(std::string(axis), at)).value_or(0));
    }
    if ((sizes.size() != 3 && sizes.size() != 4) || std::count(sizes.begin(), sizes.end(), 0) > 0) {
        return;
    }
    sheet.state(Fact::zero, std::int64_t{sizes[1] == 1 ? 0 : 3}, at);
    sheet.assume(Fact::pp, std::int64_t{1}, "EasyLM's mesh, which has no stages");
    if (sizes[0] > 0 && sizes[1] > 0) {
        sheet.state(Fact::dp, times(sizes[0], sizes[1]), at);
    }
    if (sizes[2] > 0) {
        sheet.state(Fact::tp, sizes[2], at);
    }
    if (sizes.size() == 4 && sizes[3] > 0) {
        sheet.state(Fact::cp, sizes[3], at);
    } else if (sizes.size() == 3) {
        sheet.assume(Fact::cp, std::int64_t{1}, "EasyLM's mesh of three");
    }
}

/// "--load_llama_config=13b" of a program models.llama is "llama-13b"; "--llama.base_model=llama_13b" says it
/// itself.
void read_model(const Setting& root, FactSheet& sheet) {
    for (const SettingMember& m : root.members) {
        const Setting* base = m.value.is_map() ? m.value.at("base_model") : nullptr;
        if (base != nullptr && as_word(*base) && !sheet.has(Fact::model)) {
            sheet.state(Fact::model, base->text, *base);
        }
    }
    const SettingMember* preset = preset_of(root);
    if (preset == nullptr || sheet.has(Fact::model)) {
        return;
    }
    mark_read(preset->value);
    const std::string& program = root.at("$program")->text;
    constexpr std::string_view models = "models.";
    std::string family = preset->key.substr(5, preset->key.size() - 12);
    if (const std::size_t found = program.find(models); found != std::string::npos) {
        const std::string_view rest = std::string_view(program).substr(found + models.size());
        family = rest.substr(0, rest.find('.'));
    }
    const std::string& size = preset->value.text;
    const bool whole_name = size.find_first_of("/-") != std::string::npos || family == "model";
    sheet.state(Fact::model, whole_name ? size : family + "-" + size, preset->value);
}

/// A batch is the whole mesh's, before it is accumulated.
void read_batch(const Setting& root, FactSheet& sheet) {
    sheet.whole(Fact::accumulation, root, {"optimizer.accumulate_gradient_steps", "accum_steps"});
    sheet.assume(Fact::accumulation, std::int64_t{1}, "optimizer.accumulate_gradient_steps");
    sheet.whole(Fact::global_batch, root, {"global_batch_size"});
    const Setting* set = set_with(root, "batch_size");
    const auto steps = sheet.count(Fact::accumulation);
    if (set != nullptr && steps && !sheet.has(Fact::global_batch)) {
        const Setting* rows = sheet.whole(Fact::global_batch, *set, {"batch_size"});
        if (rows != nullptr && *steps > 1) {
            const std::int64_t batch = times(*sheet.count(Fact::global_batch), *steps);
            sheet.forget(Fact::global_batch);
            sheet.state(Fact::global_batch, batch, rows->where(), How::derived);
        }
    }
    if (const Setting* with_length = set_with(root, "seq_length")) {
        sheet.whole(Fact::sequence, *with_length, {"seq_length"});
    }
    sheet.whole(Fact::sequence, root, {"seq_length"});
}

}  // namespace

void read_easylm(const Setting& root, FactSheet& sheet) {
    read_mesh(root, sheet);
    read_model(root, sheet);
    read_batch(root, sheet);
    read_precision_word(root, sheet, {"dtype"});
    sheet.word(Fact::optimizer, root, {"optimizer.type"});
}

}  // namespace traincost
