// The lines that training frameworks print, and how each is read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "traincost/import/logs/lines/log_anchors.hpp"
#include "traincost/import/logs/lines/log_facts.hpp"

namespace traincost {

/// Frameworks whose iteration lines have one form.
enum class LogFamily : std::uint8_t {
    megatron,  ///< Megatron-LM, Megatron-DeepSpeed, GPT-NeoX, Primus
    nanotron,
    nemo,  ///< NeMo 2
    torchtitan,
    hugging_face,   ///< HF Trainer, axolotl, LLaMA-Factory on the console
    llama_factory,  ///< its trainer_log.jsonl
    composer,
    maxtext,
    litgpt,
    nanogpt,
    torchtune,
    xtuner,
    nanochat,
    bar,        ///< the progress bar of Lightning and NeMo 1
    deepspeed,  ///< its timer: beside many others
    mlperf,
    deepspeed_chat,  ///< DeepSpeed-Chat and what grew from it
    metrics,         ///< tables, JSON lines and values before their units, of whichever framework
};
inline constexpr int log_family_count = 18;

/// A form of line.
struct LogForm {
    std::string_view anchor;  ///< it holds this
    LogFamily family;
    /// Reads the line, whose anchor stands at `at`; false where it is not of this form after all. A line that
    /// names an iteration is a step; the facts of another go to the step that follows, memory to the run.
    bool (*read)(std::string_view line, std::size_t at, LogFacts& facts);
};

/// All forms, in the order in which they are tried.
std::span<const LogForm> log_forms();

/// Further words that mean something wherever they stand.
enum class LogWord : std::uint8_t {
    deepspeed,
    deepspeed_title,
    axolotl,
    llama_factory,
    llama_factory_title,
    llama_factory_old,
    nemo,
    primus,
    evaluation,
    validation,
    validation_loss,
    validation_loss_key,
    checkpoint,
    checkpoint_title,
    training_starts,
    training_begins,
    resuming,
    epoch_key,        ///< of JSON
    step_word,        ///< with either capital
    iter_word,        ///< likewise
    batch_word,       ///< likewise
    epoch_word,       ///< likewise
    train_title,      ///< "Train:", with either capital
    loss_behind_bar,  ///< of a line whose number has no name
    step_cell,        ///< of the Trainer's table in a notebook
    epoch_cell,       ///< likewise, where it evaluates once an epoch
};
inline constexpr int log_word_count = 26;
std::string_view text_of(LogWord word);

/// The rest of a Megatron line that was wrapped: fields between bars, without an iteration of its own.
bool read_megatron_rest(std::string_view line, LogFacts& facts);

/// The rest of a NeMo line, in a row of its own behind a bar.
bool read_nemo_rest(std::string_view line, LogFacts& facts);

// Forms that are more than rules; log_dialects.cpp, log_bars.cpp.
bool read_automodel(std::string_view line, std::size_t at, LogFacts& facts);
/// What some Megatron lines print barely: "lm loss 6.5E+00" of the oldest, and a "throughput: 7.340" without
/// unit, sequences a second where batch and time of the line say so.
void read_bare_values(std::string_view line, LogFacts& facts);
/// Rates of one accelerator under names that only their words tell: "Tokens per second per GPU (Tok/s/GPU)".
void read_unnamed_rates(std::string_view line, LogFacts& facts);
/// The seconds of an iteration that a progress bar shows behind `from`: "2.35s/it" or "0.43it/s".
std::optional<double> seconds_of_bar(std::string_view line, std::size_t from);
bool read_progress_bar(std::string_view line, std::size_t at, LogFacts& facts);
bool read_composer_bar(std::string_view line, std::size_t at, LogFacts& facts);
bool read_own_bar(std::string_view line, std::size_t at, LogFacts& facts);
bool read_own_titled_bar(std::string_view line, std::size_t at, LogFacts& facts);
bool read_fairseq(std::string_view line, std::size_t at, LogFacts& facts);
/// "Epoch: [1]  [10/1299]  eta: 0:00:04  loss: 6.59 (6.60)  time: 0.49  data: 0.00  max mem: 19152", of the
/// logger that many vision and multimodal programs share.
bool read_metric_logger(std::string_view line, std::size_t at, LogFacts& facts);
/// "Max CUDA memory allocated was 18 GB": in words, beside the steps.
bool read_spoken_memory(std::string_view line, std::size_t at, LogFacts& facts);
/// llm.c, whose values stand before their units.
bool read_llm_c(std::string_view line, std::size_t at, LogFacts& facts);
/// Its file of losses: "s:250 trl:6.0187 lr:0.000214 norm:0.95".
bool read_llm_c_losses(std::string_view line, std::size_t at, LogFacts& facts);
/// build-nanogpt's: "250 train 6.018700".
bool read_bare_losses(std::string_view line, std::size_t at, LogFacts& facts);
bool read_litgpt(std::string_view line, std::size_t at, LogFacts& facts);
bool read_nanogpt(std::string_view line, std::size_t at, LogFacts& facts);
bool read_torchtune_bar(std::string_view line, std::size_t at, LogFacts& facts);
bool read_mlperf(std::string_view line, std::size_t at, LogFacts& facts);

}  // namespace traincost
