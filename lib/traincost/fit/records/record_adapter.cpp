#include "traincost/fit/records/record_adapter.hpp"

#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/base/text.hpp"
#include "traincost/fit/records/record_rules.hpp"
#include "traincost/fit/records/record_words.hpp"

namespace traincost {

namespace {

/// What notes say of an adapter: "rank 16 on q and v", up to where the clause ends; empty where they do not.
std::string_view clause_of(std::string_view notes) {
    std::size_t at = notes.find("LoRA");
    if (at == std::string_view::npos)
        return {};
    at = notes.find("rank", at);
    if (at == std::string_view::npos)
        return {};
    return notes.substr(at, notes.find_first_of(";.()", at) - at);
}

/// Matrices by our names: "q,k,v,o" of "q_proj, k_proj, v_proj and o_proj"; empty where none is named.
std::string targets_in(std::string_view words) {
    if (says_any(words, {"all linear", "all-linear", "all modules", "every linear", "all seven"}))
        return "all";
    if (says_any(words, {"attention alone", "attention only", "attention layers"}))
        return "q,k,v,o";
    std::string named, word;
    const auto take = [&] {
        const bool projection = word.ends_with("_proj");
        const std::string name = projection ? word.substr(0, word.size() - 5) : word;
        if (name == "q" || name == "k" || name == "v" || name == "o" || name == "mlp")
            named += (named.empty() ? "" : ",") + name;
        else if (projection && (name == "gate" || name == "up" || name == "down"))
            named += named.empty() ? "mlp" : ",mlp";
        word.clear();
    };
    for (const char c : words) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
            word += c;
        else
            take();
    }
    take();
    return named;
}

/// PEFT's words, which may be a list in JSON.
void set_peft_targets(AdapterSpec& adapter, std::string_view words) {
    const bool all = says(words, "all linear");
    adapter.query = all || says_any(words, {"q_proj", "qkv"});
    adapter.key = all || says_any(words, {"k_proj", "qkv"});
    adapter.value = all || says_any(words, {"v_proj", "qkv"});
    adapter.attention_out = all || says_any(words, {"o_proj", "out_proj"});
    adapter.mlp = all || says_any(words, {"mlp", "gate_proj", "up_proj", "down_proj", "fc"});
}

}  // namespace

bool set_stated_adapter(const RunRecord& record, AdapterSpec& adapter) {
    const std::string_view clause = clause_of(record.notes);
    std::optional<std::int64_t> rank = number_after(clause, "rank");
    if (const auto stated = record.extra_text("lora_rank"))
        rank = number_after(*stated, "");
    if (rank && *rank > 0)
        adapter.rank = *rank;
    const auto stated = record.extra_text("lora_targets");
    const std::string noted = targets_in(clause);
    if (stated) {
        if (!set_adapter_targets(adapter, *stated))
            set_peft_targets(adapter, *stated);
    } else if (!noted.empty()) {
        set_adapter_targets(adapter, noted);
    }
    if (const auto dropout = record.extra_text("lora_dropout"))
        adapter.dropout = fraction_in(*dropout).value_or(adapter.dropout);
    return rank.has_value() && (stated || !noted.empty());
}

}  // namespace traincost
