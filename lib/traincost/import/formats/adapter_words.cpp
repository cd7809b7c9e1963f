#include "traincost/import/formats/adapter_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"

namespace traincost {

namespace {

/// The parts of a block that a matrix belongs to. Gate and up projections may be one matrix, and so may
/// queries, keys and values.
enum Part : unsigned { query = 1, key = 2, value = 4, out = 8, gate = 16, up = 32, down = 64, head = 128 };

constexpr unsigned qkv = query | key | value;
constexpr unsigned whole_mlp = gate | up | down;
constexpr unsigned all_linear = qkv | out | whole_mlp;

struct MatrixName {
    std::string_view name;
    unsigned parts;
};

/// Names of Transformers' classes, of Meta's and of Megatron's. Where there is no gate, the first matrix is
/// both.
constexpr std::array<MatrixName, 36> matrices = {{{"q_proj", query},
                                                  {"k_proj", key},
                                                  {"v_proj", value},
                                                  {"o_proj", out},
                                                  {"gate_proj", gate},
                                                  {"up_proj", up},
                                                  {"down_proj", down},
                                                  {"lm_head", head},
                                                  {"qkv_proj", qkv},
                                                  {"gate_up_proj", gate | up},
                                                  {"out_proj", out},
                                                  {"output_proj", out},
                                                  {"query_key_value", qkv},
                                                  {"c_attn", qkv},
                                                  {"W_pack", qkv},
                                                  {"Wqkv", qkv},
                                                  {"qkv", qkv},
                                                  {"linear_qkv", qkv},
                                                  {"linear_proj", out},
                                                  {"linear_fc1", gate | up},
                                                  {"linear_fc2", down},
                                                  {"dense", out},
                                                  {"dense_h_to_4h", gate | up},
                                                  {"dense_4h_to_h", down},
                                                  {"fc1", gate | up},
                                                  {"fc2", down},
                                                  {"c_fc", gate | up},
                                                  {"fc_in", gate | up},
                                                  {"fc_out", down},
                                                  {"wq", query},
                                                  {"wk", key},
                                                  {"wv", value},
                                                  {"wo", out},
                                                  {"w1", gate},
                                                  {"w2", down},
                                                  {"w3", up}}};

bool means_all(const std::string& text) {
    const std::string name = lower(text);
    return name == "all-linear" || name == "all_linear" || name == "all" || name == "auto";
}

std::string text_of_parts(unsigned parts) {
    std::string text;
    const auto add = [&](unsigned part, std::string_view name) {
        if ((parts & part) == part) {
            text += (text.empty() ? "" : ",") + std::string(name);
        }
    };
    add(query, "q");
    add(key, "k");
    add(value, "v");
    add(out, "o");
    add(whole_mlp, "mlp");
    add(head, "head");
    return text;
}

/// The parts that the names are of; nothing, and a remark, where one is unknown or only a part of the MLP is
/// adapted.
std::optional<unsigned> parts_of(const Setting& at, FactSheet& sheet) {
    if (at.is_scalar() && means_all(at.text)) {
        return all_linear;
    }
    if (at.is_scalar() && !as_word(at)) {
        sheet.remark(at, "adapters of matrices that are named elsewhere");
        return std::nullopt;
    }
    unsigned parts = 0;
    for (const std::string& name : listed_names(at)) {
        const std::string matrix = last_part(name);
        const auto known = std::find_if(matrices.begin(), matrices.end(),
                                        [&](const MatrixName& m) { return m.name == matrix; });
        if (known == matrices.end() && !means_all(name)) {
            sheet.remark(at, "adapters of '" + name + "' are not modelled");
            return std::nullopt;
        }
        parts |= known == matrices.end() ? all_linear : known->parts;
    }
    if ((parts & whole_mlp) != 0 && (parts & whole_mlp) != whole_mlp) {
        sheet.remark(at, "adapters of a part of the MLP are not modelled");
        return std::nullopt;
    }
    return parts == 0 ? std::nullopt : std::optional(parts);
}

}  // namespace

void read_adapter_words(const Setting& root, FactSheet& sheet, const AdapterKeys& keys) {
    if (!sheet.has(Fact::lora_rank) && !sheet.is_unreadable(Fact::lora_rank)) {
        return;
    }
    for (const std::string_view scale : {"lora_alpha", "alpha", "peft.lora_alpha", "peft.alpha"}) {
        root.at(scale);
    }
    const Setting* switched = nullptr;
    for (const std::string_view all : keys.all) {
        switched = switched == nullptr && is_on(root, all) ? root.at(all) : switched;
    }
    const Setting* named = first_of(root, keys.targets);
    if (switched != nullptr) {
        sheet.state(Fact::lora_targets, text_of_parts(all_linear), *switched);
    } else if (named != nullptr) {
        if (const auto parts = parts_of(*named, sheet)) {
            sheet.state(Fact::lora_targets, text_of_parts(*parts), *named);
        }
    }
    const Setting* dropout = first_of(root, keys.dropout);
    const auto share = dropout == nullptr ? std::nullopt : as_number(*dropout);
    if (share && *share >= 0 && *share < 1) {
        sheet.state(Fact::lora_dropout, *share, *dropout);
    }
}

void read_packing(const Setting& root, FactSheet& sheet, Paths switches) {
    const Setting* off = nullptr;
    for (const std::string_view path : switches) {
        const Setting* at = root.at(path);
        const auto on = at == nullptr ? std::nullopt : as_truth(*at);
        if (on == true) {
            sheet.state(Fact::packing, "packed", *at);
            return;
        }
        off = off == nullptr && on == false ? at : off;
    }
    if (off != nullptr) {
        sheet.state(Fact::packing, "padded", *off);
    }
}

}  // namespace traincost
