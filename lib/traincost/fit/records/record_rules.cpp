#include "traincost/fit/records/record_rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/records/record_words.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/draft/job_values.hpp"
#include "traincost/spec/draft/recompute_policies.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// A record, what is known of its job, and one of its facts.
struct FactSource {
    const RunRecord& record;
    const AcceleratorSpec& accelerator;
    const RunSpec* run;
    const StackSpec* stack;
};

using Fact = std::optional<std::string>;

Fact text_fact(const std::string& text) {
    return text.empty() ? Fact() : Fact(text);
}

Fact count_fact(std::optional<std::int64_t> n) {
    return n ? Fact(std::to_string(*n)) : Fact();
}

Fact flag_fact(bool x) {
    return x ? "true" : "false";
}

/// Whether data-parallel ranks and those of a context divide into groups of experts.
bool experts_divide(const RecordParallel& p) {
    return p.ep > 0 && p.dp * p.cp % p.ep == 0;
}

struct NamedFact {
    std::string_view name;
    Fact (*of)(const FactSource& s);
};

constexpr std::array<NamedFact, 34> named_facts = {{
    {"stack", [](const FactSource& s) { return text_fact(s.record.run.stack); }},
    {"chosen_stack", [](const FactSource& s) { return s.stack ? text_fact(s.stack->id) : Fact(); }},
    {"stack_version", [](const FactSource& s) { return text_fact(s.record.run.stack_version); }},
    {"task", [](const FactSource& s) { return text_fact(s.record.task); }},
    {"notes", [](const FactSource& s) { return text_fact(s.record.notes); }},
    {"year", [](const FactSource& s) { return count_fact(s.record.source_year); }},
    {"moe", [](const FactSource& s) { return flag_fact(s.record.model.moe.has_value()); }},
    {"family", [](const FactSource& s) { return text_fact(s.record.model.family); }},
    {"layers", [](const FactSource& s) { return count_fact(s.record.model.layers); }},
    {"sequence", [](const FactSource& s) { return count_fact(s.record.run.sequence); }},
    {"precision", [](const FactSource& s) { return text_fact(spelt(s.record.run.precision, '-', {})); }},
    {"precision_note", [](const FactSource& s) { return text_fact(s.record.run.precision_note); }},
    {"gradients", [](const FactSource& s) { return text_fact(s.record.run.grad_dtype); }},
    {"optimizer",
     [](const FactSource& s) { return text_fact(spelt(s.record.run.optimizer, '_', optimizer_spellings)); }},
    {"recompute", [](const FactSource& s) { return text_fact(s.record.run.recompute); }},
    {"recompute_note", [](const FactSource& s) { return text_fact(s.record.run.recompute_note); }},
    {"compile",
     [](const FactSource& s) { return s.record.run.compile ? flag_fact(*s.record.run.compile) : Fact(); }},
    {"offload", [](const FactSource& s) { return text_fact(s.record.run.offload); }},
    {"accelerator", [](const FactSource& s) { return text_fact(s.accelerator.id); }},
    {"vendor", [](const FactSource& s) { return text_fact(s.accelerator.vendor); }},
    {"architecture", [](const FactSource& s) { return text_fact(s.accelerator.architecture); }},
    {"accelerators", [](const FactSource& s) { return count_fact(s.record.cluster.accelerators); }},
    {"tp", [](const FactSource& s) { return count_fact(s.record.run.parallel.tp); }},
    {"pp", [](const FactSource& s) { return count_fact(s.record.run.parallel.pp); }},
    {"vp", [](const FactSource& s) { return count_fact(s.record.run.parallel.vp); }},
    {"ep", [](const FactSource& s) { return count_fact(s.record.run.parallel.ep); }},
    {"etp", [](const FactSource& s) { return count_fact(s.record.run.parallel.etp); }},
    {"zero", [](const FactSource& s) { return count_fact(s.record.run.parallel.zero); }},
    {"packed_length", [](const FactSource& s) { return s.run ? count_fact(s.run->packed_length) : Fact(); }},
    {"tuning",
     [](const FactSource& s) { return s.run ? text_fact(std::string(name_of(s.run->tuning))) : Fact(); }},
    {"autocast", [](const FactSource& s) { return s.run ? flag_fact(s.run->precision.autocast) : Fact(); }},
    {"whole_chunks",
     [](const FactSource& s) {
         const std::int64_t pp = s.record.run.parallel.pp;
         return flag_fact(pp > 0 && s.record.model.layers % pp == 0);
     }},
    {"experts_divide", [](const FactSource& s) { return flag_fact(experts_divide(s.record.run.parallel)); }},
    {"before_cudnn_attention",
     [](const FactSource& s) { return flag_fact(before_cudnn_attention(s.record)); }},
}};

bool any_in(const std::vector<std::string>& words, std::string_view text) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& w) { return says(text, w); });
}

template <class Enum>
Enum enum_in(const std::string& field, const std::string& value) {
    if (const auto known = value_of<Enum>(value)) {
        return *known;
    }
    throw Error(ErrorKind::input, "rule: '" + value + "' is no " + field);
}

DataType type_in(const std::string& field, const std::string& value) {
    if (const auto known = data_type_from(value)) {
        return *known;
    }
    throw Error(ErrorKind::input, "rule: '" + value + "' is no " + field);
}

struct SettableField {
    std::string_view name;
    void (*set)(RunSpec& run, const std::string& field, const std::string& value);
};

constexpr std::array<SettableField, 26> settable = {{
    {"adapter.dropout", [](RunSpec& r, auto&, auto& v) { r.adapter.dropout = parse_number(v); }},
    {"adapter.rank", [](RunSpec& r, auto&, auto& v) { r.adapter.rank = parse_count(v, Range::positive); }},
    {"adapter.scale_and_bias", [](RunSpec& r, auto&, auto& v) { r.adapter.scale_and_bias = v == "true"; }},
    {"adapter.targets",
     [](RunSpec& r, auto& f, auto& v) {
         if (!set_adapter_targets(r.adapter, v)) {
             throw Error(ErrorKind::input, "rule: '" + v + "' are no " + f);
         }
     }},
    {"activation_input_fp8", [](RunSpec& r, auto&, auto& v) { r.activation_input_fp8 = v == "true"; }},
    {"attention_kernel",
     [](RunSpec& r, auto& f, auto& v) { r.attention = enum_in<AttentionKernel>(f, v); }},
    {"dropout", [](RunSpec& r, auto&, auto& v) { r.dropout = parse_number(v); }},
    {"compile", [](RunSpec& r, auto&, auto& v) { r.compile = v == "true"; }},
    {"expert_imbalance", [](RunSpec& r, auto&, auto& v) { r.expert_imbalance = parse_number(v); }},
    {"expert_one_hot", [](RunSpec& r, auto&, auto& v) { r.expert_one_hot = v == "true"; }},
    {"etp", [](RunSpec& r, auto&,
               auto& v) { r.parallel.etp = v == "tp" ? r.parallel.tp : parse_count(v, Range::positive); }},
    {"frozen_layers", [](RunSpec& r, auto&, auto& v) { r.frozen_layers = parse_count(v); }},
    {"gradients", [](RunSpec& r, auto& f, auto& v) { r.precision.gradients = type_in(f, v); }},
    {"neighbouring_experts", [](RunSpec& r, auto&, auto& v) { r.neighbouring_experts = v == "true"; }},
    {"offload_activations", [](RunSpec& r, auto&, auto& v) { r.offload_activations = parse_number(v); }},
    {"optimizer", [](RunSpec& r, auto& f, auto& v) { r.optimizer = enum_in<Optimizer>(f, v); }},
    {"optimizer_kernel",
     [](RunSpec& r, auto& f, auto& v) { r.optimizer_kernel = enum_in<OptimizerKernel>(f, v); }},
    {"optimizer_in_backward", [](RunSpec& r, auto&, auto& v) { r.optimizer_in_backward = v == "true"; }},
    {"packed_length", [](RunSpec& r, auto&, auto& v) { r.packed_length = parse_count(v, Range::positive); }},
    {"recompute",
     [](RunSpec& r, auto& f, auto& v) {
         if (const auto policy = recompute_policy(v)) {
             r.recompute = policy->kind;
             r.recompute_modules = policy->modules;
         } else {
             r.recompute = enum_in<Recompute>(f, v);
         }
     }},
    {"reduce", [](RunSpec& r, auto& f, auto& v) { r.precision.reduce = type_in(f, v); }},
    {"sequence", [](RunSpec& r, auto&, auto& v) { r.sequence = parse_count(v, Range::positive); }},
    {"states",
     [](RunSpec& r, auto& f, auto& v) {
         r.precision.moments = type_in(f, v);
         r.precision.master.reset();
     }},
    {"tp_overlap", [](RunSpec& r, auto&, auto& v) { r.parallel.tp_overlap = v == "true"; }},
    {"zero", [](RunSpec& r, auto&, auto& v) { r.parallel.zero = parse_count(v); }},
    {"weights", [](RunSpec& r, auto& f, auto& v) { r.precision.weights = type_in(f, v); }},
}};

}  // namespace

bool holds(const RecordCondition& c, const std::optional<std::string>& fact) {
    if (c.stated && *c.stated != fact.has_value()) {
        return false;
    }
    const std::string text = fact.value_or("");
    if (!c.is.empty() && std::find(c.is.begin(), c.is.end(), text) == c.is.end()) {
        return false;
    }
    const auto begins = [&](const std::string& word) { return text.starts_with(word); };
    if (!c.begins.empty() && std::none_of(c.begins.begin(), c.begins.end(), begins)) {
        return false;
    }
    if ((!c.says.empty() && !any_in(c.says, text)) || any_in(c.says_not, text)) {
        return false;
    }
    if (!c.above && !c.below) {
        return true;
    }
    return fact && (!c.above || parse_number(*fact) > *c.above) &&
           (!c.below || parse_number(*fact) < *c.below);
}

bool before_cudnn_attention(const RunRecord& record) {
    constexpr std::string_view name = "torch ";
    const std::string_view version = record.run.stack_version;
    const std::size_t at = version.find(name);
    if (at != std::string_view::npos && says(version.substr(at, name.size() + 2), ".")) {
        constexpr std::int64_t first_major = 2;
        constexpr std::int64_t first_minor = 11;
        const std::int64_t major = number_after(version, name).value_or(first_major);
        const std::int64_t minor = number_after(version.substr(at), ".").value_or(first_minor);
        return major < first_major || (major == first_major && minor < first_minor);
    }
    constexpr std::int64_t last_year = 2025;
    return record.source_year.value_or(last_year + 1) <= last_year;
}

bool set_adapter_targets(AdapterSpec& adapter, const std::string& list) {
    AdapterTargets named;
    try {
        named = adapter_targets(list);
    } catch (const Error&) {
        return false;
    }
    adapter.query = named.query;
    adapter.key = named.key;
    adapter.value = named.value;
    adapter.attention_out = named.attention_out;
    adapter.mlp = named.mlp;
    adapter.lm_head = named.lm_head;
    return true;
}

std::optional<std::string> StatedFacts::operator()(std::string_view name) const {
    constexpr std::string_view extra = "extra.";
    if (name.starts_with(extra)) {
        const std::string_view rest = name.substr(extra.size());
        const std::size_t dot = rest.find('.');
        Fact text = record_.extra_text(rest.substr(0, dot));
        if (dot == std::string_view::npos || !text) {
            return text;
        }
        const std::string_view inner = value_after(*text, rest.substr(dot + 1));
        return inner.empty() ? Fact() : Fact(inner);
    }
    const auto known = std::find_if(named_facts.begin(), named_facts.end(),
                                    [&](const NamedFact& f) { return f.name == name; });
    if (known == named_facts.end()) {
        throw Error(ErrorKind::input, "rule: no fact of a record is called '" + std::string(name) + "'");
    }
    return known->of({record_, accelerator_, run_, stack_});
}

const RecordRule* rule_for(const RecordRules& rules, std::string_view about, const StatedFacts& facts) {
    const auto found = std::find_if(rules.begin(), rules.end(), [&](const RecordRule& rule) {
        return rule.about == about &&
               std::all_of(rule.when.begin(), rule.when.end(),
                           [&](const RecordCondition& c) { return holds(c, facts(c.fact)); });
    });
    return found == rules.end() ? nullptr : &*found;
}

void set_field(RunSpec& run, const std::string& field, const std::string& value) {
    const auto known = std::find_if(settable.begin(), settable.end(),
                                    [&](const SettableField& f) { return f.name == field; });
    if (known == settable.end()) {
        throw Error(ErrorKind::input, "rule: no field of a run is called '" + field + "'");
    }
    known->set(run, field, value);
}

}  // namespace traincost
