// The values of a job as people write them: one parser for each kind of value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

/// The parts of a comma-separated list. `Error` where there are none.
std::vector<std::string> names_of(const std::string& text);

/// A share of a whole: 0.3 or 30%. `Error` where it is more than the whole.
double fraction(const std::string& text);

/// "on" or "off".
bool on_or_off(const std::string& text);

/// "none", "selective", "selective:core_attn,layernorm", "full", "full:2" (every second block),
/// "full:layers=4" (four blocks of a stage).
RecomputeChoice recompute_choice(const std::string& text);

/// "0" to "3", or a name that means one of them, as fsdp.
std::int64_t zero_stage(const std::string& text);

/// "10" or "10%": the share of an accelerator's memory that stays free.
double headroom_share(const std::string& text);

/// The parts that are compiled: "loss,mlp", "blocks".
CompiledParts compiled_parts(const std::string& text);

/// "fp32", "bf16" or "fp16".
DataType reduced_in(const std::string& text);

/// "q,k,v,o,mlp,head".
AdapterTargets adapter_targets(const std::string& text);

/// "on-demand", "reserved" …
std::string price_kind(const std::string& text);

/// The names of an enumeration between commas.
template <class Enum>
std::string allowed_names() {
    std::string allowed;
    for (const std::string_view name : enum_names<Enum>())
        allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    return allowed;
}

/// The value of a name, however it is capitalised; the error suggests the nearest.
template <class Enum>
Enum named(const std::string& text) {
    if (const auto value = value_of<Enum>(lower(text)))
        return *value;
    throw Error(ErrorKind::usage, "unknown value '" + text + "'; allowed: " + allowed_names<Enum>() +
                                      did_you_mean(text, enum_names<Enum>()));
}

/// As files and the command line write them, so that the parsers above read them back.
std::string to_text(const RecomputeChoice& choice);
std::string to_text(const AdapterTargets& targets);
std::string to_text(const CompiledParts& parts);

}  // namespace traincost
