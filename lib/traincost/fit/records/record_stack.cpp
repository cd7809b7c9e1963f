#include "traincost/fit/records/record_stack.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/records/record_rules.hpp"
#include "traincost/fit/records/record_words.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

std::optional<AttentionGeneration> stated_generation(const RecordRun& run) {
    const std::string kernel = lower(run.attention_kernel);
    if (value_of<AttentionKernel>(spelt(kernel, '_', attention_spellings)) != AttentionKernel::flash)
        return std::nullopt;
    constexpr std::array<std::pair<std::string_view, AttentionGeneration>, 6> generations = {
        {{"2", AttentionGeneration::flash2},
         {"3", AttentionGeneration::flash3},
         {"4", AttentionGeneration::flash4},
         {"memory_efficient", AttentionGeneration::memory_efficient},
         {"pallas", AttentionGeneration::flash_pallas},
         {"aiter", AttentionGeneration::flash_aiter}}};
    const auto found = std::find_if(generations.begin(), generations.end(),
                                    [&](const auto& g) { return kernel.ends_with(g.first); });
    return found == generations.end() ? std::nullopt : std::optional(found->second);
}

namespace {

/// What a record says its run chose otherwise than its stack: `extra.choices`, an object of the stack's own
/// keys. A value that is not one of theirs is an `Error`.
void apply_choices(std::string_view choices, StackSpec& stack) {
    const auto text = [&](std::string_view key) {
        return value_after(choices, "\"" + std::string(key) + "\"");
    };
    const auto named = [&](std::string_view key, auto& field) {
        const std::string_view word = text(key);
        if (word.empty())
            return;
        const auto value = value_of<std::decay_t<decltype(field)>>(word);
        if (!value)
            throw Error(ErrorKind::input,
                        "extra.choices." + std::string(key) + ": '" + std::string(word) + "' is not known");
        field = *value;
    };
    named("loss", stack.head.loss);
    named("optimizer", stack.states.optimizer);
    if (!text("vocab_multiple").empty())
        stack.head.vocab_multiple = parse_count(std::string(text("vocab_multiple")), Range::positive);
    if (!text("gradient_passes").empty())
        stack.states.gradient_passes =
            parse_number(std::string(text("gradient_passes")), Range::not_negative);
    if (!text("cuda_graphs").empty())
        stack.host.cuda_graphs = text("cuda_graphs") == "true";
}

/// What the rule sets a field to. `Error` where it says nothing of it.
std::string rule_value(const RecordRule& rule, std::string_view field) {
    for (const auto& [name, value] : rule.set) {
        if (name == field)
            return value;
    }
    throw Error(ErrorKind::input, "rule: sets no " + std::string(field));
}

template <class Enum>
void set_named(Enum& field, const std::string& word, std::string_view what) {
    const auto value = value_of<Enum>(word);
    if (!value)
        throw Error(ErrorKind::input, "rule: '" + word + "' is no " + std::string(what));
    field = *value;
}

}  // namespace

StackSpec stack_of(const RunRecord& record, const AcceleratorSpec& accelerator,
                   const RecordCatalogue& catalogue) {
    const RecordRules& rules = *catalogue.rules;
    const RecordRule* named = rule_for(rules, "stack", StatedFacts(record, accelerator, nullptr, nullptr));
    StackSpec stack = catalogue.stack(named != nullptr ? rule_value(*named, "stack") : record.run.stack);
    const StatedFacts facts(record, accelerator, nullptr, &stack);
    if (const auto generation = stated_generation(record.run)) {
        stack.attention.generation = *generation;
    } else if (const RecordRule* rule = rule_for(rules, "attention", facts)) {
        set_named(stack.attention.generation, rule_value(*rule, "attention"), "attention");
    }
    if (const RecordRule* rule = rule_for(rules, "loss", facts))
        set_named(stack.head.loss, rule_value(*rule, "loss"), "loss");
    apply_choices(record.extra_text("choices").value_or(""), stack);
    return stack;
}

}  // namespace traincost
