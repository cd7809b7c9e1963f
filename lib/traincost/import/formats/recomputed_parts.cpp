#include "traincost/import/formats/recomputed_parts.hpp"

#include <algorithm>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/spec/run.hpp"

namespace traincost {

namespace {

/// The names of a list, of "core_attn mlp" and of "[core_attn,mlp]".
std::vector<std::string> names_in_list(const Setting& list) {
    std::vector<std::string> names;
    for (const Setting& item : list.items) {
        names.push_back(item.text);
    }
    if (!list.is_list()) {
        std::string text = list.text;
        std::replace_if(
            text.begin(), text.end(), [](char c) { return !is_name_letter(c); }, ',');
        names = split(text, ',');
        std::erase(names, "");
    }
    return names;
}

}  // namespace

void read_recomputed_parts(const Setting& root, FactSheet& sheet, const RecomputeKeys& keys) {
    const Setting* method = first_of(root, keys.method);
    const Setting* layers = first_of(root, keys.layers);
    const Setting* modules = first_of(root, keys.modules);
    const auto kind = sheet.word(Fact::recompute);
    if (kind == "selective" && modules != nullptr && !says_nothing(*modules)) {
        std::string known;
        for (const std::string& name : names_in_list(*modules)) {
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

}  // namespace traincost
