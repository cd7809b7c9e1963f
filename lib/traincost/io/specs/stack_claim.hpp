// What a stack record says of one choice: the value and where it comes from, together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/io/json.hpp"

namespace traincost {

/// Where a choice's value comes from.
enum class ClaimKind : std::uint8_t {
    code,      ///< the stack's code, defaults or recipes
    measured,  ///< read off measurements of this very thing
    fitted,    ///< set so that runs are met
    estimate,  ///< neither
};

/// The members of a choice beside its value, {"value": 1.17, "kind": "fitted", "n": 40, "sources": 1,
/// "held_out_error": 0.046, "date": "2026-11-22", "why": "..."}.
struct StackClaim {
    ClaimKind kind{};
    std::optional<std::int64_t> n{};         ///< measurements it rests on
    std::optional<std::int64_t> sources{};   ///< that these come from
    std::optional<double> held_out_error{};  ///< mean error of measurements left out of the fit
    std::string date{};                      ///< of the measurement or the fit; empty: not known
    std::string why{};
};

/// The value of a choice: of a claim its "value", else the node itself. `Error` of kind input where a claim
/// lacks its kind or reason, or holds what no claim has.
JsonNode claimed_value(const JsonNode& choice);

/// The choice at `path` of a record, "host.per_step_s", as it is written; null where it does not state it.
const JsonValue* choice_at(const JsonValue& record, std::string_view path);

/// What a record says of the choice at `path`. Nothing where it says the value alone, or
/// nothing.
std::optional<StackClaim> claim_of(const JsonDocument& record, std::string_view path);

/// "fitted to 40 runs of 1 source, error of runs held out 4.6%, 2026-11-22"; empty for what is in the code.
std::string origin_text(const StackClaim& claim);

/// The origin and the reason in one line.
std::string claim_text(const StackClaim& claim);

}  // namespace traincost
