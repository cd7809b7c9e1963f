#include "traincost/import/named_models.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/spec/model.hpp"

namespace traincost {

namespace {

/// Endings of a checkpoint's name that leave its shape alone.
constexpr std::array<std::string_view, 9> variants = {"-instruct", "-chat", "-hf",  "-base", "-it",
                                                      "-bnb-4bit", "-gptq", "-awq", "-mcore"};

/// How many characters of a name are its release's year and month, or month and day: "-2507".
std::size_t date_ending(std::string_view name) {
    const std::size_t hyphen = name.rfind('-');
    const bool dated = hyphen != name.npos && hyphen > 0 && name.size() - hyphen == 5 &&
                       std::all_of(name.begin() + static_cast<std::ptrdiff_t>(hyphen) + 1, name.end(),
                                   [](unsigned char c) { return std::isdigit(c) != 0; });
    return dated ? 5 : 0;
}

/// Letters and digits, with hyphens for what stands between them, or without.
std::string spelt(std::string_view name, std::string_view between) {
    std::string text;
    for (const char c : lower(name)) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            text += c;
        else
            text += between;
    }
    return text;
}

/// The only model whose name is the same but for what separates its parts: "gpt3_1_3b" is gpt3-1.3b, and
/// where none is, "llama3_1_8b" is llama-3.1-8b.
std::optional<std::string> model_spelt(const std::string& name, const Catalogue& catalogue) {
    for (const std::string_view between : {"-", ""}) {
        const std::string wanted = spelt(name, between);
        std::vector<std::string> found;
        for (const CatalogueEntry& entry : catalogue.entries(Room::models)) {
            const bool same =
                spelt(entry.id, between) == wanted ||
                std::any_of(entry.aliases.begin(), entry.aliases.end(),
                            [&](const std::string& alias) { return spelt(alias, between) == wanted; });
            if (same)
                found.push_back(entry.id);
        }
        if (found.size() == 1)
            return found.front();
    }
    return std::nullopt;
}

std::optional<std::int64_t> dimension_of(const ModelSpec& m, std::string_view name) {
    const std::array<std::pair<std::string_view, std::int64_t>, 9> dimensions = {
        {{"layers", m.layers + m.decoder_layers},
         {"hidden", m.hidden},
         {"heads", m.heads},
         {"kv_heads", m.kv_heads},
         {"head_dim", m.head_dim},
         {"ffn", m.ffn},
         {"vocab", m.vocab},
         {"experts", m.moe ? m.moe->experts : 0},
         {"experts_per_token", m.moe ? m.moe->top_k : 0}}};
    const auto found = std::find_if(dimensions.begin(), dimensions.end(),
                                    [&](const auto& dimension) { return dimension.first == name; });
    return found == dimensions.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<std::string> model_named(const std::string& name, const Catalogue& catalogue) {
    if (auto id = catalogue.find(Room::models, name))
        return id;
    if (const std::size_t blank = name.rfind(' '); blank != name.npos)
        return catalogue.find(Room::models, name.substr(blank + 1));
    std::string last = lower(base_of(name));
    for (bool shortened = true; shortened;) {
        if (auto id = catalogue.find(Room::models, last))
            return id;
        const std::size_t date = date_ending(last);
        last.resize(last.size() - date);
        shortened = date > 0;
        for (const std::string_view ending : variants) {
            if (last.ends_with(ending) && last.size() > ending.size()) {
                last.resize(last.size() - ending.size());
                shortened = true;
            }
        }
    }
    return model_spelt(last, catalogue);
}

bool same_shape(const std::string& one, const std::string& other, const Catalogue& catalogue) {
    if (!catalogue.find(Room::models, other))
        return false;
    const ModelSpec a = catalogue.model(one), b = catalogue.model(other);
    static constexpr std::string_view names[] = {
        "layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab", "experts", "experts_per_token"};
    return std::all_of(std::begin(names), std::end(names),
                       [&](std::string_view name) { return dimension_of(a, name) == dimension_of(b, name); });
}

std::vector<std::string> models_of(const ModelDimensions& dimensions, const Catalogue& catalogue) {
    std::vector<std::string> ids;
    for (const CatalogueEntry& entry : catalogue.entries(Room::models)) {
        const ModelSpec model = catalogue.model(entry.id);
        const bool same = std::all_of(dimensions.begin(), dimensions.end(), [&](const auto& dimension) {
            const auto own = dimension_of(model, dimension.first);
            return !own || *own == dimension.second;
        });
        if (same)
            ids.push_back(entry.id);
    }
    return ids;
}

}  // namespace traincost
