#include "traincost/import/logs/lines/log_forms.hpp"

#include <array>

#include "traincost/base/scale.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

using enum LogFact;
using enum LogSuffix;

/// The number behind `name` at `at`, behind blanks and what `skipped` lists.
bool iteration_behind(std::string_view line, std::size_t at, std::string_view skipped, LogFacts& facts) {
    at = line.find_first_not_of(skipped, at);
    if (at == line.npos) {
        return false;
    }
    facts.iteration = whole_number_at(line, at);
    constexpr std::int64_t longest_group = 1000;
    for (std::size_t group = at; facts.iteration && *facts.iteration < longest_group * longest_group &&
                                 group < line.size() && line[group] == ',';) {  // "10,000"
        std::size_t end = group + 1;
        const std::optional<std::int64_t> digits = whole_number_at(line, end);
        if (!digits || end != group + 4 || line[group + 1] == ' ' || *facts.iteration == 0) {
            break;
        }
        facts.iteration = *facts.iteration * longest_group + *digits;
        group = at = end;
    }
    at = line.find_first_not_of(' ', at);
    if (facts.iteration && at != line.npos && line[at] == '/') {
        facts.planned = whole_number_at(line, ++at);
    }
    return facts.iteration.has_value();
}

/// Where `name` stands before `at` with an iteration behind it; npos where it does not.
std::size_t iteration_before(std::string_view line, std::size_t at, std::string_view name,
                             std::string_view skipped, LogFacts& facts) {
    const std::size_t begin = find_in(line, name);
    const bool found =
        begin != line.npos && begin <= at && iteration_behind(line, begin + name.size(), skipped, facts);
    return found ? begin : line.npos;
}

// ---- Megatron and what grew from it ----

constexpr std::array<LogRule, 39> megatron_rules = {{
    {"elapsed time per iteration (ms)", step_time, milli},
    {"elapsed time per iteration ms", step_time, milli},
    {"elapsed time per iteration (s)", step_time},
    {"elapsed time per iteration", step_time, milli, LogSuffix::time},  // "21392.5 ms"
    {"throughput per GPU (TFLOP/s/GPU)", tflops_per_gpu},
    {"compute per GPU (TFLOP/s/GPU)", tflops_per_gpu},
    {"throughput (TFLOP/s/GPU)", tflops_per_gpu},
    {"TFLOP/s/GPU", tflops_per_gpu},
    {"TFLOPs", tflops_per_gpu},
    {"approx flops per GPU", tflops_per_gpu, 1.0, flops},
    {"tokens per gpu per second (tgs)", tokens_per_s_per_gpu},
    {"tokens per gpu per second(tgs)", tokens_per_s_per_gpu},
    {"tokens per gpu per second tgs", tokens_per_s_per_gpu},
    {"tokens per GPU (tokens/s/GPU)", tokens_per_s_per_gpu},
    {"token throughput per GPU (tokens/s/GPU)", tokens_per_s_per_gpu},
    {"tokens/s/GPU inst/harmonic mean", tokens_per_s_per_gpu},
    {"throughput (tokens/sec/GPU)", tokens_per_s_per_gpu},
    {"tokens/sec/gpu", tokens_per_s_per_gpu},
    {"tokens/s/GPU", tokens_per_s_per_gpu},
    {"tokens/s/gpu", tokens_per_s_per_gpu},
    {"tokens per second", tokens_per_s},
    {"tokens/sec", tokens_per_s},
    {"tokens/s", tokens_per_s},
    {"samples per second", samples_per_s},
    {"samples/sec", samples_per_s},
    {"throughput(samples/s)", samples_per_s},
    {"lm loss", loss},
    {"|loss", loss},
    {"global batch size", global_batch},
    {"actual seqlen", sequence},
    {"number of skipped iterations", skipped},
    {"number of nan iterations", nan_steps},
    {"hip mem usage/free/total/usage ratio", device, gibi, bytes},
    {"rocm mem usage/free/total/usage ratio", device, gibi, bytes},
    {"rocm max mem usage/usage ratio", device, gibi, bytes},
    {"rocm max mem usage", device, gibi, bytes},
    {"max mem usage/usage ratio", device, gibi, bytes},
    {"mem max allocated gigabytes", allocated, giga},
    {"mem max reserved gigabytes", reserved, giga},
}};

constexpr std::array<LogRule, 11> nanotron_rules = {{
    {"elapsed time per iteration ms", step_time, milli, si},
    {"time per iteration ms", step_time, milli, si},
    {"tokens per sec per gpu", tokens_per_s_per_gpu, 1.0, si},
    {"tokens per sec", tokens_per_s, 1.0, si},
    {"model tflops per gpu", tflops_per_gpu, 1.0, si},
    {"lm loss", loss, 1.0, si},
    {"loss", loss, 1.0, si},
    {"cuda memory allocated", allocated, 1.0, si},
    {"cuda max memory allocated", allocated, 1.0, si},
    {"cuda max memory reserved", reserved, 1.0, si},
    {"cuda memory reserved", reserved, 1.0, si},
}};

bool read_nanotron(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "iteration:";
    if (!iteration_behind(line, at + name.size(), " ", facts) || !facts.planned) {
        return false;
    }
    read_facts(line.substr(at + name.size()), indexed_rules<nanotron_rules>, facts);
    return facts.has(tokens_per_s) || facts.has(tokens_per_s_per_gpu) || facts.has(step_time);
}

constexpr std::array<LogRule, 2> nanotron_memory = {
    {{"Peak reserved", reserved, mebi, bytes}, {"Peak allocated", allocated, mebi, bytes}}};

bool read_nanotron_memory(std::string_view line, std::size_t at, LogFacts& facts) {
    read_facts(line.substr(at), indexed_rules<nanotron_memory>, facts);
    constexpr std::string_view name = "Peak allocated";
    read_fact(line.substr(at + name.size()), nanotron_memory[1], facts);  // older: without a colon
    return true;
}

constexpr std::array<LogRule, 9> nemo_rules = {{
    {"train step timing in s", step_time},
    {"reduced train loss", loss},
    {"global batch size", global_batch},
    {"peak memory usage", allocated},
    {"memory allocated", allocated},
    {"max memory reserved", reserved},
    {"tokens per sec per gpu", tokens_per_s_per_gpu},
    {"TFLOPS per GPU", tflops_per_gpu},
    {"tflops per sec per gpu", tflops_per_gpu},
}};

/// "Training epoch 0, iteration 3/99 | … global_step: 3 | …": the iteration starts again with every epoch.
bool read_nemo(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "Training epoch ";
    constexpr std::string_view then = "iteration ";
    constexpr std::string_view global = "global_step: ";
    at += name.size();
    const std::optional<std::int64_t> epoch = whole_number_at(line, at);
    const std::size_t found = find_in(line, then, at);
    if (!epoch || found == line.npos || !iteration_behind(line, found + then.size(), " ", facts)) {
        return false;
    }
    if (std::size_t step = find_in(line, global, at); step != line.npos) {
        step += global.size();
        if (const std::optional<std::int64_t> n = whole_number_at(line, step)) {
            facts.iteration = n;
        }
    } else if (facts.planned && *facts.planned < (std::int64_t{1} << 31) && *epoch < (1 << 20)) {
        *facts.iteration += *epoch * (*facts.planned + 1);
    }
    read_facts(line.substr(at), indexed_rules<nemo_rules>, facts);
    return true;
}

/// DLLogger's: DLLL {…, "type": "LOG", "step": 16, "data": {"reduced_train_loss": 10.9, …}}.
bool read_dllogger(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "\"step\":";
    const std::size_t step = find_in(line, name, at);
    if (step == line.npos || !iteration_behind(line, step + name.size(), " ", facts)) {
        return false;
    }
    read_facts(line.substr(step), indexed_rules<nemo_rules>, facts);
    return facts.known != 0;
}

constexpr std::array<LogRule, 4> automodel_rules = {{
    {"loss", loss},
    {"tps", tokens_per_s},
    {"tps per gpu", tokens_per_s_per_gpu},
    {"mem", allocated, gibi},
}};

/// NeMo Automodel's file of metrics: {"step": 9, "epoch": 0, "loss": 0.6974, …, "tps_per_gpu": 1409.8, …}.
bool read_automodel_json(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    constexpr std::string_view name = "\"step\":";
    const std::size_t step = find_in(line, name);
    if (step == line.npos || !iteration_behind(line, step + name.size(), " ", facts)) {
        return false;
    }
    read_facts(line, indexed_rules<automodel_rules>, facts);
    return facts.has(loss);
}

constexpr std::string_view iteration_name = "iteration";

/// The next place from `from` where "iteration" names a number, or npos.
std::size_t numbered_iteration(std::string_view line, std::size_t from) {
    for (std::size_t at = find_in(line, iteration_name, from); at != line.npos;
         at = find_in(line, iteration_name, at + 1)) {
        const std::size_t behind = line.find_first_not_of(" =:", at + iteration_name.size());
        const bool numbered = behind != line.npos && line[behind] >= '0' && line[behind] <= '9';
        if (numbered && !line.substr(0, at).ends_with("per ")) {  // "per iteration: 21392.5 ms"
            return at;
        }
    }
    return line.npos;
}

}  // namespace

bool read_nemo_rest(std::string_view line, LogFacts& facts) {
    read_facts(line, indexed_rules<nemo_rules>, facts);
    return facts.known != 0;
}

bool read_megatron_rest(std::string_view line, LogFacts& facts) {
    if (line.find('|') == line.npos || numbered_iteration(line, 0) != line.npos || holds(line, "memory (")) {
        return false;
    }
    read_facts(line, indexed_rules<megatron_rules>, facts);
    return facts.known != 0;
}

namespace {

/// " iteration 10/ 100 | … elapsed time per iteration (ms): 1147.6 | …" and its dialects.
bool read_iteration(std::string_view line, std::size_t at, LogFacts& facts) {
    at = numbered_iteration(line, at);
    if (at == line.npos || !iteration_behind(line, at + iteration_name.size(), " =:", facts)) {
        return false;
    }
    // A second record in the same line is another's: ranks write over each other.
    const std::size_t next = numbered_iteration(line, at + iteration_name.size());
    facts.next = next == line.npos ? 0 : next;
    read_facts(line.substr(0, next), indexed_rules<megatron_rules>, facts);
    read_bare_values(line.substr(0, next), facts);
    read_unnamed_rates(line.substr(0, next), facts);
    return facts.has(step_time) || (facts.planned && (facts.known != 0 || holds(line, "| consumed")));
}

constexpr std::array<LogRule, 7> megatron_memory = {{
    {"max reserved", reserved, mebi, bytes},
    {"max allocated", allocated, mebi, bytes},
    {"reserved", reserved, mebi, bytes},
    {"allocated", allocated, mebi, bytes},
    {"max cached", reserved, mebi, bytes},  // as PyTorch called it until 2020
    {"cached", reserved, mebi, bytes},
    {"device usage", device, mebi, bytes},
}};

constexpr std::array<LogRule, 8> megatron_memory_GB = {{
    {"mem max reserved gigabytes", reserved, giga},
    {"mem max allocated gigabytes", allocated, giga},
    {"mem reserved gigabytes", reserved, giga},
    {"mem allocated gigabytes", allocated, giga},
    {"max reserved", reserved, gibi, bytes},
    {"max allocated", allocated, gibi, bytes},
    {"reserved", reserved, gibi, bytes},
    {"allocated", allocated, gibi, bytes},
}};

constexpr std::array<LogRule, 2> megatron_rate = {
    {{"GPU utilization", tflops_per_gpu}, {"Effective Tera Flops per GPU", tflops_per_gpu}}};

/// What AMD's launch scripts print at the end of a run.
constexpr std::array<LogRule, 1> megatron_summary = {{{"tokens/GPU/s", whole_run_tokens_per_s_per_gpu}}};

// ---- DeepSpeed ----

constexpr std::array<LogRule, 7> deepspeed_rules = {{
    {"CurrSamplesPerSec", samples_per_s},
    {"RunningAvgSamplesPerSec", running_samples_per_s},
    {"SamplesPerSec", samples_per_s},
    {"MaxMemAllocated", allocated, gibi, bytes},
    {"MemAllocated", allocated, gibi, bytes},
    {"iter time (s)", step_time},  // of the pipeline engine, whose lines have a loss
    {"samples/sec", samples_per_s},
}};

bool read_deepspeed(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "global_step=";
    const std::size_t step = find_in(line, name);
    if (step != line.npos && step < at) {
        iteration_behind(line, step + name.size(), " ", facts);
    } else if (const std::size_t slash = line.rfind('/', at); slash != line.npos && slash < at) {
        iteration_behind(line, slash + 1, " ", facts);  // older: "0/20, RunningAvg…"
        facts.planned.reset();
    }
    read_facts(line, indexed_rules<deepspeed_rules>, facts);
    return facts.known != 0;
}

/// The pipeline engine's "steps: 10 loss: 3.28 iter time (s): 1.204 samples/sec: 13.289".
bool read_deepspeed_pipeline(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t steps = iteration_before(line, at, "steps:", " ", facts);
    if (steps == line.npos) {
        return false;
    }
    read_facts(line.substr(steps), indexed_rules<deepspeed_rules>, facts);
    constexpr std::string_view loss_name = "loss:";
    if (const std::size_t behind = find_in(line, loss_name, steps); behind != line.npos) {
        read_fact(line.substr(behind + loss_name.size()), {"", loss}, facts);
    }
    return facts.has(step_time);
}

constexpr std::array<LogRule, 1> deepspeed_skipped = {{{"skipped", skipped_total}}};

bool read_overflow(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    if (holds(line, "Rank 0") || !holds(line, "Rank")) {  // once, not once a rank
        facts.set(skipped, 1.0);
    }
    return true;
}

/// "MA 0.36 GB         Max_MA 0.36 GB         CA 0.61 GB         Max_CA 1 GB"
bool read_deepspeed_memory(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view cached = "Max_CA";
    constexpr std::string_view allocated_most = "Max_MA";
    read_fact(line.substr(at + cached.size()), {"", reserved, gibi, bytes}, facts);
    if (const std::size_t ma = find_in(line, allocated_most); ma != line.npos) {
        read_fact(line.substr(ma + allocated_most.size()), {"", allocated, gibi, bytes}, facts);
    }
    return true;
}

constexpr std::array<LogRule, 3> deepspeed_chat_rules = {{
    {"Latency", step_time, 1.0, LogSuffix::time},
    {"TFLOPs", tflops_per_gpu},
    {"Samples/sec", samples_per_s},
}};

/// DeepSpeed-Chat's "Model Parameters: 1.429 B, Latency: 0.60s, TFLOPs: 77.26, Samples/sec: 26.59, …": of a
/// step that is named before, if at all.
bool read_deepspeed_chat(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    read_facts(line, indexed_rules<deepspeed_chat_rules>, facts);
    facts.iteration = 0;  // numbered when it is known whether a loss stood before
    return facts.has(step_time) && facts.has(samples_per_s);
}

constexpr std::array<LogRule, 1> deepspeed_chat_loss_rules = {{{"loss", loss}}};

/// "Epoch: 0, Step: 5, Rank: 0, loss = 7.789": the step begins again with every epoch.
bool read_deepspeed_chat_loss(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "Epoch:";
    constexpr std::int64_t longest_epoch = 1'000'000;
    std::size_t behind = find_in(line, name);
    if (behind == line.npos || behind > at || iteration_before(line, at, "Step:", " ", facts) == line.npos) {
        return false;
    }
    const std::optional<std::int64_t> epoch = whole_number_at(line, behind += name.size());
    if (!epoch || *epoch >= (1 << 20)) {
        return false;
    }
    *facts.iteration += *epoch * longest_epoch;
    read_facts(line.substr(at), indexed_rules<deepspeed_chat_loss_rules>, facts);
    return facts.has(loss);
}

// ---- torchtitan, torchtune, MaxText, XTuner ----

constexpr std::array<LogRule, 7> torchtitan_rules = {{
    {"loss", loss},
    {"memory", reserved, gibi, bytes},
    {"tps", tokens_per_s_per_gpu},
    {"wps", tokens_per_s_per_gpu},
    {"tflops", tflops_per_gpu},
    {"elapsed time per step", step_time, 1.0, LogSuffix::time},
    {"time/step", step_time, 1.0, LogSuffix::time},
}};

bool read_torchtitan(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "step:";
    const std::string_view before = line.substr(0, at);
    const bool own_word = at == 0 || before.back() == ' ' || before.back() == '\t';
    if (!own_word || before.ends_with("validate ") || before.ends_with("completed ") ||
        !iteration_behind(line, at + name.size(), " ", facts)) {
        return false;
    }
    if (holds(line.substr(at), ", loss:")) {  // torchtitan sets values off by blanks
        return false;
    }
    read_facts(line.substr(at), indexed_rules<torchtitan_rules>, facts);
    return facts.has(loss) && (facts.has(tokens_per_s_per_gpu) || facts.has(reserved) ||
                               facts.has(tflops_per_gpu) || holds(line, "mfu:"));
}

constexpr std::array<LogRule, 7> torchtune_rules = {{
    {"loss", loss},
    {"tokens per second per gpu", tokens_per_s_per_gpu},
    {"peak memory active", allocated, gibi},
    {"peak memory alloc", allocated, gibi},
    {"peak memory reserved", reserved, gibi},
    {"time per step s", step_time},
    {"gpu resources", reserved},  // the oldest: bytes
}};

bool read_torchtune(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "Step ";
    if (!iteration_behind(line, at + name.size(), " ", facts) || facts.planned) {
        return false;
    }
    const std::size_t behind = line.find_first_not_of(" 0123456789", at + name.size());
    if (behind == line.npos || line[behind] != '|') {
        return false;  // "Step 100 per-step time 0.813s loss=1.396" is another's
    }
    read_facts(line.substr(at), indexed_rules<torchtune_rules>, facts);
    return facts.has(loss);
}

constexpr std::array<LogRule, 2> torchtune_memory = {{{"GPU peak memory allocation", allocated, gibi, bytes},
                                                      {"GPU peak memory reserved", reserved, gibi, bytes}}};

constexpr std::array<LogRule, 6> maxtext_rules = {{
    {"seconds", step_time},
    {"TFLOP/s/device", tflops_per_gpu},
    {"TFLOP/s", tflops_per_gpu},  // the oldest: of a device too
    {"Tokens/s/device", tokens_per_s_per_gpu},
    {"loss", loss},
    {"main model loss", loss},  // where further tokens are predicted too
}};

bool read_maxtext(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t step = iteration_before(line, at, "step: ", " ", facts);
    if (step == line.npos) {
        return false;
    }
    read_facts(line.substr(step), indexed_rules<maxtext_rules>, facts);
    return facts.has(step_time);
}

bool read_maxtext_memory(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "Using (GB)";
    if (!holds(line, "Available")) {  // the host's
        read_fact(line.substr(at + name.size()), {"", device, gibi}, facts);
    }
    return true;
}

constexpr std::array<LogRule, 1> maxtext_total = {{{"Total memory size", device, gibi, bytes}}};

constexpr std::array<LogRule, 12> xtuner_rules = {{
    {"time", step_time},
    {"max memory", allocated, gibi, bytes},
    {"reserved memory", reserved, gibi, bytes},
    {"memory", allocated, mebi},
    {"tgs", tokens_per_s_per_gpu},
    {"tokens per sec", tokens_per_s_per_gpu},
    {"tflops", tflops_per_gpu},
    {"total loss", loss},
    {"reduced llm loss", loss},
    {"llm loss", loss},
    {"loss", loss},
    {"throughput", tokens_per_s_per_gpu},
}};

bool read_xtuner(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "Step ";
    if (!iteration_behind(line, at + name.size(), " ", facts) || !facts.planned) {
        return false;
    }
    read_facts(line.substr(at), indexed_rules<xtuner_rules>, facts);
    return facts.has(tokens_per_s_per_gpu) || facts.has(allocated);
}

/// "Iter(train) [  10/1920] …", "Epoch(train)  [1][ 10/50] …".
bool read_mmengine(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "(train) ";
    std::size_t begin = line.find_first_not_of(' ', at + name.size());
    if (begin == line.npos || line[begin] != '[') {
        return false;
    }
    ++begin;
    std::int64_t epoch = 0;
    if (const std::size_t second = line.find("][", begin); second != line.npos) {
        epoch = whole_number_at(line, begin).value_or(1) - 1;
        begin = second + 2;
    }
    if (!iteration_behind(line, begin, " ", facts)) {
        return false;
    }
    if (facts.planned && epoch > 0 && epoch < (1 << 20) && *facts.planned < (std::int64_t{1} << 31)) {
        *facts.iteration += epoch * *facts.planned;
    }
    read_facts(line.substr(at), indexed_rules<xtuner_rules>, facts);
    return true;
}

// ---- Hugging Face and LLaMA-Factory ----

constexpr std::array<LogRule, 33> hugging_face_rules = {{
    {"train samples per second", whole_run_samples_per_s},
    {"train steps per second", whole_run_steps_per_s},
    {"train tokens per second", whole_run_tokens_per_s},
    {"loss", loss},
    {"throughput", tokens_per_s},
    {"tokens per second per gpu", tokens_per_s_per_gpu},
    {"tokens/train per sec per gpu", tokens_per_s_per_gpu},
    {"tokens per gpu per sec", tokens_per_s_per_gpu},  // ms-swift
    {"tokens global per sec", tokens_per_s},
    {"train speed(iter/s)", steps_per_s},
    {"train speed(s/it)", step_time},
    {"memory/max active (GiB)", allocated, gibi},
    {"memory/max allocated (GiB)", allocated, gibi},
    {"memory/device reserved (GiB)", reserved, gibi},
    {"max memory allocated (GB)", allocated, gibi},
    {"memory/max mem active(gib)", allocated, gibi},
    {"memory/max mem allocated(gib)", allocated, gibi},
    {"memory/device mem reserved(gib)", reserved, gibi},
    {"memory/max memory active", allocated, gibi},
    {"memory/max memory allocated", allocated, gibi},
    {"memory/device memory reserved", reserved, gibi},
    {"memory/max mem active", allocated, gibi},
    {"memory/max mem allocated", allocated, gibi},
    {"memory/device mem reserved", reserved, gibi},
    {"memory(GiB)", reserved, gibi},
    {"vram allocated", allocated, gibi},
    {"vram reserved", reserved, gibi},
    {"memory usage", device, gibi, bytes},
    {"step tokens per second", tokens_per_s},  // Liger's callback, and its memory
    {"step peak memory allocated MB", allocated, mebi},
    {"total peak memory allocated MB", allocated, mebi},
    {"step peak memory reserved MB", reserved, mebi},
    {"total peak memory reserved MB", reserved, mebi},
}};

/// A dictionary with a loss; one line holds several where line ends were lost.
template <const auto& name>
bool read_trainer_line(std::string_view line, LogFacts& facts) {
    const std::size_t at = find_in(line, name);
    if (at == line.npos) {
        return false;
    }
    const std::size_t open = line.rfind('{', at);
    const std::size_t begin = open == line.npos ? at : open;
    const std::size_t next = line.find('{', find_in(line, name, at + 1) == line.npos ? line.npos : at);
    facts.next = next == line.npos ? 0 : next;
    read_facts(line.substr(begin, next == line.npos ? next : next - begin), indexed_rules<hugging_face_rules>,
               facts);
    if (!facts.has(loss)) {
        return false;
    }
    facts.iteration = 0;  // lines are counted, not numbered
    return true;
}

constexpr std::string_view trainer_loss = "'loss':";
constexpr std::string_view trainer_loss_json = "\"loss\":";

bool read_hugging_face(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    return read_trainer_line<trainer_loss>(line, facts);
}

/// trainer_state.json, whose entries have a line a key, and logs that are a JSON object a line.
bool read_hugging_face_json(std::string_view line, std::size_t at, LogFacts& facts) {
    const bool own_line = trimmed(line.substr(0, at)).empty();
    return (own_line || line.rfind('{', at) != line.npos) &&
           read_trainer_line<trainer_loss_json>(line, facts);
}

/// axolotl's "GPU memory usage while training: 26.202GB (+41.211GB cache, +1.545GB misc)".
bool read_axolotl_memory(std::string_view line, std::size_t at, LogFacts& facts) {
    const std::size_t colon = line.find(':', at);
    if (colon != line.npos && holds(line.substr(colon), "B (")) {
        read_fact(line.substr(colon + 1), {"", allocated, gibi, bytes}, facts);
    }
    return facts.has(allocated);
}

bool read_summary(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    read_facts(line, indexed_rules<hugging_face_rules>, facts);
    facts.forget(loss);
    return facts.known != 0;
}

constexpr std::array<LogRule, 5> llama_factory_rules = {{
    {"loss", loss},
    {"elapsed time", elapsed},
    {"throughput", tokens_per_s},
    {"vram allocated", allocated, gibi},
    {"vram reserved", reserved, gibi},
}};

bool read_llama_factory(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "\"current_steps\":";
    constexpr std::string_view total = "\"total_steps\":";
    if (!iteration_behind(line, at + name.size(), " ", facts)) {
        return false;
    }
    if (std::size_t behind = find_in(line, total, at); behind != line.npos) {
        facts.planned = whole_number_at(line, behind += total.size());
    }
    read_facts(line, indexed_rules<llama_factory_rules>, facts);
    const bool evaluation = value_behind(line, "\"eval_loss\":").has_value();  // in 2023, else null
    return facts.has(loss) || (facts.has(elapsed) && !evaluation);
}

// ---- Composer, nanochat ----

constexpr std::array<LogRule, 14> composer_rules = {{
    {"loss/train/total", loss},
    {"throughput/tokens per sec", tokens_per_s},
    {"throughput/device/tokens per sec", tokens_per_s_per_gpu},
    {"throughput/samples per sec", samples_per_s},
    {"throughput/batches per sec", steps_per_s},
    {"throughput/device/flops per sec", tflops_per_gpu, 1.0 / tera},
    {"memory/peak allocated mem", allocated, giga},
    {"memory/peak active mem", allocated, giga},
    {"memory/peak reserved mem", reserved, giga},
    {"memory/allocated mem", allocated, giga},
    {"memory/active mem", allocated, giga},
    {"memory/reserved mem", reserved, giga},
    {"memory/current allocated mem", allocated, giga},
    {"memory/current reserved mem", reserved, giga},
}};

/// What Composer prints about a step. Until 0.12 its memory was in bytes, and the allocated one the sum of
/// all that was ever allocated.
void read_composer_facts(std::string_view text, LogFacts& facts) {
    constexpr double most = 1e5 * giga;  // no accelerator has so much
    read_facts(text, indexed_rules<composer_rules>, facts);
    if (facts.has(reserved) && facts[reserved] >= most) {
        facts.set(reserved, facts[reserved] / giga);
    }
    if (facts.has(allocated) && facts[allocated] >= most) {
        const bool sum = holds(text, "memory/allocated_mem");
        sum ? facts.forget(allocated) : facts.set(allocated, facts[allocated] / giga);
    }
}

/// "[epoch=1][batch=5/50]:": begins a block. The batch starts again with every epoch.
bool read_composer(std::string_view line, std::size_t at, LogFacts& facts) {
    constexpr std::string_view name = "[batch=";
    constexpr std::string_view before = "[epoch=";
    if (!iteration_behind(line, at + name.size(), " ", facts) || !facts.planned) {
        return false;
    }
    if (std::size_t epoch = find_in(line, before); epoch != line.npos) {
        const std::int64_t n = whole_number_at(line, epoch += before.size()).value_or(1);
        if (n > 1 && n < (1 << 20) && *facts.planned < (std::int64_t{1} << 31)) {
            *facts.iteration += (n - 1) * *facts.planned;
        }
    }
    read_composer_facts(line.substr(at), facts);
    return true;
}

bool read_composer_value(std::string_view line, std::size_t at, LogFacts& facts) {
    read_composer_facts(line.substr(at), facts);
    return facts.known != 0;
}

constexpr std::array<LogRule, 8> nanochat_rules = {{
    {"loss", loss},
    {"train loss", loss},
    {"dt", step_time, 1.0, LogSuffix::time},
    {"step avg", step_time, milli, LogSuffix::time},
    {"tok/sec", tokens_per_s},
    {"tokens/sec", tokens_per_s},
    {"tok/s", tokens_per_s},
    {"tok s", tokens_per_s},
}};

bool read_nanochat(std::string_view line, std::size_t at, LogFacts& facts) {
    std::size_t step = iteration_before(line, at, "step", " :", facts);
    if (step == line.npos) {  // "44, loss: 6.5, dt: 187.6ms, tok/sec: 5457.8"
        std::size_t end = 0;
        facts.iteration = whole_number_at(line, end);
        if (!facts.iteration || end == line.size() || line[end] != ',') {
            return false;
        }
        step = 0;
    }
    read_facts(line.substr(step), indexed_rules<nanochat_rules>, facts);
    return facts.known != 0;
}

constexpr std::array<LogRule, 1> nanochat_tuning_rules = {{{"Training loss", loss}}};

/// Its fine-tuning: "Step 00010/00700 | Training loss: 1.093750| lrm: 1.0| num_tokens: 10,000".
bool read_nanochat_tuning(std::string_view line, std::size_t at, LogFacts& facts) {
    if (iteration_before(line, at, "Step ", " ", facts) == line.npos || !facts.planned) {
        return false;
    }
    read_facts(line, indexed_rules<nanochat_tuning_rules>, facts);
    return facts.has(loss);
}

constexpr std::array<LogRule, 10> peak_memory_rules = {{
    {"Peak reserved memory", reserved, gibi, bytes},  // Unsloth's notebooks
    {"GPU Memory", allocated, gibi, bytes},
    {"device memory usage", device, mebi, bytes},  // llm.c
    {"peak memory consumption", allocated, mebi, bytes},
    {"peak memory allocated", allocated, mebi, bytes},
    {"Peak memory usage", allocated, mebi, bytes},
    {"peak vram mb", allocated, mebi},
    {"reserved", reserved, mebi, bytes},
    {"Memory used", allocated, giga},
    {"Memory Used", allocated, giga},
}};

constexpr std::array<LogRule, 1> litgpt_summary = {{{"Tok/sec", whole_run_tokens_per_s}}};

/// A line whose values go to the step that follows, or to the run.
template <const auto& rules>
bool read_beside(std::string_view line, std::size_t /*at*/, LogFacts& facts) {
    read_facts(line, indexed_rules<rules>, facts);
    return facts.known != 0;
}

constexpr std::array forms = {
    LogForm{"iteration:", LogFamily::nanotron, read_nanotron},
    LogForm{"Training epoch ", LogFamily::nemo, read_nemo},
    LogForm{"DLLL ", LogFamily::nemo, read_dllogger},
    LogForm{"iteration", LogFamily::megatron, read_iteration},
    LogForm{"seconds:", LogFamily::maxtext, read_maxtext},
    LogForm{"step_avg:", LogFamily::nanochat, read_nanochat},
    LogForm{"tok/sec:", LogFamily::nanochat, read_nanochat},
    LogForm{"| Training loss:", LogFamily::nanochat, read_nanochat_tuning},
    LogForm{"step:", LogFamily::torchtitan, read_torchtitan},
    LogForm{"\"tps_per_gpu\":", LogFamily::nemo, read_automodel_json},
    LogForm{trainer_loss, LogFamily::hugging_face, read_hugging_face},
    LogForm{"\"current_steps\":", LogFamily::llama_factory, read_llama_factory},
    LogForm{trainer_loss_json, LogFamily::hugging_face, read_hugging_face_json},
    LogForm{"[batch=", LogFamily::composer, read_composer},
    LogForm{"(train) ", LogFamily::xtuner, read_mmengine},
    LogForm{"iter time:", LogFamily::litgpt, read_litgpt},
    LogForm{", time ", LogFamily::nanogpt, read_nanogpt},
    LogForm{",  time ", LogFamily::nanogpt, read_nanogpt},  // aligned
    LogForm{"Step ", LogFamily::xtuner, read_xtuner},
    LogForm{"Step ", LogFamily::torchtune, read_torchtune},
    LogForm{"|Loss:", LogFamily::torchtune, read_torchtune_bar},
    LogForm{"Epoch ", LogFamily::bar, read_progress_bar},
    LogForm{"s/ba, ", LogFamily::bar, read_composer_bar},
    LogForm{"s/it, ", LogFamily::bar, read_own_bar},
    LogForm{"it/s, ", LogFamily::bar, read_own_bar},
    LogForm{"s/it]", LogFamily::bar, read_own_titled_bar},
    LogForm{"it/s]", LogFamily::bar, read_own_titled_bar},
    LogForm{"SamplesPerSec=", LogFamily::deepspeed, read_deepspeed},
    LogForm{"iter time (s):", LogFamily::deepspeed, read_deepspeed_pipeline},
    LogForm{", Latency:", LogFamily::deepspeed_chat, read_deepspeed_chat},
    LogForm{", loss =", LogFamily::deepspeed_chat, read_deepspeed_chat_loss},
    LogForm{" tok/s", LogFamily::metrics, read_llm_c},
    LogForm{"(took ", LogFamily::metrics, read_llm_c},
    LogForm{" trl:", LogFamily::metrics, read_llm_c_losses},
    LogForm{" train ", LogFamily::metrics, read_bare_losses},
    LogForm{" loss=", LogFamily::metrics, read_fairseq},
    LogForm{"max mem: ", LogFamily::metrics, read_metric_logger},
    LogForm{"| num_label_tokens", LogFamily::nemo, read_automodel},
    LogForm{":::MLLOG", LogFamily::mlperf, read_mlperf},
    // beside the steps
    LogForm{"memory (MB)", LogFamily::megatron, read_beside<megatron_memory>},
    LogForm{"memory (GB)", LogFamily::megatron, read_beside<megatron_memory_GB>},
    LogForm{"max cached:", LogFamily::metrics, read_beside<megatron_memory>},
    LogForm{"CUDA memory ", LogFamily::metrics, read_spoken_memory},
    LogForm{"GPU utilization:", LogFamily::megatron, read_beside<megatron_rate>},
    LogForm{"Effective Tera", LogFamily::megatron, read_beside<megatron_rate>},
    LogForm{"tokens/GPU/s", LogFamily::megatron, read_beside<megatron_summary>},
    LogForm{"skipped=", LogFamily::deepspeed, read_beside<deepspeed_skipped>},
    LogForm{"Skipping step", LogFamily::deepspeed, read_overflow},
    LogForm{"MaxMemAllocated=", LogFamily::deepspeed, read_beside<deepspeed_rules>},  // in a row of its own
    LogForm{"Max_CA", LogFamily::deepspeed, read_deepspeed_memory},
    LogForm{"Peak allocated", LogFamily::nanotron, read_nanotron_memory},
    LogForm{"Using (GB)", LogFamily::maxtext, read_maxtext_memory},
    LogForm{"Total memory size", LogFamily::maxtext, read_beside<maxtext_total>},
    LogForm{"GPU peak memory", LogFamily::torchtune, read_beside<torchtune_memory>},
    LogForm{"train_s", LogFamily::hugging_face, read_summary},  // samples and steps per second
    LogForm{"train_tokens_per_second", LogFamily::hugging_face, read_summary},
    LogForm{"max_memory_allocated (GB)", LogFamily::hugging_face, read_summary},
    LogForm{"'memory/", LogFamily::hugging_face, read_summary},
    LogForm{"GPU memory usage", LogFamily::hugging_face, read_axolotl_memory},
    LogForm{"Peak reserved memory =", LogFamily::hugging_face, read_beside<peak_memory_rules>},
    LogForm{"Train ", LogFamily::composer, read_composer_value},
    LogForm{"peak memory", LogFamily::nanochat, read_beside<peak_memory_rules>},
    LogForm{"Peak memory usage", LogFamily::nanochat, read_beside<peak_memory_rules>},
    LogForm{"GPU Memory:", LogFamily::metrics, read_beside<peak_memory_rules>},
    LogForm{"device memory usage:", LogFamily::metrics, read_beside<peak_memory_rules>},
    LogForm{"peak_vram_mb", LogFamily::nanochat, read_beside<peak_memory_rules>},
    LogForm{"- Tok/sec ", LogFamily::litgpt, read_beside<litgpt_summary>},
    LogForm{"Memory used:", LogFamily::litgpt, read_beside<peak_memory_rules>},
    LogForm{"Memory Used ", LogFamily::litgpt, read_beside<peak_memory_rules>},
};
static_assert(forms.size() + log_word_count <= max_anchors);

}  // namespace

std::span<const LogForm> log_forms() {
    return forms;
}

std::string_view text_of(LogWord word) {
    static constexpr std::array<std::string_view, log_word_count> words = {"deepspeed",
                                                                           "DeepSpeed",
                                                                           "axolotl",
                                                                           "llamafactory",
                                                                           "LLaMA-Factory",
                                                                           "llmtuner",
                                                                           "NeMo",
                                                                           "rimus",  // with either capital
                                                                           "eval",
                                                                           "alid",  // with either capital
                                                                           "val loss",
                                                                           "val_loss",
                                                                           "aving checkpoint",
                                                                           "aved checkpoint",
                                                                           "Running training",
                                                                           "Training starts",
                                                                           "Resum",
                                                                           "\"epoch\":",
                                                                           "tep",
                                                                           "ter",
                                                                           "atch",
                                                                           "poch",
                                                                           "rain: ",
                                                                           "| loss ",
                                                                           "<th>Step</th>",
                                                                           "<th>Epoch</th>"};
    return words[static_cast<std::size_t>(word)];
}

}  // namespace traincost
