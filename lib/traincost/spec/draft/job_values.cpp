#include "traincost/spec/draft/job_values.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "traincost/spec/draft/everyday_names.hpp"

namespace traincost {

namespace {

[[noreturn]] void fail_value(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

RecomputeModules recompute_modules(const std::string& list) {
    RecomputeModules modules;
    for (const std::string& name : names_of(list)) {
        const auto module = recompute_module(name);
        if (module == nullptr) {
            fail_value("'" + name +
                       "' cannot be recomputed; allowed: core_attn, layernorm, activation, mlp, moe, "
                       "mla_up_proj, per_op, all_but_attention");
        }
        modules.*module = true;
    }
    return modules;
}

/// Letters of the matrices, in the order of the help.
constexpr std::array<std::pair<std::string_view, bool AdapterTargets::*>, 6> targets = {
    {{"q", &AdapterTargets::query},
     {"k", &AdapterTargets::key},
     {"v", &AdapterTargets::value},
     {"o", &AdapterTargets::attention_out},
     {"mlp", &AdapterTargets::mlp},
     {"head", &AdapterTargets::lm_head}}};

}  // namespace

std::vector<std::string> names_of(const std::string& text) {
    std::vector<std::string> names = split(text, ',');
    names.erase(std::remove(names.begin(), names.end(), ""), names.end());
    if (names.empty())
        fail_value("'" + text + "' is empty");
    return names;
}

double fraction(const std::string& text) {
    const double x = parse_fraction(text);
    if (x > 1.0)
        fail_value("'" + text + "' is over 100%; allowed: 0 to 100%");
    return x;
}

bool on_or_off(const std::string& text) {
    if (text == "on" || text == "off")
        return text == "on";
    fail_value("unknown value '" + text + "'; allowed: on, off");
}

RecomputeChoice recompute_choice(const std::string& text) {
    const auto colon = text.find(':');
    const Recompute kind = named<Recompute>(text.substr(0, colon));
    if (colon == text.npos)
        return {kind, {}, 1, {}};
    const std::string rest = text.substr(colon + 1);
    if (kind == Recompute::selective)
        return {kind, recompute_modules(rest), 1, {}};
    if (kind != Recompute::full) {
        fail_value(
            "'" + text +
            "': only full takes a period (full:2) and only selective takes modules (selective:core_attn)");
    }
    constexpr std::string_view layers = "layers=";
    if (rest.starts_with(layers))
        return {kind, {}, 1, parse_count(rest.substr(layers.size()), Range::positive)};
    return {kind, {}, parse_count(rest, Range::positive), {}};
}

std::int64_t zero_stage(const std::string& text) {
    if (const auto meant = zero_meant_by(text))
        return *meant;
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    const std::int64_t stage = digits ? parse_count(text) : -1;
    if (stage < 0 || stage > 3)
        fail_value("unknown value '" + text + "'; allowed: 0, 1, 2, 3");
    return stage;
}

double headroom_share(const std::string& text) {
    // A bare number is a percentage, as the flag's name of its value says.
    const bool bare = !text.ends_with('%');
    const double x = bare ? parse_number(text, Range::not_negative) / 100.0 : parse_fraction(text);
    if (!(x < 1.0))
        fail_value("'" + text + "' leaves no memory; allowed: 0 to less than 100");
    return x;
}

CompiledParts compiled_parts(const std::string& text) {
    CompiledParts parts;
    for (const std::string& name : names_of(text)) {
        if (name == "blocks") {
            parts.attention = parts.mlp = parts.norms = true;
            continue;
        }
        const auto part = compiled_part(name);
        if (part == nullptr) {
            fail_value("'" + name +
                       "' cannot be compiled; allowed: on, off, or a list of blocks, attention, " +
                       "mlp, norms, loss");
        }
        parts.*part = true;
    }
    return parts;
}

DataType reduced_in(const std::string& text) {
    const auto type = data_type_from(lower(text));
    if (type == DataType::fp32 || type == DataType::bf16 || type == DataType::fp16)
        return *type;
    fail_value("'" + text + "' is not a reduction format; allowed: fp32, bf16, fp16");
}

AdapterTargets adapter_targets(const std::string& text) {
    AdapterTargets chosen;
    for (const std::string& name : split(text, ',')) {
        // PEFT's words: every matrix of a block, and "q_proj".
        if (name == "all" || name == "all-linear") {
            for (const auto& [target, member] : targets)
                chosen.*member = chosen.*member || target != "head";
            continue;
        }
        constexpr std::size_t letter_and_proj = 6;
        const bool peft = name.size() == letter_and_proj && name.ends_with("_proj");
        const std::string meant = peft ? name.substr(0, 1) : name;
        const auto found =
            std::find_if(targets.begin(), targets.end(), [&](const auto& t) { return t.first == meant; });
        if (found == targets.end())
            fail_value("unknown value '" + name + "'; allowed: q, k, v, o, mlp, head, all");
        chosen.*found->second = true;
    }
    return chosen;
}

std::string price_kind(const std::string& text) {
    const std::span<const std::string_view> kinds = price_kinds();
    if (std::find(kinds.begin(), kinds.end(), text) == kinds.end()) {
        fail_value("unknown value '" + text + "'; allowed: on-demand, reserved, spot, market, own" +
                   did_you_mean(text, kinds));
    }
    return text;
}

std::string to_text(const RecomputeChoice& choice) {
    std::string text(name_of(choice.kind));
    if (choice.kind == Recompute::full) {
        if (choice.layers)
            return text + ":layers=" + std::to_string(*choice.layers);
        return choice.every > 1 ? text + ":" + std::to_string(choice.every) : text;
    }
    std::string modules;
    for (const char* name :
         {"core_attention", "norm", "activation", "mlp", "moe", "mla_up", "per_op", "all_but_attention"}) {
        if (choice.modules.*recompute_module(name))
            modules += (modules.empty() ? ":" : ",") + std::string(name);
    }
    return text + modules;
}

std::string to_text(const CompiledParts& parts) {
    std::string text;
    for (const char* name : {"attention", "mlp", "norms", "loss"}) {
        if (parts.*compiled_part(name))
            text += (text.empty() ? "" : ",") + std::string(name);
    }
    return text.empty() ? "off" : text;
}

std::string to_text(const AdapterTargets& chosen) {
    std::string text;
    for (const auto& [name, target] : targets) {
        if (chosen.*target)
            text += (text.empty() ? "" : ",") + std::string(name);
    }
    return text;
}

}  // namespace traincost
