// The only list of what can be said of a job. Flags, job files, sweeps and questions are made from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "traincost/spec/draft/job_draft.hpp"

namespace traincost {

/// What a field's value is in JSON.
enum class FieldKind : std::uint8_t {
    text,      ///< a string
    choice,    ///< one of `choices`
    count,     ///< a whole number
    number,    ///< a number in `unit`
    toggle,    ///< true or false
    composite  ///< a string or an object; read by a reader of its own
};

/// Where the help shows a field.
enum class FieldGroup : std::uint8_t { job, numerics, parallelism, operation, network };

/// A value as JSON has it; of a choice its name.
using FieldValue = std::variant<bool, std::int64_t, double, std::string>;

/// One thing that can be said.
struct JobField {
    std::string_view key;   ///< in a job's JSON: "run.parallel.tp"
    std::string_view flag;  ///< "--tp"; empty: only files say it
    std::string_view type;  ///< of its value, in the help: "COUNT"; empty: a switch
    std::string_view unit;  ///< of its number in JSON: "GB/s"; empty: none
    std::string_view help;  ///< noun phrase, unit, default
    FieldGroup group;
    FieldKind kind;
    bool sweepable;                                  ///< `sweep --vary` takes it
    bool searchable;                                 ///< `recommend` takes several values and chooses
    std::span<const std::string_view> (*choices)();  ///< of a choice; else null
    /// Sets the field from `text` as people write it. `Error` of kind usage, without the place, where it is
    /// not allowed.
    void (*parse)(JobDraft& draft, const std::string& text, const std::string& where);
    /// Sets the field from a value in `unit`; null for composites. The value's type fits the kind.
    void (*assign)(JobDraft& draft, const FieldValue& value, const std::string& where);
    /// The text that `parse` reads back, or nothing where the draft does not say it.
    std::optional<std::string> (*print)(const JobDraft& draft);
    /// Where it was said; null where it was not.
    const std::string* (*where)(const JobDraft& draft);
    /// Copies it from `from` where that says it.
    void (*copy)(JobDraft& to, const JobDraft& from);
};

/// All of them, in the order of the help.
std::span<const JobField> job_fields();

/// The field of a flag ("tp", "--tp"), or of a key ("run.parallel.tp"); null where there is none.
const JobField* job_field(std::string_view name);

/// Says a flag's value: `Error` of kind usage, "--tp: …", where it is not allowed.
void say(JobDraft& draft, const JobField& field, const std::string& text, const std::string& where);

}  // namespace traincost
