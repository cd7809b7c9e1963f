#include "traincost/import/formats/format_facts.hpp"

#include <algorithm>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

std::optional<std::int64_t> stage_of_strategy(std::string_view strategy) {
    const std::string word = lower(last_part(strategy));
    if (word == "full_shard" || word == "1" || word == "hybrid_shard" || word == "4" || word == "hybrid") {
        return 3;
    }
    if (word == "shard_grad_op" || word == "2" || word == "_hybrid_shard_zero2" ||
        word == "hybrid_shard_zero2" || word == "5") {
        return 2;
    }
    if (word == "no_shard" || word == "3") {
        return 0;
    }
    return std::nullopt;
}

void read_fsdp_words(const Setting* fsdp, FactSheet& sheet) {
    if (fsdp == nullptr || says_nothing(*fsdp)) {
        return;
    }
    if (as_truth(*fsdp) == false) {
        fsdp->read = true;
        return;
    }
    if (as_truth(*fsdp) == true) {
        sheet.state(Fact::zero, std::int64_t{3}, *fsdp);
        return;
    }
    std::vector<std::string> words;
    if (fsdp->is_list()) {
        for (const Setting& item : fsdp->items) {
            item.read = true;
            words.push_back(item.text);
        }
    } else {
        for (const std::string& word : split(fsdp->text, ' ')) {
            words.push_back(word);
        }
    }
    for (const std::string& word : words) {
        if (const auto stage = stage_of_strategy(word)) {
            sheet.state(Fact::zero, *stage, *fsdp);
        } else if (word == "offload") {
            sheet.state(Fact::offload, "cpu (parameters, optimizer)", *fsdp);
        }
    }
    if (!sheet.has(Fact::zero) && !words.empty()) {
        sheet.remark(*fsdp, "no sharding strategy is named");
    }
}

void read_fsdp_block(const Setting& block, FactSheet& sheet) {
    if (const Setting* at = first_of(block, {"fsdp_sharding_strategy", "sharding_strategy"})) {
        if (const auto stage = stage_of_strategy(at->text)) {
            sheet.state(Fact::zero, *stage, *at);
        } else {
            sheet.unknown(Fact::zero, *at, "is not a sharding strategy");
        }
    }
    const Setting* version = first_of(block, {"fsdp_version", "version"});
    const Setting* reshard = first_of(block, {"fsdp_reshard_after_forward", "reshard_after_forward"});
    if (reshard != nullptr) {
        if (const auto stage = stage_of_strategy(reshard->text)) {
            sheet.state(Fact::zero, *stage, *reshard);  // FSDP1's word under FSDP2's key
        } else if (const auto whole = as_truth(*reshard)) {
            sheet.state(Fact::zero, std::int64_t{*whole ? 3 : 2}, *reshard);
        }
    } else if (version != nullptr && version->text == "2") {
        sheet.assume(Fact::zero, std::int64_t{3}, "fsdp_reshard_after_forward");
    }
    if (const Setting* at = first_of(block, {"fsdp_offload_params", "offload_params"})) {
        const bool on = as_truth(*at).value_or(false);
        sheet.state(Fact::offload, on ? "cpu (parameters, optimizer)" : "none", *at);
    }
    if (const Setting* at = first_of(block, {"fsdp_activation_checkpointing", "activation_checkpointing"})) {
        if (as_truth(*at).value_or(false)) {
            sheet.state(Fact::recompute, "full", *at);
        }
    }
}

void read_megatron_fsdp(const Setting& by, const Setting* strategy, FactSheet& sheet) {
    const std::string word = strategy == nullptr ? "optim_grads_params" : strategy->text;
    const std::int64_t stage = word == "no_shard" ? 0 : word == "optim" ? 1 : word == "optim_grads" ? 2 : 3;
    sheet.state(Fact::zero, stage, strategy != nullptr ? *strategy : by);
}

void read_16_bit_switches(const Setting& root, FactSheet& sheet, Paths bf16, Paths fp16) {
    const Setting* brain = first_of(root, bf16);
    const Setting* half = first_of(root, fp16);
    if (brain != nullptr && (as_truth(*brain).value_or(false) || lower(brain->text) == "full")) {
        sheet.state(Fact::precision, "bf16", *brain);
    } else if (half != nullptr && as_truth(*half).value_or(false)) {
        sheet.state(Fact::precision, "fp16", *half);
    } else if (brain != nullptr && brain->text == "auto") {
        brain->read = true;
        if (!sheet.has(Fact::precision)) {
            sheet.state(Fact::precision, "bf16", brain->where() + " (auto)", How::by_default);
        }
    } else if (brain != nullptr && half != nullptr && as_truth(*brain) == false && as_truth(*half) == false) {
        sheet.state(Fact::precision, "fp32", *brain);
    }
}

std::optional<std::string> precision_word(std::string_view word) {
    std::string text = lower(word);
    if (const auto dot = text.rfind('.'); dot != text.npos) {
        text = text.substr(dot + 1);
    }
    const auto holds = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (holds("nvfp4") || holds("mxfp4") || holds("fp4") || holds("nf4")) {
        return "fp4";
    }
    if (holds("fp8") || holds("float8")) {
        return "fp8";
    }
    if (holds("bf16") || holds("bfloat16") || holds("b16")) {
        return "bf16";
    }
    if (holds("fp16") || holds("float16") || holds("half") || text == "16" || text == "16-mixed" ||
        text == "16-true") {
        return "fp16";
    }
    if (holds("fp32") || holds("float32") || text == "32" || text == "32-true" || text == "no" ||
        text == "float" || text == "full" || text == "false") {
        return "fp32";
    }
    return std::nullopt;
}

void read_fp8_scaling(const Setting& root, FactSheet& sheet, Paths paths) {
    const Setting* at = first_of(root, paths);
    if (at == nullptr || as_truth(*at) == std::optional(false) || lower(at->text) == "none")
        return;
    const std::string text = lower(at->text);
    const auto holds = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (holds("mxfp8"))
        sheet.state(Fact::fp8_scaling, "mxfp8", *at);
    else if (holds("block"))
        sheet.state(Fact::fp8_scaling, "blockwise", *at);
    else if (holds("row"))
        sheet.state(Fact::fp8_scaling, "rowwise", *at);
    else if (holds("tensor") || holds("delayed") || holds("current"))
        sheet.state(Fact::fp8_scaling, "tensorwise", *at);
    else
        sheet.unknown(Fact::fp8_scaling, *at, "'" + at->text + "' is not a scaling of fp8 products");
}

void read_precision_word(const Setting& root, FactSheet& sheet, Paths paths) {
    const Setting* at = first_of(root, paths);
    if (at == nullptr) {
        return;
    }
    const bool open = at->text.starts_with('<');  // a choice that nobody knows
    if (const auto word = open ? std::nullopt : precision_word(at->text)) {
        sheet.state(Fact::precision, *word, *at);
        if (*word == "fp8" && lower(at->text).find("mxfp8") != std::string::npos)
            sheet.state(Fact::fp8_scaling, "mxfp8", *at);
    } else {
        sheet.unknown(Fact::precision, *at, "'" + at->text + "' is not a precision");
    }
}

void note_loaded_format(const Setting& root, FactSheet& sheet, Paths paths) {
    const Setting* at = first_of(root, paths);
    const auto word = at != nullptr && at->is_scalar() ? precision_word(at->text) : std::nullopt;
    sheet.reading.loads_narrow = sheet.reading.loads_narrow || is_16_bit(word);
}

void state_offloaded_activations(const Setting& by, std::string_view device, FactSheet& sheet) {
    const std::string own = std::string(device) + " (";
    const auto others = sheet.word(Fact::offload);
    if (!others || *others == "none" || others->find("activations") != std::string::npos) {
        if (others == "none") {
            sheet.forget(Fact::offload);
        }
        sheet.state(Fact::offload, own + "activations)", by);
        return;
    }
    const std::string where = sheet.reading.facts.at(Fact::offload).where + " and " + by.where();
    const bool same = others->starts_with(own) && others->find(')') == others->size() - 1;
    by.read = true;
    sheet.forget(Fact::offload);
    sheet.state(Fact::offload,
                same ? others->substr(0, others->size() - 1) + ", activations)"
                     : *others + ", " + own + "activations)",
                where, How::stated);
}

void read_checkpointing_switch(const Setting& root, FactSheet& sheet, Paths paths) {
    if (const Setting* at = first_of(root, paths)) {
        if (const auto on = as_truth(*at)) {
            sheet.state(Fact::recompute, *on ? "full" : "none", *at);
        } else if (at->text == "unsloth") {  // the layers' inputs wait in the host's memory
            sheet.state(Fact::recompute, "full", *at);
            state_offloaded_activations(*at, "cpu", sheet);
        } else {
            sheet.unknown(Fact::recompute, *at, "'" + at->text + "' is neither true nor false");
        }
    }
}

void read_loaded_bits(const Setting& root, FactSheet& sheet, Paths four, Paths eight) {
    const Setting* at4 = first_of(root, four);
    const Setting* at8 = first_of(root, eight);
    if (at4 != nullptr && as_truth(*at4).value_or(false)) {
        sheet.state(Fact::quantization, "4-bit", *at4);
    } else if (at8 != nullptr && as_truth(*at8).value_or(false)) {
        sheet.state(Fact::quantization, "8-bit", *at8);
    }
}

bool read_named_stage(const Setting& named, FactSheet& sheet) {
    constexpr std::string_view prefix = "zero";
    constexpr std::string_view by_default = "default-";
    std::string_view name = named.text;
    name.remove_prefix(name.starts_with(by_default) ? by_default.size() : 0);
    if (!named.is_scalar() || !name.starts_with(prefix) || name.size() <= prefix.size()) {
        return false;
    }
    const char stage = name[prefix.size()];
    const std::string_view rest = name.substr(prefix.size() + 1);
    if (stage < '0' || stage > '3' || (!rest.empty() && rest != "_offload")) {
        return false;
    }
    sheet.state(Fact::zero, std::int64_t{stage - '0'}, named);
    if (!rest.empty()) {
        sheet.state(Fact::offload, stage == '3' ? "cpu (optimizer, parameters)" : "cpu (optimizer)", named);
    }
    return true;
}

void read_strategy_word(const Setting& at, FactSheet& sheet) {
    constexpr std::string_view staged = "deepspeed_stage_";
    const std::string name = lower(at.text);
    const std::size_t stage = name.find(staged);
    if (stage != name.npos && stage + staged.size() < name.size()) {
        sheet.state(Fact::zero, std::int64_t{name[stage + staged.size()] - '0'}, at);
        if (name.ends_with("offload")) {
            sheet.state(Fact::offload, "cpu (optimizer)", at);
        }
    } else if (name.find("deepspeed") != name.npos) {
        sheet.state(Fact::zero, std::int64_t{2}, at.where() + " (its own stage)", How::by_default);
    } else if (name.find("fsdp") != name.npos) {
        sheet.state(Fact::zero, std::int64_t{3}, at);
    } else if (name.find("ddp") != name.npos) {
        sheet.state(Fact::zero, stage_of_ddp(name), at);
    }
}

std::int64_t stage_of_ddp(std::string_view name) {
    constexpr std::int64_t gradients = 2, parameters = 3;
    return name.find("fully") != name.npos ? parameters : name.find("sharded") != name.npos ? gradients : 0;
}

void state_batch_of_tokens(Fact batch, const Setting& tokens, FactSheet& sheet) {
    const std::int64_t count = as_whole(tokens).value_or(0);
    const std::int64_t length = sheet.count(Fact::sequence).value_or(0);
    if (count <= 0) {
        sheet.unknown(batch, tokens, "is not a number of tokens");
    } else if (length <= 0 || count % length != 0) {
        sheet.unknown(batch, tokens, "tokens that are not a whole number of sequences");
    } else {
        sheet.state(batch, count / length, tokens);
    }
}

void refer_to_file(const Setting& reference, FactSheet& sheet) {
    if (!says_nothing(reference) && reference.is_scalar()) {
        sheet.remark(reference, "give " + base_of(reference.text) + " too; its content is unknown");
    }
}

void assume_one_node(FactSheet& sheet) {
    sheet.assume_as(Fact::nodes,
                    {.value = std::int64_t{1}, .where = "default of NNODES", .how = How::by_default});
}

void assume_data_parallel_only(FactSheet& sheet, std::string_view framework) {
    for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp}) {
        sheet.assume(fact, std::int64_t{1}, std::string(framework) + ", which has no other");
    }
}

void state_sequence_parallel(const Setting& at, bool on, FactSheet& sheet) {
    if (on && sheet.count(Fact::tp) == 1) {
        sheet.state(Fact::sequence_parallel, false, at.where() + " (inert: tp is 1)", How::derived);
    } else {
        sheet.state(Fact::sequence_parallel, on, at);
    }
}

std::vector<std::string> listed_names(const Setting& list) {
    std::vector<std::string> names;
    for (const Setting& item : list.items) {
        names.push_back(item.text);
        item.read = true;
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

void read_tokenizer(const Setting& root, FactSheet& sheet, Paths paths) {
    const Setting* at = first_of(root, paths);
    if (at != nullptr && at->is_scalar())
        sheet.reading.tokenizer = at->text;
}

void add_dimension(ModelDimensions& dimensions, std::string_view name, const Setting& root, Paths paths) {
    if (const Setting* at = first_of(root, paths)) {
        if (const auto x = as_whole(*at); x && *x > 0) {
            dimensions.emplace_back(std::string(name), *x);
        }
    }
}

void state_dimensions(FactSheet& sheet, const ModelDimensions& dimensions, const Setting& root, Paths by) {
    const Setting* first = first_of(root, by);
    if (!dimensions.empty() && first != nullptr && !sheet.has(Fact::model)) {
        sheet.state(Fact::model, dimensions, *first);
    }
}

}  // namespace traincost
