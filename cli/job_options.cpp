#include <cli/job_options.hpp>

#include <cli/model_input.hpp>
#include <cli/options.hpp>
#include <traincost/base/text.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/plan/search_space.hpp>
#include <traincost/spec/names.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace traincost::cli {

namespace {

// ---- Flags ----

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
        if (const auto value = value_of<Enum>(text)) {
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

RecomputeFlag recompute_flag(const std::string& text) {
    const auto colon = text.find(':');
    const Recompute recompute = any_of<Recompute>()(text.substr(0, colon));
    if (colon == text.npos) {
        return {recompute, 1};
    }
    if (recompute != Recompute::full) {
        throw Error(ErrorKind::usage, "'" + text + "': only full takes a period, as in full:2");
    }
    return {recompute, positive_count(text.substr(colon + 1))};
}

std::int64_t zero_stage(const std::string& text) {
    const std::int64_t stage = parse_count(text);
    if (stage > 3) {
        throw Error(ErrorKind::usage, "'" + text + "' is not known; allowed: 0, 1, 2, 3");
    }
    return stage;
}

double fraction(const std::string& text) {
    const double x = parse_fraction(text);
    if (x > 1.0) {
        throw Error(ErrorKind::usage, "'" + text + "' is more than the whole; allowed: 0 to 100%");
    }
    return x;
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

void add_cluster_options(CLI::App& app, JobFlags& f) {
    add_parsed(
        app, "--gpu", f.gpu, "ID", [](auto& t) { return t; }, "Accelerator: an id of the catalogue");
    add_parsed(app, "--gpus", f.gpus, "COUNT", positive_count, "Accelerators of the job");
    add_parsed(app, "--per-node", f.per_node, "COUNT", positive_count,
               "Accelerators of a node, where it is not the cluster's");
    add_parsed(
        app, "--cluster", f.cluster, "ID", [](auto& t) { return t; },
        "Node type and network: an id of the catalogue");
    add_parsed(
        app, "--gpu-hour-price", f.gpu_hour_price, "DOLLARS", [](auto& t) { return parse_dollars(t); },
        "Price of one accelerator-hour");
}

void add_batch_options(CLI::App& app, JobFlags& f) {
    add_parsed(app, "--seq", f.sequence, "TOKENS", positive_count, "Tokens of a sequence");
    add_parsed(app, "--micro-batch", f.micro_batch, "COUNT", positive_count, "Sequences a rank runs at once");
    add_parsed(app, "--global-batch", f.global_batch, "COUNT", positive_count, "Sequences of a step");
    add_parsed(
        app, "--tokens", f.tokens, "COUNT",
        [](auto& t) { return static_cast<double>(parse_count(t, Range::positive)); },
        "Tokens to train on: 15T");
}

void add_parallel_options(CLI::App& app, JobFlags& f) {
    add_parsed(app, "--tp", f.tp, "N", positive_count, "Tensor parallelism");
    add_parsed(app, "--pp", f.pp, "N", positive_count, "Pipeline stages");
    add_parsed(app, "--vp", f.vp, "N", positive_count, "Virtual stages of a pipeline stage");
    add_parsed(app, "--dp", f.dp, "N", positive_count, "Data parallelism; default: what the others leave");
    add_parsed(app, "--cp", f.cp, "N", positive_count, "Context parallelism");
    add_parsed(app, "--ep", f.ep, "N", positive_count, "Expert parallelism");
    add_parsed(app, "--etp", f.etp, "N", positive_count, "Tensor parallelism of experts");
    add_parsed(app, "--zero", f.zero, "0..3", zero_stage,
               "Shard over data-parallel ranks: 1 optimizer states, 2 and gradients, 3 and weights (FSDP)");
    add_parsed(app, "--hybrid-shard", f.hybrid_shard, "RANKS", positive_count,
               "Ranks of one shard group (HSDP); default: all");
    add_parsed(app, "--sequence-parallel", f.sequence_parallel, "on|off", on_or_off,
               "Shard activations between tensor-parallel regions");
    add_parsed(app, "--schedule", f.schedule, alternatives<Schedule>(), any_of<Schedule>(),
               "Pipeline schedule");
    add_parsed(app, "--context", f.context, alternatives<ContextKind>(), any_of<ContextKind>(),
               "How context-parallel ranks exchange keys and values");
}

void add_numeric_options(CLI::App& app, JobFlags& f) {
    add_parsed(
        app, "--stack", f.stack, "ID", [](auto& t) { return t; }, "Software stack: an id of the catalogue");
    add_parsed(
        app, "--precision", f.precision, "RECIPE", [](auto& t) { return t; },
        "bf16-mixed, bf16-amp, bf16-pure, fp8-mixed, ...");
    add_parsed(app, "--optimizer", f.optimizer, alternatives<Optimizer>(), any_of<Optimizer>(), "Optimizer");
    add_parsed(app, "--recompute", f.recompute, "none|selective|full[:EVERY]", recompute_flag,
               "Activations computed again in the backward pass");
    add_parsed(app, "--attention", f.attention, alternatives<AttentionKernel>(), any_of<AttentionKernel>(),
               "Attention kernel");
    add_parsed(app, "--compile", f.compile, "on|off", on_or_off, "Pointwise operators fused by a compiler");
    add_parsed(app, "--dropout", f.dropout, "FRACTION", fraction, "Dropout of hidden states and attention");
    const std::string offload = alternatives<Offload>();
    add_parsed(app, "--offload-optimizer", f.offload_optimizer, offload, any_of<Offload>(),
               "Where optimizer states and updates are");
    add_parsed(app, "--offload-parameters", f.offload_parameters, offload, any_of<Offload>(),
               "Where weights are");
    add_parsed(app, "--offload-activations", f.offload_activations, "FRACTION", fraction,
               "Share of saved activations kept in host memory");
    add_parsed(app, "--tuning", f.tuning, alternatives<Tuning>(), any_of<Tuning>(), "What is trained");
    add_parsed(app, "--lora-rank", f.lora_rank, "N", positive_count,
               "Rank of adapters; implies --tuning lora");
    add_parsed(
        app, "--lora-targets", f.lora_targets, "LIST", [](auto& t) { return t; },
        "Matrices with adapters: q,k,v,o,mlp,head");
    add_parsed(app, "--headroom", f.headroom, "PERCENT", headroom_share, "Memory that must stay free");
}

// ---- The job ----

using Assumptions = std::vector<std::string>;

/// The stack most jobs of a vendor's accelerators run; PyTorch's own where none is usual.
std::string_view usual_stack(std::string_view vendor, std::int64_t zero) {
    struct Row {
        std::string_view vendor;
        std::string_view stack;
        std::string_view fully_sharded;  // with ZeRO stage 2 or 3
    };
    constexpr std::array<Row, 5> rows = {{{"NVIDIA", "megatron-core", "torchtitan"},
                                          {"AMD", "megatron-core", "torchtitan"},
                                          {"Google", "maxtext", "maxtext"},
                                          {"AWS", "neuronx", "neuronx"},
                                          {"Intel", "optimum-habana", "optimum-habana"}}};
    for (const Row& row : rows) {
        if (vendor.starts_with(row.vendor)) {
            return zero >= 2 ? row.fully_sharded : row.stack;
        }
    }
    return "pytorch";
}

/// A stack that keeps fp32 weights and casts them has the recipe of that name; older accelerators have no
/// bf16.
std::string usual_precision(const StackSpec& stack, const AcceleratorSpec& accelerator) {
    const bool bf16 = accelerator.peak[static_cast<std::size_t>(DataType::bf16)].has_value();
    return std::string(bf16 ? "bf16" : "fp16") + (stack.amp == CastMode::none ? "-mixed" : "-amp");
}

[[noreturn]] void fail_at(const char* flag, const Error& error) {
    throw Error(error.kind(), std::string(flag) + ": " + error.what());
}

/// Runs a look-up whose error names the flag.
template <class Look>
auto for_flag(const char* flag, Look look) {
    try {
        return look();
    } catch (const Error& error) {
        fail_at(flag, error);
    }
}

JobFile read_job_file(const JobFlags& flags, const Catalogue& catalogue, Context& context) {
    if (!flags.job_file) {
        return {};
    }
    if (*flags.job_file == "-" && flags.model == "-") {
        throw Error(ErrorKind::usage, "--job: only one of --job and --model can be the standard input");
    }
    const JsonDocument document =
        *flags.job_file == "-" ? read_standard_input(context) : read_json_file(*flags.job_file);
    return job_file_from_json(JsonNode(document), catalogue);
}

void require_given(const JobFlags& flags, const JobFile& file, const JobNeeds& needs) {
    std::vector<Problem> missing;
    const auto require = [&](bool given, const char* flag, const char* what) {
        if (!given) {
            missing.push_back({flag, std::string("is missing: ") + what});
        }
    };
    require(flags.model || file.model, "--model", "a catalogue id, a file, or - for the standard input");
    require(flags.gpu || flags.cluster || file.cluster || file.accelerator, "--gpu",
            "an accelerator of the catalogue ('traincost list accelerators')");
    require(flags.gpus || file.accelerators || (flags.dp && needs.layout), "--gpus",
            "the number of accelerators");
    require(flags.sequence || file.run, "--seq", "tokens of a sequence");
    require(flags.micro_batch || file.run || !needs.micro_batch, "--micro-batch",
            "sequences a rank runs at once");
    require(flags.global_batch || file.run, "--global-batch", "sequences of a step");
    if (flags.dp && !needs.layout) {
        missing.push_back({"--dp", "follows from the others here; give --tp, --pp or --cp"});
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
}

/// The accelerators the degrees multiply to, where only they are given.
std::int64_t accelerator_count(const JobFlags& f, const JobFile& file, Assumptions& assumptions) {
    if (f.gpus) {
        return *f.gpus;
    }
    if (file.accelerators) {
        return *file.accelerators;
    }
    const Parallelism base = file.run ? file.run->parallel : Parallelism{};
    std::int64_t product = 1;
    for (const std::int64_t degree :
         {f.dp.value_or(base.dp), f.tp.value_or(base.tp), f.pp.value_or(base.pp), f.cp.value_or(base.cp)}) {
        if (product > std::numeric_limits<std::int64_t>::max() / degree) {
            throw Error(ErrorKind::usage, "--dp: tp*pp*dp*cp is too large");
        }
        product *= degree;
    }
    assumptions.push_back("gpus: " + std::to_string(product) + " = tp*pp*dp*cp (--gpus)");
    return product;
}

ClusterSpec resolve_cluster(const JobFlags& f, const JobFile& file, const Catalogue& catalogue,
                            Assumptions& assumptions) {
    const std::int64_t count = accelerator_count(f, file, assumptions);
    const std::optional<std::int64_t> per_node = f.per_node ? f.per_node : file.per_node;
    const std::optional<std::string> cluster = f.cluster ? f.cluster : f.gpu ? std::nullopt : file.cluster;
    const std::optional<std::string> accelerator = f.gpu ? f.gpu : file.accelerator;
    if (f.cluster) {
        for_flag("--cluster", [&] { return catalogue.id(Room::clusters, *f.cluster); });
    }
    if (f.gpu) {
        for_flag("--gpu", [&] { return catalogue.id(Room::accelerators, *f.gpu); });
    }
    const ClusterChoice choice = cluster && accelerator
                                     ? catalogue.cluster(*cluster, *accelerator, count, per_node)
                                     : catalogue.cluster(cluster ? *cluster : *accelerator, count, per_node);
    ClusterSpec spec = choice.spec;
    if (!f.gpu && file.accelerator_spec) {
        spec.accelerator = *file.accelerator_spec;
    }
    assumptions.insert(assumptions.end(), choice.assumptions.begin(), choice.assumptions.end());
    if (f.gpu_hour_price) {
        spec.prices = {{.provider = "given",
                        .kind = "given",
                        .amount = *f.gpu_hour_price * spec.per_node,
                        .per_hour = true,
                        .region = "",
                        .as_of = "",
                        .source = "--gpu-hour-price"}};
    }
    return spec;
}

void apply_lora_targets(const std::string& list, AdapterSpec& adapter) {
    adapter.query = adapter.key = adapter.value = adapter.attention_out = adapter.mlp = adapter.lm_head =
        false;
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string name = list.substr(begin, end - begin);
        begin = end + 1;
        const std::array<std::pair<std::string_view, bool*>, 6> targets = {{{"q", &adapter.query},
                                                                            {"k", &adapter.key},
                                                                            {"v", &adapter.value},
                                                                            {"o", &adapter.attention_out},
                                                                            {"mlp", &adapter.mlp},
                                                                            {"head", &adapter.lm_head}}};
        const auto found =
            std::find_if(targets.begin(), targets.end(), [&](const auto& t) { return t.first == name; });
        if (found == targets.end()) {
            throw Error(ErrorKind::usage,
                        "--lora-targets: '" + name + "' is not known; allowed: q, k, v, o, mlp, head");
        }
        *found->second = true;
    }
}

/// Copies what was given over what the file, or nobody, said.
template <class T, class U>
void apply(const std::optional<T>& given, U& field) {
    if (given) {
        field = *given;
    }
}

void apply_parallel(const JobFlags& f, Parallelism& p) {
    apply(f.tp, p.tp);
    apply(f.pp, p.pp);
    apply(f.vp, p.vp);
    apply(f.dp, p.dp);
    apply(f.cp, p.cp);
    apply(f.ep, p.ep);
    apply(f.etp, p.etp);
    apply(f.zero, p.zero);
    apply(f.hybrid_shard, p.hybrid_shard);
    apply(f.sequence_parallel, p.sequence_parallel);
}

void apply_run(const JobFlags& f, RunSpec& run) {
    apply(f.sequence, run.sequence);
    apply(f.micro_batch, run.micro_batch);
    apply(f.global_batch, run.global_batch);
    apply(f.optimizer, run.optimizer);
    if (f.recompute) {
        run.recompute = f.recompute->recompute;
        run.recompute_every = f.recompute->every;
        run.recompute_layers.reset();
    }
    apply(f.attention, run.attention);
    apply(f.schedule, run.schedule);
    apply(f.context, run.context);
    apply(f.compile, run.compile);
    apply(f.dropout, run.dropout);
    apply(f.offload_optimizer, run.offload_optimizer);
    apply(f.offload_parameters, run.offload_parameters);
    apply(f.offload_activations, run.offload_activations);
    apply(f.tokens, run.tokens);
    if (f.lora_rank && !f.tuning && run.tuning == Tuning::full) {
        run.tuning = Tuning::lora;
    }
    apply(f.tuning, run.tuning);
    apply(f.lora_rank, run.adapter.rank);
    if (f.lora_targets) {
        apply_lora_targets(*f.lora_targets, run.adapter);
    }
    apply_parallel(f, run.parallel);
}

/// dp = accelerators / (tp·pp·cp) where it was not given and divides; else validation says what is wrong.
void deduce_dp(const JobFlags& f, const JobFile& file, std::int64_t accelerators, Parallelism& p,
               Assumptions& assumptions) {
    const bool moved = f.gpus || f.tp || f.pp || f.cp;
    if (f.dp || (file.names_dp && !moved)) {
        return;
    }
    const auto rest = [&]() -> std::optional<std::int64_t> {
        std::int64_t left = accelerators;
        for (const std::int64_t degree : {p.tp, p.pp, p.cp}) {
            if (degree <= 0 || left % degree != 0) {
                return std::nullopt;
            }
            left /= degree;
        }
        return left;
    }();
    if (!rest) {
        throw Error(ErrorKind::usage, "--gpus: " + std::to_string(accelerators) +
                                          " is not a multiple of tp*pp*cp = " + std::to_string(p.tp) + "*" +
                                          std::to_string(p.pp) + "*" + std::to_string(p.cp));
    }
    p.dp = *rest;
    assumptions.push_back("dp: " + std::to_string(p.dp) + " = gpus/(tp*pp*cp) (--dp)");
}

/// What the layout takes from the stack, and where it is out of the ordinary.
void state_layout_defaults(const Job& job, Assumptions& out) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const StackSpec& stack = job.stack;
    const std::string of_stack = ", the habit of " + stack.id;
    if (p.tp > 1 && !p.sequence_parallel) {
        out.push_back(std::string("sequence parallelism: ") + (stack.sequence_parallel ? "on" : "off") +
                      of_stack + " (--sequence-parallel)");
    }
    if (p.pp > 1 && !run.schedule) {
        out.push_back("schedule: " + std::string(name_of(p.vp > 1 ? Schedule::interleaved : stack.pipeline)) +
                      (p.vp > 1 ? ", with virtual stages" : of_stack) + " (--schedule)");
    }
    if (run.global_batch % (run.micro_batch * p.dp) != 0) {
        out.push_back("global batch: not a multiple of micro-batch*dp = " +
                      std::to_string(run.micro_batch * p.dp) + "; the last micro-batch is counted as full");
    }
    const std::vector<std::int64_t> stages = stack_space(job).zero;
    if (!stages.empty() && std::find(stages.begin(), stages.end(), p.zero) == stages.end()) {
        out.push_back("zero: stage " + std::to_string(p.zero) + " is counted, though " + stack.id +
                      " is not known to have it");
    }
}

/// What nobody said of the run, in the words of its flags.
void state_run_defaults(const JobFlags& f, const JobFile& file, const JobNeeds& needs, const Job& job,
                        Assumptions& out) {
    const RunSpec& run = job.run;
    const Parallelism& p = run.parallel;
    const StackSpec& stack = job.stack;
    const auto say = [&](bool given, const std::string& what, std::string_view value, const std::string& why,
                         const char* flag) {
        if (!given) {
            out.push_back(what + ": " + std::string(value) + why + " (" + flag + ")");
        }
    };
    const std::string of_stack = ", the habit of " + stack.id;
    if (!file.run) {
        say(f.optimizer.has_value(), "optimizer", name_of(run.optimizer), "", "--optimizer");
    }
    if (!file.run && needs.layout) {
        say(f.recompute.has_value(), "recompute", name_of(run.recompute), "", "--recompute");
        if (p.dp * p.cp > 1) {
            say(f.zero.has_value(), "zero", std::to_string(p.zero), "", "--zero");
        }
        if (p.cp > 1) {
            say(f.context.has_value(), "context", name_of(run.context), "", "--context");
        }
    }
    say(run.attention.has_value(), "attention", name_of(stack.attention), of_stack, "--attention");
    say(run.compile.has_value(), "compile", stack.compile ? "on" : "off", of_stack, "--compile");
    say(run.dropout.has_value(), "dropout", to_significant(stack.dropout), of_stack, "--dropout");
    if (needs.layout) {
        state_layout_defaults(job, out);
    }
    if (job.model.moe) {
        out.push_back("experts: the busiest rank gets " + to_significant(run.expert_imbalance) +
                      " times the mean of the routed tokens");
    }
}

void state_price(const Job& job, Assumptions& out) {
    if (!job.run.tokens) {
        return;
    }
    for (const NodePrice& price : job.cluster.prices) {
        if (price.per_hour) {
            out.push_back("price: " + to_text(price.amount) + " a node-hour, " + price.kind +
                          (price.provider.empty() ? "" : ", " + price.provider) +
                          (price.as_of.empty() ? "" : ", as of " + price.as_of) + " (--gpu-hour-price)");
            return;
        }
    }
    out.push_back("price: none is known of " + job.cluster.id + " (--gpu-hour-price)");
}

/// The run as far as file and flags say, its precision apart.
RunSpec initial_run(const JobFlags& f, const JobFile& file, const JobNeeds& needs, Assumptions& assumptions) {
    if (file.run) {
        return *file.run;
    }
    RunSpec run{};
    run.micro_batch = 1;
    if (!f.micro_batch && !needs.micro_batch && needs.layout) {
        assumptions.emplace_back("micro-batch: 1 (--micro-batch)");
    }
    return run;
}

void resolve_precision(const JobFlags& f, const JobFile& file, Job& job, Assumptions& assumptions) {
    if (!f.precision && file.run) {
        return;
    }
    job.run.precision_name = f.precision.value_or(usual_precision(job.stack, job.cluster.accelerator));
    const auto precision = precision_from(job.run.precision_name);
    if (!precision) {
        std::string allowed;
        for (const std::string_view name : precision_names()) {
            allowed += (allowed.empty() ? "" : ", ") + std::string(name);
        }
        throw Error(ErrorKind::usage, "--precision: '" + job.run.precision_name + "' is not known" +
                                          did_you_mean(job.run.precision_name, precision_names()) +
                                          "; allowed: " + allowed);
    }
    job.run.precision = *precision;
    if (!f.precision) {
        assumptions.push_back("precision: " + job.run.precision_name + " (--precision)");
    }
}

/// The job without its layout: what is wrong with it is wrong whatever the layout.
Job on_one_accelerator(Job job) {
    job.run.parallel = Parallelism{};
    job.run.micro_batch = 1;
    job.cluster.accelerators = 1;
    return job;
}

/// A list of one where a flag was given.
void pin(const std::optional<std::int64_t>& given, std::vector<std::int64_t>& values) {
    if (given) {
        values = {*given};
    }
}

}  // namespace

SearchSpace pinned_space(const JobFlags& f, const Job& job) {
    SearchSpace space = stack_space(job);
    pin(f.tp, space.tp);
    pin(f.pp, space.pp);
    pin(f.vp, space.vp);
    pin(f.cp, space.cp);
    pin(f.ep, space.ep);
    pin(f.etp, space.etp);
    pin(f.zero, space.zero);
    pin(f.hybrid_shard, space.hybrid_shard);
    pin(f.micro_batch, space.micro_batch);
    if (f.sequence_parallel) {
        space.sequence_parallel = {*f.sequence_parallel};
    }
    if (f.schedule) {
        space.schedules = {*f.schedule};
    }
    if (f.recompute) {
        space.recompute = {{f.recompute->recompute, job.run.recompute_modules, f.recompute->every, {}}};
    }
    if (f.offload_optimizer || f.offload_parameters || f.offload_activations) {
        space.offload = {
            {job.run.offload_optimizer, job.run.offload_parameters, job.run.offload_activations}};
    }
    return space;
}

void add_job_options(CLI::App& app, JobFlags& flags) {
    add_parsed(
        app, "--job", flags.job_file, "FILE|-", [](auto& t) { return t; },
        "A job as JSON; other flags override it");
    add_parsed(
        app, "--model", flags.model, "ID|FILE|-", [](auto& t) { return t; },
        "Model: an id of the catalogue, our JSON, a Hugging Face config.json or its folder");
    add_cluster_options(app, flags);
    add_batch_options(app, flags);
    add_parallel_options(app, flags);
    add_numeric_options(app, flags);
}

ResolvedJob resolve_job(const JobFlags& f, const Catalogue& catalogue, Context& context,
                        const JobNeeds& needs) {
    const JobFile file = read_job_file(f, catalogue, context);
    require_given(f, file, needs);

    Assumptions assumptions;
    ModelSpec model{};
    if (f.model) {
        ModelInput input = for_flag("--model", [&] { return load_model(*f.model, catalogue, context); });
        model = std::move(input.model);
        assumptions = std::move(input.assumptions);
    } else {
        model = *file.model;
    }
    ClusterSpec cluster = resolve_cluster(f, file, catalogue, assumptions);
    const std::int64_t zero = f.zero.value_or(file.run ? file.run->parallel.zero : 0);
    const std::string stack_name =
        f.stack.value_or(std::string(usual_stack(cluster.accelerator.vendor, zero)));
    StackSpec stack = file.stack && !f.stack
                          ? *file.stack
                          : for_flag("--stack", [&] { return catalogue.stack(stack_name); });
    if (!f.stack && !file.stack) {
        assumptions.push_back("stack: " + stack.id + ", usual on accelerators of " +
                              cluster.accelerator.vendor + " (--stack)");
    }
    RunSpec run = initial_run(f, file, needs, assumptions);
    apply_run(f, run);
    if (needs.layout) {
        deduce_dp(f, file, cluster.accelerators, run.parallel, assumptions);
    } else {
        run.parallel = {};
        run.recompute = Recompute::none;
    }

    ResolvedJob resolved{.job = {std::move(model), std::move(cluster), std::move(stack), std::move(run)},
                         .assumptions = {}};
    resolve_precision(f, file, resolved.job, assumptions);
    throw_if_any(validate(needs.layout ? resolved.job : on_one_accelerator(resolved.job)));
    state_run_defaults(f, file, needs, resolved.job, assumptions);
    state_price(resolved.job, assumptions);
    resolved.assumptions = std::move(assumptions);
    return resolved;
}

}  // namespace traincost::cli
