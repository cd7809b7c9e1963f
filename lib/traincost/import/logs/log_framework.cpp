#include "traincost/import/logs/log_framework.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

/// Whether the line has the prefix of Primus, "[20260101 00:00:00][rank-7/8][INFO ] …", of whatever it runs.
bool has_primus_prefix(std::string_view line) {
    constexpr std::string_view rank = "][rank-";
    const std::size_t at = find_in(line, rank);
    if (at == line.npos) {
        return false;
    }
    const std::size_t behind = line.find_first_not_of("0123456789", at + rank.size());
    return behind != line.npos && line[behind] == '/';
}

/// Whether a loop of one's own draws the bar: it has no "Epoch 1:" with its share, nor the version that
/// Lightning gives a run.
bool is_bar_of_ones_own(std::string_view line) {
    constexpr std::string_view name = "Epoch ";
    const std::size_t epoch = find_in(line, name);
    const std::size_t behind =
        epoch == line.npos ? line.npos : line.find_first_not_of("0123456789", epoch + name.size());
    const bool counted = behind == line.npos || line[behind] != ':';
    return counted && holds(line, "%|") && !holds(line, "s/ba") && !holds(line, "ba/s") &&
           !holds(line, "v_num=");
}

}  // namespace

void look_for_dialects(LogFamily family, std::string_view line, const LogFacts& facts,
                       LogDialects& dialects) {
    const auto any = [&](std::initializer_list<std::string_view> words) {
        return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return holds(line, w); });
    };
    if (family == LogFamily::megatron) {
        dialects.primus |= has_primus_prefix(line);
        dialects.neox |= any({"approx flops per GPU", "samples/sec:", "lm_loss:"});
        dialects.primus |=
            any({"mem usage/free/total", "tokens per GPU (tokens/s/GPU):", "inst/harmonic mean"});
        constexpr std::string_view time = "elapsed time per iteration (ms): ";
        if (const std::size_t at = find_in(line, time); at != line.npos) {
            const std::optional<LogNumber> number = number_at(line.substr(at + time.size()));
            const std::size_t end = at + time.size() + (number ? number->end : 0);
            dialects.primus |= end < line.size() && line[end] == '/';  // current/average
        }
        dialects.deepspeed |=
            any({"samples per second", "samples_per_second", "TFLOPs", "(tgs)", "actual seqlen",
                 "curriculum seqlen", "lm-loss:", "Effective Tera Flops"}) ||
            (any({"consumed tokens", "consumed_tokens"}) && !holds(line, "throughput per GPU (TFLOP/s/GPU)"));
    }
    if (family == LogFamily::torchtitan || family == LogFamily::maxtext) {
        dialects.primus |= has_primus_prefix(line);
    }
    if (family == LogFamily::bar) {
        dialects.nemo |= any({"reduced_train_loss", "train_step_timing"});
        dialects.composer |= any({"s/ba", "ba/s"});
        const bool own = is_bar_of_ones_own(line);
        dialects.framework_bar |= !own;
        dialects.named_bar |= !own && (facts.has(LogFact::loss) || holds(line, "="));
    }
    if (family == LogFamily::hugging_face) {
        dialects.axolotl |= any({"'memory/max_", "'memory/device_"});
        dialects.factory |= holds(line, " >> {'loss'");
        dialects.trainer |= !holds(line, "'loss'") || any({"'epoch'", "'learning_rate'", "'grad_norm'"});
    }
    if (family == LogFamily::nanochat) {
        dialects.numbered_to_end |= facts.planned.has_value() || holds(line, "lrm:");
        dialects.mean_step |= holds(line, "step_avg:");
    }
}

std::optional<LogFramework> framework_of(LogFamily f, const LogDialects& dialects, std::uint64_t words,
                                         bool deepspeed_timer) {
    const auto word = [&](LogWord w) { return (words >> static_cast<int>(w) & 1U) != 0; };
    using enum LogWord;
    switch (f) {
        case LogFamily::megatron:
            if (dialects.neox) {
                return LogFramework::gpt_neox;
            }
            if (dialects.primus || word(primus)) {
                return LogFramework::primus;
            }
            return dialects.deepspeed || word(LogWord::deepspeed) || word(deepspeed_title) || deepspeed_timer
                       ? LogFramework::megatron_deepspeed
                       : LogFramework::megatron_lm;
        case LogFamily::nanotron:
            return LogFramework::nanotron;
        case LogFamily::nemo:
            return LogFramework::nemo;
        case LogFamily::torchtitan:
            return dialects.primus ? LogFramework::primus : LogFramework::torchtitan;
        case LogFamily::hugging_face:
            if (dialects.axolotl || word(axolotl)) {
                return LogFramework::axolotl;
            }
            if (dialects.factory || word(llama_factory) || word(llama_factory_title) ||
                word(llama_factory_old)) {
                return LogFramework::llama_factory;
            }
            return dialects.trainer ? std::optional(LogFramework::hf_trainer) : std::nullopt;
        case LogFamily::llama_factory:
            return LogFramework::llama_factory;
        case LogFamily::composer:
            return LogFramework::llm_foundry;
        case LogFamily::maxtext:
            return dialects.primus ? LogFramework::primus : LogFramework::maxtext;
        case LogFamily::litgpt:
            return LogFramework::litgpt;
        case LogFamily::nanogpt:
            return LogFramework::nanogpt;
        case LogFamily::torchtune:
            return LogFramework::torchtune;
        case LogFamily::xtuner:
            return LogFramework::xtuner;
        case LogFamily::nanochat:
            return dialects.numbered_to_end && !dialects.mean_step ? LogFramework::nanochat
                                                                   : LogFramework::nanogpt;
        case LogFamily::bar:
            if (dialects.composer) {
                return LogFramework::llm_foundry;
            }
            if (!dialects.framework_bar) {
                return std::nullopt;
            }
            return dialects.nemo || word(LogWord::nemo) ? LogFramework::nemo : LogFramework::lightning;
        case LogFamily::deepspeed:
        case LogFamily::deepspeed_chat:
            return LogFramework::deepspeed;
        case LogFamily::mlperf:
            return LogFramework::mlperf;
        case LogFamily::metrics:
            break;
    }
    return std::nullopt;
}

}  // namespace traincost
