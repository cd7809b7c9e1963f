#include <cli/job_flags.hpp>

#include <cli/everyday_names.hpp>
#include <cli/options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/spec/names.hpp>

#include <algorithm>
#include <type_traits>

namespace traincost::cli {

std::vector<std::string> names_of(const std::string& text) {
    std::vector<std::string> names = split(text, ',');
    names.erase(std::remove(names.begin(), names.end(), ""), names.end());
    if (names.empty()) {
        throw Error(ErrorKind::usage, "'" + text + "' names nothing");
    }
    return names;
}

double fraction(const std::string& text) {
    const double x = parse_fraction(text);
    if (x > 1.0) {
        throw Error(ErrorKind::usage, "'" + text + "' is more than the whole; allowed: 0 to 100%");
    }
    return x;
}

namespace {

template <class Enum>
std::string alternatives() {
    std::string text;
    for (const std::string_view name : enum_names<Enum>()) {
        text += (text.empty() ? "" : "|") + std::string(name);
    }
    return text;
}

/// A parser of an enumeration's names that lists what is allowed and suggests the nearest.
template <class Enum>
auto any_of() {
    return [](const std::string& text) {
        std::string meant = lower(text);
        if constexpr (std::is_same_v<Enum, Optimizer>) {
            meant = optimizer_meant_by(text);
        }
        if (const auto value = value_of<Enum>(meant)) {
            return *value;
        }
        std::string allowed;
        for (const std::string_view name : enum_names<Enum>()) {
            allowed += (allowed.empty() ? "" : ", ") + std::string(name);
        }
        throw Error(ErrorKind::usage, "'" + text + "' is not known" + did_you_mean(text, enum_names<Enum>()) +
                                          "; allowed: " + allowed);
    };
}

std::int64_t positive_count(const std::string& text) {
    return parse_count(text, Range::positive);
}

bool on_or_off(const std::string& text) {
    if (text == "on" || text == "off") {
        return text == "on";
    }
    throw Error(ErrorKind::usage, "'" + text + "' is not known; allowed: on, off");
}

RecomputeModules recompute_modules(const std::string& list) {
    RecomputeModules modules;
    for (const std::string& name : names_of(list)) {
        const auto module = recompute_module(name);
        if (module == nullptr) {
            throw Error(ErrorKind::usage, "'" + name + "' is no module to recompute; allowed: core_attn, " +
                                              "layernorm, activation, mlp, moe, mla_up_proj, per_op");
        }
        modules.*module = true;
    }
    return modules;
}

CompileFlag compile_flag(const std::string& text) {
    if (text == "on" || text == "off") {
        return {text == "on", {}};
    }
    CompiledParts parts;
    for (const std::string& name : names_of(text)) {
        if (name == "blocks") {
            parts.attention = parts.mlp = parts.norms = true;
            continue;
        }
        const auto part = compiled_part(name);
        if (part == nullptr) {
            throw Error(ErrorKind::usage, "'" + name +
                                              "' is no part to compile; allowed: on, off, or a list " +
                                              "of blocks, attention, mlp, norms, loss");
        }
        parts.*part = true;
    }
    return {{}, parts};
}

LossFlag loss_flag(const std::string& text) {
    const auto colon = text.find(':');
    const LossKernel kind = any_of<LossKernel>()(text.substr(0, colon));
    if (colon == text.npos) {
        return {kind, {}};
    }
    if (kind != LossKernel::chunked && kind != LossKernel::chunked_linear &&
        kind != LossKernel::fused_linear) {
        throw Error(ErrorKind::usage,
                    "'" + text + "': only chunked, chunked_linear and fused_linear are " + "taken in chunks");
    }
    return {kind, positive_count(text.substr(colon + 1))};
}

ReshardFlag reshard_flag(const std::string& text) {
    const auto colon = text.find(':');
    const Reshard policy = any_of<Reshard>()(text.substr(0, colon));
    if (colon == text.npos) {
        return {policy, 1};
    }
    if (policy != Reshard::last_kept) {
        throw Error(ErrorKind::usage, "'" + text + "': only last_kept takes a number of blocks");
    }
    return {policy, positive_count(text.substr(colon + 1))};
}

DataType reduced_in(const std::string& text) {
    const auto type = data_type_from(lower(text));
    if (type == DataType::fp32 || type == DataType::bf16 || type == DataType::fp16) {
        return *type;
    }
    throw Error(ErrorKind::usage,
                "'" + text + "' is no format gradients are reduced in; allowed: fp32, bf16, fp16");
}

}  // namespace

RecomputeFlag recompute_flag(const std::string& text) {
    const auto colon = text.find(':');
    const Recompute recompute = any_of<Recompute>()(text.substr(0, colon));
    if (colon == text.npos) {
        return {recompute, 1, {}, {}};
    }
    const std::string rest = text.substr(colon + 1);
    if (recompute == Recompute::selective) {
        return {recompute, 1, recompute_modules(rest), {}};
    }
    if (recompute != Recompute::full) {
        throw Error(ErrorKind::usage, "'" + text +
                                          "': only full takes a period, as in full:2, and selective " +
                                          "modules, as in selective:core_attn");
    }
    constexpr std::string_view layers = "layers=";
    if (rest.starts_with(layers)) {
        return {recompute, 1, {}, positive_count(rest.substr(layers.size()))};
    }
    return {recompute, positive_count(rest), {}, {}};
}

namespace {

std::int64_t zero_stage(const std::string& text) {
    if (const auto meant = zero_meant_by(text)) {
        return *meant;
    }
    const std::int64_t stage = parse_count(text);
    if (stage > 3) {
        throw Error(ErrorKind::usage, "'" + text + "' is not known; allowed: 0, 1, 2, 3");
    }
    return stage;
}

double headroom_share(const std::string& text) {
    // A bare number is a percentage, as the flag's name of its value says.
    const bool bare = !text.ends_with('%');
    const double x = bare ? parse_number(text, Range::not_negative) / 100.0 : parse_fraction(text);
    if (!(x < 1.0)) {
        throw Error(ErrorKind::usage, "'" + text + "' leaves no memory; allowed: 0 to less than 100");
    }
    return x;
}

/// What two flags say of one thing must be the same.
template <class T>
void agree(std::optional<T>& known, const T& said, const std::string& text, const std::string& other) {
    if (known && *known != said) {
        throw Error(ErrorKind::usage, "'" + text + "' contradicts " + other);
    }
    known = said;
}

void add_cluster_options(CLI::App& app, JobFlags& f) {
    // Either flag may be given as 8xH100, which says both.
    add_parsed(
        app, "--gpu", f.gpu, "ID",
        [&f](auto& t) {
            const CountedName said = counted_name(t);
            if (said.count) {
                agree(f.gpus, *said.count, t, "--gpus " + std::to_string(f.gpus.value_or(0)));
            }
            agree(f.gpu, said.name, t, "--gpus, which names another accelerator");
            return said.name;
        },
        "Accelerator: a catalogue id, or with its count as in 8xH100");
    add_parsed(
        app, "--gpus", f.gpus, "COUNT",
        [&f](auto& t) {
            const CountedName said = counted_name(t);
            const std::int64_t count = said.count ? *said.count : positive_count(t);
            if (said.count) {
                agree(f.gpu, said.name, t, "--gpu " + f.gpu.value_or(""));
            }
            agree(f.gpus, count, t, "--gpu, which says " + std::to_string(f.gpus.value_or(0)));
            return count;
        },
        "Number of accelerators");
    add_parsed(app, "--per-node", f.per_node, "COUNT", positive_count,
               "Accelerators per node, if different from the cluster's");
    add_parsed(
        app, "--cluster", f.cluster, "ID", [](auto& t) { return t; },
        "Node type and network: a catalogue id");
}

void add_batch_options(CLI::App& app, JobFlags& f) {
    add_parsed(
        app, "--seq", f.sequence, "TOKENS",
        [&f](auto& t) {
            f.sequence_as_given = t;
            return sequence_length(t);
        },
        "Sequence length in tokens: 8192, or 8K, where K is 1024");
    add_parsed(app, "--micro-batch", f.micro_batch, "COUNT", positive_count,
               "Sequences per micro-batch on one rank");
    add_parsed(app, "--global-batch", f.global_batch, "COUNT", positive_count,
               "Sequences per optimizer step");
    add_parsed(
        app, "--tokens", f.tokens, "COUNT",
        [](auto& t) { return static_cast<double>(parse_count(t, Range::positive)); },
        "Training tokens, as in 15T");
}

void add_parallel_options(CLI::App& app, JobFlags& f) {
    add_parsed(app, "--tp", f.tp, "N", positive_count, "Tensor-parallel degree");
    add_parsed(app, "--pp", f.pp, "N", positive_count, "Pipeline-parallel degree");
    add_parsed(app, "--vp", f.vp, "N", positive_count, "Virtual stages per pipeline stage");
    app.add_flag("--uneven-stages", f.uneven_stages,
                 "Allow a pipeline that does not divide the layers; the first stages hold one more");
    add_parsed(app, "--dp", f.dp, "N", positive_count, "Data-parallel degree; default: gpus / (tp*pp*cp)");
    add_parsed(app, "--cp", f.cp, "N", positive_count, "Context-parallel degree");
    add_parsed(app, "--ep", f.ep, "N", positive_count, "Expert-parallel degree");
    add_parsed(app, "--etp", f.etp, "N", positive_count, "Tensor-parallel degree of experts");
    add_parsed(app, "--zero", f.zero, "0..3|ddp|fsdp", zero_stage,
               "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights (FSDP)");
    add_parsed(app, "--reshard", f.reshard, "always|never|last_kept[:BLOCKS]", reshard_flag,
               "Fully sharded weights given back after each forward pass, or kept for the backward pass");
    add_parsed(app, "--reduce", f.reduce, "fp32|bf16|fp16", reduced_in,
               "Format gradients are reduced in over data-parallel ranks");
    add_parsed(app, "--hybrid-shard", f.hybrid_shard, "RANKS", positive_count,
               "Ranks per shard group (HSDP); default: all data-parallel ranks");
    add_parsed(app, "--sequence-parallel", f.sequence_parallel, "on|off", on_or_off,
               "Sharding of activations between tensor-parallel regions");
    add_parsed(app, "--schedule", f.schedule, alternatives<Schedule>(), any_of<Schedule>(),
               "Pipeline schedule");
    add_parsed(app, "--context", f.context, alternatives<ContextKind>(), any_of<ContextKind>(),
               "Exchange of keys and values between context-parallel ranks");
}

void add_numeric_options(CLI::App& app, JobFlags& f) {
    add_parsed(
        app, "--stack", f.stack, "ID", [](auto& t) { return t; }, "Software stack: a catalogue id");
    add_parsed(
        app, "--precision", f.precision, "RECIPE", [](auto& t) { return t; },
        "bf16-mixed, bf16-amp, bf16-pure, fp8-mixed, ...; bf16, fp16, fp8: the stack's");
    add_parsed(app, "--optimizer", f.optimizer, alternatives<Optimizer>(), any_of<Optimizer>(), "Optimizer");
    add_parsed(app, "--recompute", f.recompute, "none|selective[:MODULES]|full[:EVERY|:layers=N]",
               recompute_flag, "Activation recomputation in the backward pass");
    add_parsed(app, "--attention", f.attention, alternatives<AttentionKernel>(), any_of<AttentionKernel>(),
               "Attention kernel");
    add_parsed(app, "--attention-generation", f.attention_generation, "flash2|flash3|flash4|memory_efficient",
               any_of<AttentionGeneration>(), "Flash kernel: flash-attn 2, 3 (cuDNN on Hopper), 4");
    add_parsed(app, "--compile", f.compile, "on|off|PARTS", compile_flag,
               "Compilation, which fuses pointwise operators; or the parts it covers: blocks, attention, "
               "mlp, norms, loss");
    add_parsed(app, "--loss", f.loss, "KIND[:CHUNKS]", loss_flag,
               "Loss: fp32_logits, vocab_parallel, fused_softmax, fused_linear (Liger), logits_format, "
               "chunked, chunked_linear; default: the stack's");
    add_parsed(app, "--dropout", f.dropout, "FRACTION", fraction, "Dropout of hidden states and attention");
    const std::string offload = alternatives<Offload>();
    add_parsed(app, "--offload-optimizer", f.offload_optimizer, offload, any_of<Offload>(),
               "Location of optimizer states and updates");
    add_parsed(app, "--offload-parameters", f.offload_parameters, offload, any_of<Offload>(),
               "Location of weights");
    add_parsed(app, "--offload-activations", f.offload_activations, "FRACTION", fraction,
               "Share of saved activations kept in host memory");
    add_parsed(
        app, "--host-speed", f.host_speed, "RATIO", [](auto& t) { return parse_number(t, Range::positive); },
        "Single-thread speed of the host, over the one launch times were measured on; default: 1");
    add_parsed(app, "--optimizer-kernel", f.optimizer_kernel, alternatives<OptimizerKernel>(),
               any_of<OptimizerKernel>(), "Way the optimizer walks its tensors; default: the stack's");
    app.add_flag("--optimizer-in-backward", f.optimizer_in_backward,
                 "Each gradient is applied and freed as soon as it is made");
    add_parsed(app, "--packed-length", f.packed_length, "TOKENS", positive_count,
               "Mean length of the documents packed into a sequence, each attending to itself only");
    add_parsed(app, "--padded-length", f.padded_length, "TOKENS", positive_count,
               "Mean length of the sequences of a micro-batch, padded to its longest; --seq is the longest");
    add_parsed(app, "--mlp-tiles", f.mlp_tiles, "COUNT", positive_count,
               "Pieces of the sequence an MLP takes in turn and runs again backward; default: 1");
    add_parsed(app, "--expandable-segments", f.expandable_segments, "on|off", on_or_off,
               "PyTorch's expandable_segments; default: the stack's");
    add_parsed(app, "--tuning", f.tuning, alternatives<Tuning>(), any_of<Tuning>(),
               "Trained parameters: all, or adapters");
    add_parsed(app, "--lora-rank", f.lora_rank, "N", positive_count, "Adapter rank; implies --tuning lora");
    add_parsed(
        app, "--lora-targets", f.lora_targets, "LIST", [](auto& t) { return t; },
        "Matrices with adapters: q,k,v,o,mlp,head");
    add_parsed(app, "--headroom", f.headroom, "PERCENT", headroom_share, "Share of memory to keep free");
}

}  // namespace

void add_job_options(CLI::App& app, JobFlags& flags) {
    name_group(app, own_group);
    add_parsed(
        app, "--job", flags.job_file, "FILE|-", [](auto& t) { return t; },
        "Job file (JSON); other flags override it");
    add_parsed(
        app, "--model", flags.model, "ID|FILE|-", [](auto& t) { return t; },
        "Model: a catalogue id, a model file, or a Hugging Face config.json or its folder");
    add_cluster_options(app, flags);
    add_batch_options(app, flags);
    name_group(app, "Job");
    add_numeric_options(app, flags);
    name_group(app, "Numbers and kernels");
    add_parallel_options(app, flags);
    name_group(app, "Parallelism");
    add_operation_options(app, flags.operation);
    name_group(app, "Operation");
}

}  // namespace traincost::cli
