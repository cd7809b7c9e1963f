#include <cli/job_options.hpp>

#include <cli/everyday_names.hpp>
#include <cli/job_assumptions.hpp>
#include <cli/model_input.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/kernel_choice.hpp>
#include <traincost/io/job_json.hpp>
#include <traincost/plan/search_space.hpp>
#include <traincost/spec/names.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace traincost::cli {

namespace {

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
std::string usual_precision(const StackSpec& stack, const AcceleratorSpec& accelerator, Tuning tuning) {
    if (tuning == Tuning::qlora) {
        return "nf4-base";  // QLoRA is LoRA over a base of that format [Dettmers23]
    }
    const bool bf16 = accelerator.peak[static_cast<std::size_t>(DataType::bf16)].has_value();
    return std::string(bf16 ? "bf16" : "fp16") + (stack.amp == CastMode::none ? "-mixed" : "-amp");
}

[[noreturn]] void fail_at(const char* flag, const Error& error) {
    throw Error(error.kind(), std::string(flag) + ": " + error.what());
}

/// The ZeRO stage that was given, by its number or by a stack's name that says it.
std::optional<std::int64_t> zero_of(const JobFlags& f) {
    return f.zero || !f.stack ? f.zero : zero_meant_by(*f.stack);
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

/// Whether an hour of the cluster has a price, of the kind asked for.
bool has_price(const ClusterSpec& cluster, const std::optional<std::string>& kind) {
    return std::any_of(cluster.prices.begin(), cluster.prices.end(), [&](const NodePrice& price) {
        return price.per_hour && (!kind || price.kind == *kind);
    });
}

/// Where only an accelerator is named and its usual node has no such price: the cheapest node that does.
void take_priced_node(const std::string& accelerator, const std::optional<std::string>& kind,
                      std::optional<std::int64_t> per_node, const Catalogue& catalogue,
                      ClusterChoice& choice) {
    if (has_price(choice.spec, kind)) {
        return;
    }
    const std::string wanted = catalogue.id(Room::accelerators, accelerator);
    std::optional<ClusterChoice> best;
    Dollars least;
    for (const CatalogueEntry& entry : catalogue.entries(Room::clusters)) {
        if (catalogue.cluster_record(entry.id).accelerator != wanted) {
            continue;
        }
        ClusterChoice other = catalogue.cluster(entry.id, choice.spec.accelerators, per_node);
        for (const NodePrice& price : other.spec.prices) {
            const Dollars each = price.amount / static_cast<double>(other.spec.per_node);
            if (price.per_hour && (!kind || price.kind == *kind) && (!best || each < least)) {
                least = each;
                best = other;
            }
        }
    }
    if (!best) {
        return;
    }
    best->assumptions.insert(best->assumptions.begin(),
                             "cluster: " + best->spec.id + ", the node of " + wanted + " with the lowest " +
                                 kind.value_or("hourly") + " price; " + choice.spec.id +
                                 ", the usual one, has none (--cluster)");
    choice = std::move(*best);
}

ClusterSpec resolve_cluster(const JobFlags& f, const JobFile& file, const Catalogue& catalogue,
                            const JobNeeds& needs, Assumptions& assumptions) {
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
    ClusterChoice choice = cluster && accelerator
                               ? catalogue.cluster(*cluster, *accelerator, count, per_node)
                               : catalogue.cluster(cluster ? *cluster : *accelerator, count, per_node);
    const Operation& asked = f.operation.given;
    const bool rented = asked.price ? *asked.price != "own" : needs.price && !asked.gpu_hour;
    if (!cluster && f.gpu && rented) {
        take_priced_node(*f.gpu, asked.price, per_node, catalogue, choice);
    }
    ClusterSpec spec = choice.spec;
    if (!f.gpu && file.accelerator_spec) {
        spec.accelerator = *file.accelerator_spec;
    }
    assumptions.insert(assumptions.end(), choice.assumptions.begin(), choice.assumptions.end());
    return spec;
}

void apply_lora_targets(const std::string& list, AdapterSpec& adapter) {
    adapter.query = adapter.key = adapter.value = adapter.attention_out = adapter.mlp = adapter.lm_head =
        false;
    for (const std::string& name : split(list, ',')) {
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
    const std::optional<std::int64_t> zero = zero_of(f);
    apply(zero, p.zero);
    apply(f.hybrid_shard, p.hybrid_shard);
    apply(f.sequence_parallel, p.sequence_parallel);
}

void apply_run(const JobFlags& f, RunSpec& run) {
    run.uneven_stages = run.uneven_stages || f.uneven_stages;
    apply(f.sequence, run.sequence);
    apply(f.micro_batch, run.micro_batch);
    apply(f.global_batch, run.global_batch);
    apply(f.optimizer, run.optimizer);
    if (f.recompute) {
        run.recompute = f.recompute->recompute;
        run.recompute_every = f.recompute->every;
        run.recompute_modules = f.recompute->modules;
        run.recompute_layers = f.recompute->layers;
    }
    apply(f.attention, run.attention);
    apply(f.attention_generation, run.attention_generation);
    apply(f.schedule, run.schedule);
    apply(f.context, run.context);
    if (f.compile) {
        run.compile = f.compile->all;
        run.compiled_parts = f.compile->parts;
    }
    if (f.loss) {
        run.loss = f.loss->kind;
        run.loss_chunks = f.loss->chunks;
    }
    if (f.reshard) {
        run.reshard = f.reshard->policy;
        run.kept_blocks = f.reshard->blocks;
    }
    run.optimizer_in_backward = run.optimizer_in_backward || f.optimizer_in_backward;
    apply(f.optimizer_kernel, run.optimizer_kernel);
    apply(f.packed_length, run.packed_length);
    apply(f.padded_length, run.padded_length);
    apply(f.mlp_tiles, run.mlp_tiles);
    apply(f.expandable_segments, run.expandable_segments);
    apply(f.dropout, run.dropout);
    apply(f.offload_optimizer, run.offload_optimizer);
    apply(f.offload_parameters, run.offload_parameters);
    apply(f.offload_activations, run.offload_activations);
    apply(f.host_speed, run.host_speed);
    apply(f.tokens, run.tokens);
    apply(f.headroom, run.headroom);
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
        apply(f.reduce, job.run.precision.reduce);
        return;
    }
    job.run.precision_name = f.precision
                                 ? precision_meant_by(*f.precision, job.stack)
                                 : usual_precision(job.stack, job.cluster.accelerator, job.run.tuning);
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
    job.run.precision = stack_precision(job.stack, *precision);
    apply(f.reduce, job.run.precision.reduce);
    if (job.run.tuning == Tuning::qlora && !job.run.precision.base) {
        throw Error(ErrorKind::usage, "--precision: '" + job.run.precision_name +
                                          "' has no quantised base, which --tuning qlora trains adapters "
                                          "over; allowed: nf4-base, or --tuning lora");
    }
    if (!f.precision) {
        assumptions.push_back("precision: " + job.run.precision_name + " (--precision)");
    } else if (lower(*f.precision) != job.run.precision_name) {
        assumptions.push_back("precision: " + *f.precision + " is " + job.run.precision_name + " in " +
                              job.stack.id + " (--precision)");
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

std::span<const std::string_view> usual_stacks(std::string_view vendor) {
    constexpr static std::string_view common[] = {"megatron-core", "torchtitan", "deepspeed", "pytorch"};
    constexpr static std::string_view google[] = {"maxtext"};
    constexpr static std::string_view aws[] = {"neuronx"};
    constexpr static std::string_view intel[] = {"optimum-habana"};
    constexpr static std::string_view others[] = {"pytorch", "deepspeed", "megatron-core"};
    if (vendor.starts_with("NVIDIA") || vendor.starts_with("AMD")) {
        return common;
    }
    if (vendor.starts_with("Google")) {
        return google;
    }
    if (vendor.starts_with("AWS")) {
        return aws;
    }
    return vendor.starts_with("Intel") ? std::span<const std::string_view>(intel) : others;
}

Freedoms freedoms_of(const JobFlags& f, const Job& job, const Catalogue& catalogue) {
    Freedoms freedoms{.uneven_stages = true,
                      .offload = !f.offload_optimizer && !f.offload_parameters && !f.offload_activations,
                      .recompute = !f.recompute,
                      .other_stacks = {}};
    if (f.stack || f.job_file) {
        return freedoms;
    }
    freedoms.other_stacks = [&f, &job, &catalogue] {
        std::vector<Site> sites;
        for (const std::string_view id : usual_stacks(job.cluster.accelerator.vendor)) {
            if (id == job.stack.id) {
                continue;
            }
            Job other = job;
            other.stack = catalogue.stack(id);
            Assumptions unsaid;
            resolve_precision(f, {}, other, unsaid);
            if (validate(on_one_accelerator(other)).empty()) {
                Site site{other.cluster, other.stack, pinned_space(f, other)};
                site.run = other.run;
                sites.push_back(std::move(site));
            }
        }
        return sites;
    };
    return freedoms;
}

SearchSpace pinned_space(const JobFlags& f, const Job& job) {
    SearchSpace space = stack_space(job);
    pin(f.tp, space.tp);
    pin(f.pp, space.pp);
    pin(f.vp, space.vp);
    pin(f.dp, space.dp);
    pin(f.cp, space.cp);
    pin(f.ep, space.ep);
    pin(f.etp, space.etp);
    pin(zero_of(f), space.zero);
    pin(f.hybrid_shard, space.hybrid_shard);
    pin(f.micro_batch, space.micro_batch);
    if (f.sequence_parallel) {
        space.sequence_parallel = {*f.sequence_parallel};
    }
    if (f.schedule) {
        space.schedules = {*f.schedule};
    }
    if (f.recompute) {
        space.recompute = {
            {f.recompute->recompute, job.run.recompute_modules, f.recompute->every, f.recompute->layers}};
    }
    if (f.offload_optimizer || f.offload_parameters || f.offload_activations) {
        space.offload = {
            {job.run.offload_optimizer, job.run.offload_parameters, job.run.offload_activations}};
    }
    return space;
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
    ClusterSpec cluster = resolve_cluster(f, file, catalogue, needs, assumptions);
    const std::int64_t zero = zero_of(f).value_or(file.run ? file.run->parallel.zero : 0);
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
                         .operation = {},
                         .assumptions = {}};
    resolve_precision(f, file, resolved.job, assumptions);
    if (!needs.layout) {
        std::vector<Problem> problems;  // of all accelerators, which the job below has not
        validate(resolved.job.cluster, problems);
        throw_if_any(problems);
        require_searchable(resolved.job.cluster);
    }
    throw_if_any(validate(needs.layout ? resolved.job : on_one_accelerator(resolved.job)));
    state_run_defaults(f, file, needs, resolved.job, assumptions);
    resolved.operation = resolve_operation(f.operation, file.operation, catalogue, resolved.job, assumptions);
    for (std::string& sentence : substitutions(resolved.job)) {
        assumptions.push_back(std::move(sentence));
    }
    resolved.assumptions = std::move(assumptions);
    return resolved;
}

}  // namespace traincost::cli
