// Which framework printed a log, of those whose lines have one form.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traincost/import/logs/lines/log_facts.hpp"
#include "traincost/import/logs/lines/log_forms.hpp"
#include "traincost/import/logs/training_log.hpp"

namespace traincost {

/// What tells frameworks of one form of line apart.
struct LogDialects {
    bool neox = false;
    bool primus = false;
    bool deepspeed = false;
    bool nemo = false;
    bool composer = false;
    bool named_bar = false;      ///< a progress bar with values behind it
    bool framework_bar = false;  ///< a progress bar that a framework draws
    bool axolotl = false;
    bool factory = false;          ///< LLaMA-Factory's logger before the Trainer's dictionary
    bool numbered_to_end = false;  ///< nanochat's steps, not those of its ancestor
    bool mean_step = false;        ///< those of another descendant, with the mean time of a step
    bool trainer = false;          ///< names that the Trainer always writes beside its loss
};

/// Notes what a step line of `family` tells about its framework.
void look_for_dialects(LogFamily family, std::string_view line, const LogFacts& facts, LogDialects& dialects);

/// The framework of a log of that family, of which metrics have none; `words`: one bit for each `LogWord` it
/// holds; `deepspeed_timer`: lines of DeepSpeed's timer stand in it too.
std::optional<LogFramework> framework_of(LogFamily family, const LogDialects& dialects, std::uint64_t words,
                                         bool deepspeed_timer);

}  // namespace traincost
