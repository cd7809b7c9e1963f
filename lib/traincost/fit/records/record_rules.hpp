// What a record's stack and words mean for its run, as rules that are data: what recipes set and a source
// leaves unsaid, and which release of a stack a source names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traincost/fit/records/record.hpp"
#include "traincost/spec/accelerator.hpp"
#include "traincost/spec/run.hpp"
#include "traincost/spec/stack.hpp"

namespace traincost {

/// A condition on one fact of a record. All parts that are given must hold.
struct RecordCondition {
    std::string fact;                   ///< "stack", "notes", "extra.ladder", ... as `StatedFacts` names them
    std::vector<std::string> is{};      ///< one of these, to the letter
    std::vector<std::string> begins{};  ///< begins with one of these, to the letter
    std::vector<std::string> says{};    ///< any of these is in it
    std::vector<std::string> says_not{};  ///< none of these is in it
    std::optional<double> above{};        ///< a number above it
    std::optional<double> below{};        ///< a number below it
    std::optional<bool> stated{};         ///< whether it is there
};

struct RecordRule {
    std::string about;  ///< what it settles: "recompute"
    std::vector<RecordCondition> when{};
    std::vector<std::pair<std::string, std::string>> set{};  ///< field and value, as `set_field` takes them
    std::string assume{};                                    ///< what is assumed by it; empty: nothing
    std::string cannot{};  ///< why the record describes no job; empty: it may
};

/// In order: of the rules about one thing, the first whose conditions hold is taken.
using RecordRules = std::vector<RecordRule>;

/// The facts of a record that rules ask for, as text; nothing where it states none.
///
/// stack, stack_version, task, notes, year, moe, gradients, family, layers, sequence; precision and optimizer
/// as our names are spelt; recompute, recompute_note, compile, offload; accelerator, accelerators, vendor,
/// architecture; tp, pp, vp, ep, etp, zero, packed_length; extra.KEY, and extra.KEY.INNER of a JSON text.
/// Derived: autocast of the run so far and its tuning; whole_chunks, whether layers divide by stages;
/// experts_divide, whether data-parallel ranks divide by ep; before_cudnn_attention; chosen_stack, by the
/// rules about "stack".
class StatedFacts {
public:
    /// All must outlive the facts; `run` may change between questions. Null: not known yet.
    StatedFacts(const RunRecord& record, const AcceleratorSpec& accelerator, const RunSpec* run,
                const StackSpec* stack)
        : record_(record), accelerator_(accelerator), run_(run), stack_(stack) {
    }
    /// `Error` of kind input for a name that is none of the above.
    std::optional<std::string> operator()(std::string_view name) const;

private:
    const RunRecord& record_;
    const AcceleratorSpec& accelerator_;
    const RunSpec* run_;
    const StackSpec* stack_;
};

/// Whether a fact, nothing where it is not stated, meets a condition. `Error` where one that must be above or
/// below a number is none.
bool holds(const RecordCondition& condition, const std::optional<std::string>& fact);

/// Whether scaled_dot_product_attention ran FlashAttention-2 on every architecture: before torch 2.11, whose
/// cuDNN (9.15.1 and later) is the first that it prefers on Hopper and Blackwell (transformers pull request
/// 48163). A source that names no release is dated by its year.
bool before_cudnn_attention(const RunRecord& record);

/// "q,v,mlp": adapts these matrices and no others; false, and nothing changed, where another word is among
/// them.
bool set_adapter_targets(AdapterSpec& adapter, const std::string& list);

/// The first rule about it that holds; null where none does.
const RecordRule* rule_for(const RecordRules& rules, std::string_view about, const StatedFacts& facts);

/// Sets a field of a run by its name in the rules: "recompute", "zero", "adapter.targets", ... `Error` of
/// kind input for an unknown field or value.
void set_field(RunSpec& run, const std::string& field, const std::string& value);

}  // namespace traincost
