#include "traincost/spec/draft/job_fields.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "traincost/base/flag_values.hpp"
#include "traincost/base/text.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_values.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::usage, message);
}

template <class T>
struct is_quantity : std::false_type {};
template <int b, int f, int s, int d>
struct is_quantity<Quantity<b, f, s, d>> : std::true_type {};

template <class T>
T stated_type(Stated<T> JobDraft::*);

// ---- Values of JSON ----

template <class T>
constexpr FieldKind kind_of() {
    if constexpr (std::is_same_v<T, bool>)
        return FieldKind::toggle;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return FieldKind::count;
    else if constexpr (std::is_same_v<T, double> || is_quantity<T>::value)
        return FieldKind::number;
    else if constexpr (std::is_enum_v<T>)
        return FieldKind::choice;
    else
        return FieldKind::text;
}

template <class T>
T value_from(const FieldValue& value, std::int64_t unit) {
    if constexpr (std::is_same_v<T, double>)
        return std::get<double>(value) * static_cast<double>(unit);
    else if constexpr (is_quantity<T>::value)
        return T{std::get<double>(value) * static_cast<double>(unit)};
    else if constexpr (std::is_enum_v<T>)
        return *value_of<T>(std::get<std::string>(value));
    else
        return std::get<T>(value);
}

// ---- Text ----

std::int64_t positive(const std::string& text) {
    return parse_count(text, Range::positive);
}

std::string as_is(const std::string& text) {
    return text;
}

double token_count(const std::string& text) {
    return static_cast<double>(parse_count(text, Range::positive));
}

/// The value of a switch where one is given after all, as in --uneven-stages=true.
bool switched(const std::string& text) {
    const std::string value = lower(text);
    if (value.empty() || value == "true" || value == "on" || value == "yes" || value == "1")
        return true;
    if (value == "false" || value == "off" || value == "no" || value == "0")
        return false;
    fail("unknown value '" + text + "'; allowed: true, false");
}

Optimizer optimizer(const std::string& text) {
    const std::string meant = optimizer_meant_by(text);
    if (const auto value = value_of<Optimizer>(meant))
        return *value;
    return named<Optimizer>(text);
}

double positive_number(const std::string& text) {
    return parse_number(text, Range::positive);
}

double share_of_whole(const std::string& text) {
    const double x = parse_fraction(text, Range::positive);
    if (x > 1.0)
        fail("'" + text + "' is over 100%; allowed: up to 100%");
    return x;
}

double pue(const std::string& text) {
    const double x = parse_number(text, Range::positive);
    if (x < 1.0)
        fail("'" + text + "' must be at least 1 (the power of the nodes alone)");
    return x;
}

Dollars dollars(const std::string& text) {
    return parse_dollars(text);
}

Dollars positive_dollars(const std::string& text) {
    return parse_dollars(text, Range::positive);
}

Seconds positive_duration(const std::string& text) {
    return parse_duration(text, Range::positive);
}

Seconds duration(const std::string& text) {
    return parse_duration(text, Range::not_negative);
}

/// "5" microseconds, or a duration with its unit: "5us", "0.01ms".
double microseconds(const std::string& text) {
    constexpr double in_a_second = 1e6;
    const bool unit = !text.empty() && text.back() >= 'a' && text.back() <= 'z';
    return unit ? in_range(parse_duration(text, Range::positive).value() * in_a_second, Range::positive, text)
                : positive_number(text);
}

/// "300", "300W", "0.7 kW".
double watts(const std::string& text) {
    constexpr double in_a_kilowatt = 1e3;
    const auto [number, unit] = number_and_unit(text);
    const double factor = unit.empty() || unit == "W" ? 1.0 : unit == "kW" ? in_a_kilowatt : 0.0;
    if (factor == 0.0 || number.empty())
        fail("'" + text + "' is not a power; allowed: a number of W, or with a unit: W, kW");
    return in_range(parse_number(number, Range::positive) * factor, Range::positive, text);
}

ByteRate byte_rate(const std::string& text) {
    return parse_byte_rate(text, Range::positive);
}

template <class T>
std::string text_of(const T& x) {
    if constexpr (std::is_same_v<T, bool>)
        return x ? "on" : "off";
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return std::to_string(x);
    else if constexpr (std::is_same_v<T, double>)
        return to_exact(x);
    else if constexpr (std::is_same_v<T, Seconds>)
        return to_exact(x.value()) + "s";
    else if constexpr (std::is_same_v<T, ByteRate>)
        return to_exact(x.value()) + "B/s";
    else if constexpr (std::is_same_v<T, Dollars>)
        return to_exact(x.value());
    else if constexpr (std::is_enum_v<T>)
        return std::string(name_of(x));
    else if constexpr (std::is_same_v<T, std::string>)
        return x;
    else
        return to_text(x);
}

// ---- Fields whose text says more than one thing ----

/// What two flags say of one thing must be the same.
template <class T>
void agree(Stated<T>& known, const T& said, const std::string& where, const std::string& text,
           const std::string& other) {
    if (known && *known != said)
        fail("'" + text + "' contradicts " + other);
    known = {said, where};
}

void parse_gpu(JobDraft& d, const std::string& text, const std::string& where) {
    const CountedName said = counted_name(text);
    if (!said.count) {
        d.gpu = {said.name, where};
        return;
    }
    agree(d.gpus, *said.count, where, text, "--gpus " + std::to_string(d.gpus.value_or(0)));
    agree(d.gpu, said.name, where, text, "--gpus, which names another accelerator");
}

/// "8 H100" too, which as an accelerator's name could be a "4090 D".
CountedName counted_accelerators(const std::string& text) {
    const auto blank = text.find(' ');
    const bool number = blank != text.npos && text.find_first_not_of("0123456789") == blank;
    const CountedName said = counted_name(text);
    return said.count || !number ? said : counted_name(text.substr(0, blank) + "x" + text.substr(blank + 1));
}

void parse_gpus(JobDraft& d, const std::string& text, const std::string& where) {
    const CountedName said = counted_accelerators(text);
    if (!said.count) {
        agree(d.gpus, positive(text), where, text, "--gpu, which says " + std::to_string(d.gpus.value_or(0)));
        return;
    }
    agree(d.gpu, said.name, where, text, "--gpu " + d.gpu.value_or(""));
    agree(d.gpus, *said.count, where, text, "--gpu, which says " + std::to_string(d.gpus.value_or(0)));
}

void parse_sequence(JobDraft& d, const std::string& text, const std::string& where) {
    d.sequence = {sequence_length(text), where};
    d.sequence_as_given = {text, where};
}

void parse_compile(JobDraft& d, const std::string& text, const std::string& where) {
    d.compile.reset();
    d.compiled_parts.reset();
    if (text == "on" || text == "off")
        d.compile = {text == "on", where};
    else
        d.compiled_parts = {compiled_parts(text), where};
}

void parse_loss(JobDraft& d, const std::string& text, const std::string& where) {
    const auto colon = text.find(':');
    const LossKernel kind = named<LossKernel>(text.substr(0, colon));
    d.loss = {kind, where};
    d.loss_chunks.reset();
    if (colon == text.npos)
        return;
    if (!goes_by_chunks(kind))
        fail("'" + text + "': only chunked, chunked_linear and fused_linear take a number of chunks");
    d.loss_chunks = {positive(text.substr(colon + 1)), where};
}

void parse_reshard(JobDraft& d, const std::string& text, const std::string& where) {
    const auto colon = text.find(':');
    const Reshard policy = named<Reshard>(text.substr(0, colon));
    d.reshard = {policy, where};
    d.kept_blocks.reset();
    if (colon == text.npos)
        return;
    if (policy != Reshard::last_kept)
        fail("'" + text + "': only last_kept takes a number of blocks");
    d.kept_blocks = {positive(text.substr(colon + 1)), where};
}

bool is_number(const std::string& text) {
    return !text.empty() && (text.front() == '.' || (text.front() >= '0' && text.front() <= '9'));
}

void parse_mtbf(JobDraft& d, const std::string& text, const std::string& where) {
    if (is_number(text)) {
        d.between_failures = {positive_duration(text), where};
        d.failure_rate.reset();
    } else {
        d.failure_rate = {text, where};
        d.between_failures.reset();
    }
}

void parse_grid(JobDraft& d, const std::string& text, const std::string& where) {
    if (is_number(text)) {
        d.grid_grams_per_kwh = {parse_number(text, Range::not_negative), where};
        d.grid.reset();
    } else {
        d.grid = {text, where};
        d.grid_grams_per_kwh.reset();
    }
}

// ---- Rows ----

using Setter = void (*)(JobDraft&, const std::string&, const std::string&);

/// What of a field does not follow from its member.
struct Words {
    std::string_view key, flag, type, help;
    FieldGroup group;
    bool searchable = false;
    std::string_view unit{};
};

template <auto member, auto parse>
void parse_into(JobDraft& d, const std::string& text, const std::string& where) {
    d.*member = {parse(text), where};
}

/// The field kept in `member`, whose text `set` reads; in JSON it is in `unit` of the member's.
template <auto member, std::int64_t unit = 1>
JobField field_of(const Words& words, Setter set) {
    using T = decltype(stated_type(member));
    JobField field{.key = words.key,
                   .flag = words.flag,
                   .type = words.type,
                   .unit = words.unit,
                   .help = words.help,
                   .group = words.group,
                   .kind = kind_of<T>(),
                   .sweepable = !words.flag.empty(),
                   .searchable = words.searchable,
                   .choices = nullptr,
                   .parse = set,
                   .assign = nullptr,
                   .print = [](const JobDraft& d) -> std::optional<std::string> {
                       return d.*member ? std::optional(text_of(*(d.*member))) : std::nullopt;
                   },
                   .where = [](const JobDraft& d) -> const std::string* {
                       return d.*member ? &(d.*member).where : nullptr;
                   },
                   .copy =
                       [](JobDraft& to, const JobDraft& from) {
                           if (from.*member)
                               to.*member = from.*member;
                       }};
    if constexpr (std::is_enum_v<T>)
        field.choices = &enum_names<T>;
    if constexpr (std::is_same_v<T, RecomputeChoice> || std::is_same_v<T, AdapterTargets> ||
                  std::is_same_v<T, CompiledParts>) {
        field.kind = FieldKind::composite;
    } else {
        field.assign = [](JobDraft& d, const FieldValue& value, const std::string& where) {
            d.*member = {value_from<T>(value, unit), where};
        };
    }
    return field;
}

template <auto member, auto parse, std::int64_t unit = 1>
JobField row(const Words& words) {
    return field_of<member, unit>(words, &parse_into<member, parse>);
}

/// A string that JSON has as a string or as an object.
JobField composite(JobField field) {
    field.kind = FieldKind::composite;
    return field;
}

template <class Enum>
std::string alternatives() {
    std::string text;
    for (const std::string_view name : enum_names<Enum>())
        text += (text.empty() ? "" : "|") + std::string(name);
    return text;
}

constexpr bool searched = true;
constexpr std::int64_t hour = 3600;
constexpr std::int64_t year = 31'557'600;
constexpr std::int64_t giga = 1'000'000'000;

using D = JobDraft;

// clang-format off
void add_job(std::vector<JobField>& out) {
    const FieldGroup g = FieldGroup::job;
    const auto add = [&](const JobField& field) { out.push_back(field); };
    add(composite(row<&D::model, as_is>({"model", "--model", "ID|FILE|-", "Model: a catalogue id, a model file, or a Hugging Face config.json or its folder", g})));
    add(composite(field_of<&D::gpu>({"cluster.accelerator", "--gpu", "ID", "Accelerator: a catalogue id, optionally with a count, as in 8xH100", g}, parse_gpu)));
    add(field_of<&D::gpus>({"cluster.accelerators", "--gpus", "COUNT", "Number of accelerators, optionally with their name, as in 8xH100", g}, parse_gpus));
    add(row<&D::per_node, positive>({"cluster.per_node", "--per-node", "COUNT", "Accelerators per node, if different from the cluster's", g}));
    add(composite(row<&D::cluster, as_is>({"cluster.id", "--cluster", "ID", "Node type and network: a catalogue id", g})));
    add(field_of<&D::sequence>({"run.sequence", "--seq", "TOKENS", "Sequence length in tokens, as in 8192 or 8K (K = 1024); default: the model's usual", g}, parse_sequence));
    add(row<&D::micro_batch, positive>({"run.micro_batch", "--micro-batch", "COUNT", "Sequences per micro-batch on one rank; default: 1", g, searched}));
    add(row<&D::global_batch, positive>({"run.global_batch", "--global-batch", "COUNT", "Sequences per optimizer step; default: usual for model and task", g}));
    add(row<&D::accumulation, positive>({"run.accumulation", "--accumulation", "COUNT", "Micro-batches per rank and optimizer step, instead of --global-batch", g}));
    add(row<&D::tokens, token_count>({"run.tokens", "--tokens", "COUNT", "Training tokens, as in 15T; default: none, without days and cost", g}));
    add(row<&D::packed_length, positive>({"run.packed_length", "--packed-length", "TOKENS", "Mean length of documents packed into a sequence without attention between them, in tokens", g}));
    add(row<&D::padded_length, positive>({"run.padded_length", "--padded-length", "TOKENS", "Mean padded length of micro-batches in tokens; --seq is the longest sequence", g}));
}

void add_numerics(std::vector<JobField>& out) {
    const FieldGroup g = FieldGroup::numerics;
    static const std::string optimizers = alternatives<Optimizer>();
    static const std::string kernels = alternatives<AttentionKernel>();
    static const std::string places = alternatives<Offload>();
    static const std::string walks = alternatives<OptimizerKernel>();
    static const std::string tunings = alternatives<Tuning>();
    static const std::string scalings = alternatives<Fp8Scaling>();
    const auto add = [&](const JobField& field) { out.push_back(field); };
    add(composite(row<&D::stack, as_is>({"stack", "--stack", "ID", "Software stack: a catalogue id; default: usual on the accelerator", g})));
    add(composite(row<&D::precision, as_is>({"run.precision", "--precision", "RECIPE", "Precision recipe: bf16-mixed, bf16-amp, bf16-pure, fp8-mixed, ...; bf16, fp16 or fp8: the stack's own; default: the stack's", g})));
    add(row<&D::fp8_scaling, named<Fp8Scaling>>({"run.fp8_scaling", "--fp8-scaling", scalings, "Scaling of fp8 products; default: tensorwise", g}));
    add(row<&D::optimizer, optimizer>({"run.optimizer", "--optimizer", optimizers, "Optimizer; default: adamw", g}));
    add(row<&D::recompute, recompute_choice>({"run.recompute", "--recompute", "none|selective[:MODULES]|full[:EVERY|:layers=N]", "Activation recomputation in the backward pass; default: the stack's launcher's", g, searched}));
    add(row<&D::attention, named<AttentionKernel>>({"run.attention", "--attention", kernels, "Attention kernel; default: the stack's", g}));
    add(row<&D::attention_generation, named<AttentionGeneration>>({"run.attention_generation", "--attention-generation", "flash2|flash3|flash4|memory_efficient", "Flash kernel: flash-attn 2, 3 (cuDNN on Hopper) or 4, or memory-efficient; default: the stack's", g}));
    add(field_of<&D::compile>({"run.compile", "--compile", "on|off|PARTS", "Compilation, which fuses pointwise operators, or the parts it covers: blocks, attention, mlp, norms, loss; default: the stack's", g}, parse_compile));
    add(field_of<&D::compiled_parts>({"run.compiled_parts", "", "PARTS", "Parts that are compiled: attention, mlp, norms, loss", g}, parse_compile));
    add(field_of<&D::loss>({"run.loss", "--loss", "KIND[:CHUNKS]", "Loss: fp32_logits, vocab_parallel, fused_softmax, fused_linear (Liger), logits_format, chunked, chunked_linear; default: the stack's", g}, parse_loss));
    add(row<&D::loss_chunks, positive>({"run.loss_chunks", "", "COUNT", "Chunks of a loss taken in chunks", g}));
    add(row<&D::dropout, fraction>({"run.dropout", "--dropout", "FRACTION", "Dropout of hidden states and attention; default: the stack's", g}));
    add(row<&D::offload_optimizer, named<Offload>>({"run.offload_optimizer", "--offload-optimizer", places, "Location of optimizer states and updates; default: none, the accelerator", g, searched}));
    add(row<&D::offload_parameters, named<Offload>>({"run.offload_parameters", "--offload-parameters", places, "Location of weights; default: none, the accelerator", g, searched}));
    add(row<&D::offload_activations, fraction>({"run.offload_activations", "--offload-activations", "FRACTION", "Share of saved activations kept in host memory; default: 0", g, searched}));
    add(row<&D::host_speed, positive_number>({"run.host_speed", "--host-speed", "RATIO", "Host speed relative to the measured host, for kernel launches and offloaded updates; default: 1", g}));
    add(row<&D::optimizer_kernel, named<OptimizerKernel>>({"run.optimizer_kernel", "--optimizer-kernel", walks, "Optimizer implementation; default: the stack's", g}));
    add(row<&D::optimizer_in_backward, switched>({"run.optimizer_in_backward", "--optimizer-in-backward", "", "Apply and free each gradient as soon as it is computed", g}));
    add(row<&D::mlp_tiles, positive>({"run.mlp_tiles", "--mlp-tiles", "COUNT", "Sequence tiles that the MLP processes in turn and recomputes in the backward pass; default: 1", g}));
    add(row<&D::expandable_segments, on_or_off>({"run.expandable_segments", "--expandable-segments", "on|off", "PyTorch's expandable_segments; default: the stack's", g}));
    add(row<&D::tuning, named<Tuning>>({"run.tuning", "--tuning", tunings, "Trained parameters: all (full), or adapters; default: full", g}));
    add(row<&D::lora_rank, positive>({"run.adapter.rank", "--lora-rank", "N", "Adapter rank; implies --tuning lora; default: the stack's", g}));
    add(row<&D::lora_targets, adapter_targets>({"run.adapter", "--lora-targets", "LIST", "Matrices with adapters: q,k,v,o,mlp,head, or all (all but head); implies --tuning lora; default: the stack's", g}));
    JobField headroom = row<&D::headroom, headroom_share>({"run.headroom", "--headroom", "PERCENT", "Share of memory to keep free; default: 0", g});
    headroom.print = [](const JobDraft& d) { return d.headroom ? std::optional(to_exact(*d.headroom * 100.0)) : std::nullopt; };
    add(headroom);
    add(row<&D::adapter_dropout, fraction>({"run.adapter.dropout", "", "FRACTION", "Dropout before adapters", g}));
    add(row<&D::adapter_scale_and_bias, on_or_off>({"run.adapter.scale_and_bias", "", "on|off", "LitGPT's second adapter: scales and biases on every product", g}));
    add(row<&D::frozen_layers, positive>({"run.frozen_layers", "", "COUNT", "Lowest blocks that are not trained", g}));
    add(row<&D::activation_input_fp8, on_or_off>({"run.activation_input_fp8", "", "on|off", "The MLP activation keeps its input in FP8", g}));
    add(row<&D::expert_imbalance, positive_number>({"run.expert_imbalance", "--expert-imbalance", "RATIO", "Routed tokens on the busiest rank, relative to the mean; default: 1", g}));
    add(row<&D::neighbouring_experts, on_or_off>({"run.neighbouring_experts", "", "on|off", "A token's experts lie next to each other", g}));
    add(row<&D::expert_one_hot, on_or_off>({"run.expert_one_hot", "", "on|off", "Tokens reach experts by products with one-hot masks", g}));
}

void add_parallelism(std::vector<JobField>& out) {
    const FieldGroup g = FieldGroup::parallelism;
    static const std::string schedules = alternatives<Schedule>();
    static const std::string contexts = alternatives<ContextKind>();
    const auto add = [&](const JobField& field) { out.push_back(field); };
    add(row<&D::tp, positive>({"run.parallel.tp", "--tp", "N", "Tensor-parallel degree; default: 1", g, searched}));
    add(row<&D::pp, positive>({"run.parallel.pp", "--pp", "N", "Pipeline-parallel degree; default: 1", g, searched}));
    add(row<&D::vp, positive>({"run.parallel.vp", "--vp", "N", "Virtual stages per pipeline stage; default: 1", g, searched}));
    add(row<&D::uneven_stages, switched>({"run.uneven_stages", "--uneven-stages", "", "Allow pipelines that do not divide the layers; the first stages hold one layer more", g}));
    add(row<&D::dp, positive>({"run.parallel.dp", "--dp", "N", "Data-parallel degree; default: gpus/(tp*pp*cp)", g, searched}));
    add(row<&D::cp, positive>({"run.parallel.cp", "--cp", "N", "Context-parallel degree; default: 1", g, searched}));
    add(row<&D::ep, positive>({"run.parallel.ep", "--ep", "N", "Expert-parallel degree; default: 1", g, searched}));
    add(row<&D::etp, positive>({"run.parallel.etp", "--etp", "N", "Tensor-parallel degree of experts; default: the stack's", g, searched}));
    add(row<&D::zero, zero_stage>({"run.parallel.zero", "--zero", "0..3|ddp|fsdp", "ZeRO stage: 1 shards optimizer states, 2 also gradients, 3 also weights (FSDP); default: the stack's launcher's", g, searched}));
    add(row<&D::hybrid_shard, positive>({"run.parallel.hybrid_shard", "--hybrid-shard", "RANKS", "Ranks per shard group (HSDP); default: all data-parallel ranks", g, searched}));
    add(field_of<&D::reshard>({"run.reshard", "--reshard", "always|never|last_kept[:BLOCKS]", "Freeing of gathered weights after the forward pass (FSDP), or keeping them for the backward pass; default: always", g}, parse_reshard));
    add(row<&D::kept_blocks, positive>({"run.kept_blocks", "", "COUNT", "Blocks that stay gathered under last_kept", g}));
    add(row<&D::reduce, reduced_in>({"run.precision.reduce", "--reduce", "fp32|bf16|fp16", "Format of gradient reduction over data-parallel ranks; default: the precision's", g}));
    add(row<&D::sequence_parallel, on_or_off>({"run.parallel.sequence_parallel", "--sequence-parallel", "on|off", "Sequence parallelism between tensor-parallel regions; default: the stack's", g, searched}));
    add(row<&D::tp_overlap, on_or_off>({"run.parallel.tp_overlap", "--tp-overlap", "on|off", "Tensor-parallel collectives beside products (async TP, tp_comm_overlap), or between them; default: the stack's", g}));
    add(row<&D::schedule, named<Schedule>>({"run.schedule", "--schedule", schedules, "Pipeline schedule; default: the stack's", g, searched}));
    add(row<&D::context, named<ContextKind>>({"run.context", "--context", contexts, "Exchange of keys and values between context-parallel ranks; default: ring", g}));
}

void add_operation(std::vector<JobField>& out) {
    const FieldGroup g = FieldGroup::operation;
    const auto add = [&](const JobField& field) { out.push_back(field); };
    JobField price = row<&D::price, price_kind>({"operation.price", "--price", "KIND", "Kind of price: on-demand, reserved, spot, market or own; default: the catalogue's first", g});
    price.kind = FieldKind::choice;
    price.choices = &price_kinds;
    add(price);
    add(row<&D::gpu_hour, dollars>({"operation.usd_per_gpu_hour", "--gpu-hour-price", "DOLLARS", "Price per accelerator-hour in dollars", g, false, "$"}));
    add(row<&D::whole_nodes, switched>({"operation.whole_nodes", "--whole-nodes", "", "Pay for whole nodes; default: accelerators used", g}));
    add(row<&D::gpu_purchase, positive_dollars>({"operation.usd_per_gpu_purchase", "--gpu-purchase-price", "DOLLARS", "Purchase price per accelerator in dollars, node and network included, for --price own", g, false, "$"}));
    add(row<&D::life, positive_duration, year>({"operation.life_years", "--life", "TIME", "Write-off period, as in 1461d, for --price own", g, false, "years"}));
    add(row<&D::utilization, share_of_whole>({"operation.utilization", "--utilization", "FRACTION", "Share of its life that owned hardware spends training, for --price own; default: 100%", g}));
    add(row<&D::kwh, dollars>({"operation.usd_per_kWh", "--electricity-price", "DOLLARS", "Electricity price per kWh in dollars, for --price own", g, false, "$"}));
    add(row<&D::power_share, share_of_whole>({"operation.power_share", "--power-share", "FRACTION", "Share of the nodes' rated power drawn in training; default: 100%", g}));
    add(row<&D::power_limit_w, watts>({"operation.power_limit_W", "--power-limit", "WATTS", "Power limit of each accelerator, as set with nvidia-smi -pl, in W; default: the node's, else rated power", g, false, "W"}));
    add(row<&D::pue, pue>({"operation.pue", "--pue", "NUMBER", "Power usage effectiveness: facility power over node power", g}));
    add(field_of<&D::grid>({"operation.grid", "--grid", "GRAMS|ID", "Grid carbon intensity in g CO2e per kWh, as in 400, or a grid's id, as in france", g}, parse_grid));
    add(field_of<&D::failure_rate>({"operation.failure_rate", "--mtbf", "TIME|ID", "Accelerator-time between failures, as in 50000h, or a measured rate's id, as in llama-3-405b", g}, parse_mtbf));
    add(row<&D::storage, byte_rate, giga>({"operation.storage_GBps", "--storage-bandwidth", "RATE", "Aggregate checkpoint bandwidth, as in 200GB/s; training waits for checkpoints", g, false, "GB/s"}));
    add(row<&D::restart, duration>({"operation.restart_s", "--restart", "TIME", "Time from a failure to resumed training, excluding lost work", g, false, "s"}));
    add(field_of<&D::between_failures, hour>({"operation.accelerator_hours_per_failure", "", "TIME", "Accelerator-time between failures", g, false, "h"}, parse_mtbf));
    add(row<&D::price_of_other_nodes, switched>({"operation.price_of_other_nodes", "", "", "Price of the accelerator's other nodes, where its usual one has none", g}));
    add(field_of<&D::grid_grams_per_kwh>({"operation.g_CO2e_per_kWh", "", "GRAMS", "Grid carbon intensity per kWh", g, false, "g"}, parse_grid));
}

void add_network(std::vector<JobField>& out) {
    const FieldGroup g = FieldGroup::network;
    const auto add = [&](const JobField& field) { out.push_back(field); };
    add(row<&D::bus_GBps, gigabytes_per_second>({"operation.bus_GBps", "--bus-bandwidth", "GB_PER_S", "Link bandwidth per accelerator within a node, one direction, in GB/s or with a unit (400Gb/s); default: the cluster's", g, false, "GB/s"}));
    add(row<&D::network_Gbps, gigabits_per_second>({"operation.network_Gbps", "--network-bandwidth", "GBIT_PER_S", "Network bandwidth per node, in Gbit/s or with a unit (50GB/s); default: the cluster's", g, false, "Gbit/s"}));
    add(row<&D::bus_latency_us, microseconds>({"operation.bus_latency_us", "--bus-latency", "MICROSECONDS", "Latency of one collective step within a node, in microseconds or with a unit (5us); default: measured", g, false, "us"}));
    add(row<&D::network_latency_us, microseconds>({"operation.network_latency_us", "--network-latency", "MICROSECONDS", "Latency of one collective step between nodes, in microseconds or with a unit (20us); default: measured", g, false, "us"}));
}
// clang-format on

std::vector<JobField> all_fields() {
    std::vector<JobField> out;
    add_job(out);
    add_numerics(out);
    add_parallelism(out);
    add_operation(out);
    add_network(out);
    return out;
}

}  // namespace

std::span<const JobField> job_fields() {
    static const std::vector<JobField> fields = all_fields();
    return fields;
}

const JobField* job_field(std::string_view name) {
    const std::string_view bare = name.starts_with("--") ? name.substr(2) : name;
    for (const JobField& field : job_fields()) {
        if ((!field.flag.empty() && field.flag.substr(2) == bare) || field.key == name)
            return &field;
    }
    return nullptr;
}

void say(JobDraft& draft, const JobField& field, const std::string& text, const std::string& where) {
    try {
        field.parse(draft, text, where);
    } catch (const Error& error) {
        throw Error(ErrorKind::usage, where + ": " + error.what());
    }
}

}  // namespace traincost
