#include "traincost/ask/resolve.hpp"

#include "traincost/ask/model_input.hpp"
#include "traincost/ask/network_words.hpp"
#include "traincost/ask/operation_resolution.hpp"
#include "traincost/ask/power_words.hpp"
#include "traincost/ask/run_assumptions.hpp"
#include "traincost/ask/site_resolution.hpp"
#include "traincost/ask/usual_run.hpp"
#include "traincost/base/text.hpp"
#include "traincost/cost/kernels.hpp"
#include "traincost/cost/kernels/kernel_choice.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/spec/adapter_format.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_fields.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// QLoRA is LoRA over a base of this format, computed in the 16-bit one. [Dettmers23]
std::string quantised_base(bool bf16) {
    return bf16 ? "nf4-base" : "nf4-base-fp16";
}

/// What a stated precision means: of a 4-bit base, the format it is computed in.
std::string stated_precision(const std::string& text, const Job& job) {
    std::string recipe = precision_meant_by(text, job.stack, job.run.tuning);
    const bool plain = lower(text) != recipe;  // "bf16", not a recipe
    if (job.run.tuning == Tuning::qlora && plain &&
        (recipe.starts_with("bf16") || recipe.starts_with("fp16")))
        return quantised_base(recipe.starts_with("bf16"));
    return recipe;
}

/// A stack that keeps fp32 weights and casts them has the recipe of that name, but PEFT's bases are loaded in
/// 16 bits; older accelerators have no bf16.
std::string usual_precision(const StackSpec& stack, const AcceleratorSpec& accelerator, Tuning tuning) {
    const bool bf16 = accelerator.peak[static_cast<std::size_t>(DataType::bf16)].has_value();
    if (tuning == Tuning::qlora)
        return quantised_base(bf16);
    const bool narrow = stores_weights_narrow(stack, tuning);
    return std::string(bf16 ? "bf16" : "fp16") + (narrow ? "-mixed" : "-amp");
}

void require_said(const JobDraft& draft, const JobNeeds& needs) {
    std::vector<Problem> missing;
    const auto require = [&](bool said, const char* flag, const char* what) {
        if (!said)
            missing.push_back({flag, std::string("missing; give ") + what});
    };
    require(draft.model || draft.model_spec, "--model", "a catalogue id, a file, or - (standard input)");
    require(draft.gpu || draft.cluster, "--gpu",
            "a catalogue accelerator (see 'traincost list accelerators')");
    require(draft.gpus || (draft.dp && needs.layout), "--gpus", "the number of accelerators");
    if (needs.batch) {
        require(draft.sequence.has_value(), "--seq", "the sequence length in tokens");
        require(draft.global_batch || draft.accumulation, "--global-batch",
                "the sequences per optimizer step");
    }
    if (!missing.empty())
        throw Error(ErrorKind::usage, std::move(missing));
}

/// Adapters that a flag describes, where all weights are trained.
void refuse_idle_adapters(const JobDraft& draft) {
    if (stated_tuning(draft) != Tuning::full)
        return;
    const auto refuse = [&](bool said, const std::string& where) {
        if (said && where.starts_with("--"))
            throw Error(ErrorKind::usage, where + ": there are no adapters where " + draft.tuning.where +
                                              " is full; allowed: --tuning lora, qlora or adapter");
    };
    refuse(draft.lora_rank.has_value(), draft.lora_rank.where);
    refuse(draft.lora_targets.has_value(), draft.lora_targets.where);
}

ModelSpec resolve_model(const JobDraft& draft, const Sources& sources, Assumptions& out) {
    if (draft.model_spec)
        return *draft.model_spec;
    ModelInput input = looked_up_for(draft.model.where, [&] { return load_model(*draft.model, sources); });
    for (const std::string& line : input.assumptions)
        out.push_back(assumption_from(line));
    return std::move(input.model);
}

/// dp = accelerators / (tp·pp·cp) where nobody said it and it divides.
void deduce_dp(const JobDraft& draft, std::int64_t accelerators, Parallelism& p, Assumptions& out) {
    if (draft.dp)
        return;
    const auto rest = [&]() -> std::optional<std::int64_t> {
        std::int64_t left = accelerators;
        for (const std::int64_t degree : {p.tp, p.pp, p.cp}) {
            if (degree <= 0 || left % degree != 0)
                return std::nullopt;
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
    out.push_back({"dp", std::to_string(p.dp) + " = gpus/(tp*pp*cp)", "", "--dp"});
}

/// Global batch = micro-batch · accumulation · dp where it was said by accumulation.
void deduce_global_batch(const JobDraft& draft, RunSpec& run, Assumptions& out) {
    if (!draft.accumulation)
        return;
    constexpr double most = 0x1p52;
    const double product = static_cast<double>(run.micro_batch) * static_cast<double>(*draft.accumulation) *
                           static_cast<double>(run.parallel.dp);
    if (product > most)
        throw Error(ErrorKind::usage,
                    draft.accumulation.where + ": micro-batch*accumulation*dp is too large");
    const auto sequences = static_cast<std::int64_t>(product);
    if (draft.global_batch && *draft.global_batch != sequences) {
        throw Error(ErrorKind::usage, draft.accumulation.where + ": micro-batch*accumulation*dp = " +
                                          std::to_string(sequences) + ", but " + draft.global_batch.where +
                                          " says " + std::to_string(*draft.global_batch));
    }
    run.global_batch = sequences;
    if (!draft.global_batch) {
        out.push_back({"global batch", std::to_string(sequences) + " = micro-batch*accumulation*dp", "",
                       "--global-batch"});
    }
}

/// The published precision where the accelerator has its matrix rates, else that which is usual.
std::string unstated_precision(const Job& job, const std::optional<PublishedRecipe>& recipe) {
    if (recipe && !recipe->precision.empty() && job.run.tuning == Tuning::full &&
        peak_rate(job.cluster.accelerator, precision_from(recipe->precision)->gemm))
        return recipe->precision;
    return usual_precision(job.stack, job.cluster.accelerator, job.run.tuning);
}

void resolve_precision(const JobDraft& draft, const std::optional<PublishedRecipe>& recipe, Job& job,
                       Assumptions& out) {
    if (draft.recipe)
        return;
    const std::optional<DataType> reduce = draft.reduce.value;
    job.run.precision_name =
        draft.precision ? stated_precision(*draft.precision, job) : unstated_precision(job, recipe);
    const std::string where = draft.precision ? draft.precision.where : "--precision";
    const auto precision = precision_from(job.run.precision_name);
    if (!precision) {
        std::string allowed;
        for (const std::string_view name : precision_names())
            allowed += (allowed.empty() ? "" : ", ") + std::string(name);
        throw Error(ErrorKind::usage, where + ": unknown value '" + job.run.precision_name + "'; allowed: " +
                                          allowed + did_you_mean(job.run.precision_name, precision_names()));
    }
    job.run.precision = tuned_precision(job.stack, *precision, job.run.tuning);
    if (reduce)
        job.run.precision.reduce = *reduce;
    if (job.run.tuning == Tuning::qlora && !job.run.precision.base) {
        throw Error(ErrorKind::usage,
                    where + ": '" + job.run.precision_name +
                        "' has no quantised base for --tuning qlora; allowed: "
                        "nf4-base, nf4-base-fp16, nf4-base-amp, nf4-base-fp32, or --tuning lora");
    }
    if (!draft.precision) {
        const bool published = recipe && recipe->precision == job.run.precision_name;
        out.push_back({"precision", job.run.precision_name,
                       published ? "as published: " + recipe->source : "", "--precision"});
    } else if (lower(*draft.precision) != job.run.precision_name) {
        out.push_back({"precision",
                       *draft.precision + " is " + job.run.precision_name + " in " + job.stack.id, "",
                       "--precision"});
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

/// Problems under the places that said the values, or the flags that would.
std::vector<Problem> where_said(std::vector<Problem> problems, const JobDraft& draft) {
    for (Problem& problem : problems) {
        const JobField* field = job_field(problem.path);
        const std::string* where = field != nullptr ? field->where(draft) : nullptr;
        if (where != nullptr && !where->empty())
            problem.path = *where;
        else if (field != nullptr && !field->flag.empty())
            problem.path = field->flag;  // nobody said it: that changes it
    }
    return problems;
}

void require_valid(const Job& job, const JobDraft& draft) {
    throw_if_any(where_said(validate(job), draft));
}

/// What a built-in record lacks because nobody publishes it, under the place that said its name.
std::vector<Problem> as_unpublished(std::vector<Problem> problems, const JobDraft& draft) {
    const std::string& where = draft.gpu ? draft.gpu.where : draft.cluster.where;
    const std::string name = draft.gpu ? *draft.gpu : draft.cluster.value.value_or("");
    for (Problem& problem : problems) {
        if (!problem.path.starts_with("accelerators/"))
            continue;
        problem.message = "what estimates need of '" + name + "' is not published (" + problem.path + ": " +
                          problem.message + "); give a record of your own with --data";
        problem.path = where;
    }
    return problems;
}

/// The cluster, or an error under the place that said what is wrong with it.
ResolvedCluster cluster_said(const JobDraft& draft, const Sources& sources, const JobNeeds& needs,
                             Assumptions& out) {
    try {
        return resolve_cluster(draft, sources.catalogue(), needs, out);
    } catch (const Error& error) {
        const std::vector<Problem> problems = as_unpublished(where_said(error.problems(), draft), draft);
        if (problems == error.problems())
            throw;
        throw Error(error.kind(), problems);
    }
}

}  // namespace

Freedoms freedoms_of(const JobDraft& draft, const Job& job, const Sources& sources) {
    Freedoms freedoms{
        .uneven_stages = true,
        .offload = !draft.offload_optimizer && !draft.offload_parameters && !draft.offload_activations,
        .recompute = !draft.recompute,
        .other_stacks = {}};
    if (draft.stack || draft.stack_spec)
        return freedoms;
    freedoms.other_stacks = [&draft, &job, &sources] {
        std::vector<Site> sites;
        for (const std::string& id : usual_stacks(sources, job.cluster.accelerator.vendor, job.run.tuning)) {
            if (id == job.stack.id)
                continue;
            Job other = job;
            other.stack = sources.catalogue().stack(id);
            Assumptions unsaid;
            resolve_precision(draft, recipe_of(draft, sources), other, unsaid);
            if (validate(on_one_accelerator(other)).empty()) {
                Site site{other.cluster, other.stack, pinned_space(draft, other)};
                site.run = other.run;
                sites.push_back(std::move(site));
            }
        }
        return sites;
    };
    return freedoms;
}

SearchSpace pinned_space(const JobDraft& f, const Job& job) {
    SearchSpace space = stack_space(job);
    pin(f.tp.value, space.tp);
    pin(f.pp.value, space.pp);
    pin(f.vp.value, space.vp);
    pin(f.dp.value, space.dp);
    pin(f.cp.value, space.cp);
    pin(f.ep.value, space.ep);
    pin(f.etp.value, space.etp);
    pin(stated_zero(f), space.zero);
    pin(f.hybrid_shard.value, space.hybrid_shard);
    pin(f.micro_batch.value, space.micro_batch);
    if (f.sequence_parallel) {
        space.sequence_parallel = {*f.sequence_parallel};
    }
    if (f.schedule) {
        space.schedules = {*f.schedule};
    }
    if (f.recompute) {
        space.recompute = {*f.recompute};
    }
    if (f.offload_optimizer || f.offload_parameters || f.offload_activations) {
        space.offload = {
            {job.run.offload_optimizer, job.run.offload_parameters, job.run.offload_activations}};
    }
    return space;
}

JobDraft draft_from_file(const std::string& name, const Sources& sources) {
    const JsonDocument document = sources.json_file(name);
    return job_draft_from_json(JsonNode(document), sources.catalogue());
}

ResolvedJob resolve(const JobDraft& draft, const Sources& sources, const JobNeeds& needs) {
    require_said(draft, needs);
    refuse_idle_adapters(draft);
    Assumptions out;
    ModelSpec model = resolve_model(draft, sources, out);
    auto [cluster, price_of_other_nodes] = cluster_said(draft, sources, needs, out);
    const std::optional<PublishedRecipe> recipe = recipe_of(draft, sources);
    StackSpec stack = resolve_stack(draft, sources, cluster.accelerator, recipe, out);
    RunSpec run = usual_run(draft, needs, model, recipe, out);
    apply(draft, run);
    if (needs.layout) {
        deduce_dp(draft, cluster.accelerators, run.parallel, out);
        deduce_global_batch(draft, run, out);
        take_launch_rules(draft, sources.launch_rules_of(stack.id), run);
    } else {
        if (draft.accumulation) {  // of the layout that is stated beside it
            Assumptions of_layout;
            deduce_dp(draft, cluster.accelerators, run.parallel, of_layout);
            deduce_global_batch(draft, run, out);
        }
        run.parallel = {};
        run.recompute = Recompute::none;
    }
    take_usual_batch(model, recipe, cluster.accelerators, !needs.layout, run, out);
    ResolvedJob resolved{.job = {std::move(model), std::move(cluster), std::move(stack), std::move(run)},
                         .operation = {},
                         .assumptions = {}};
    Job& job = resolved.job;
    resolve_precision(draft, recipe, job, out);
    if (!needs.layout) {
        std::vector<Problem> problems;  // of all accelerators, which the job below has not
        validate(job.cluster, problems);
        throw_if_any(where_said(std::move(problems), draft));
        require_searchable(job.cluster);
    }
    require_valid(needs.layout ? job : on_one_accelerator(job), draft);
    state_run_defaults(draft, needs, job, out);
    resolved.operation = resolve_operation(draft, sources.catalogue(), job, out);
    if (price_of_other_nodes)
        resolved.operation.price_of_other_nodes = true;
    for (const std::string& sentence : substitutions(job))
        out.push_back(assumption_from(sentence));
    try {
        apply_network(resolved.operation, job.cluster, out);
        apply_power(resolved.operation, job.cluster, sources.catalogue().bench(), out);
    } catch (const Error& error) {
        throw Error(error.kind(), where_said(error.problems(), draft));
    }
    if (job.cluster.host.launch_speed && !job.run.host_speed)
        out.push_back(assumption_from("host: the node's launches kernels at " +
                                      to_significant(launch_speed(job)) +
                                      " of the measured host's speed (--host-speed)"));
    resolved.assumptions = std::move(out);
    return resolved;
}

void allow_uneven_stages(ResolvedJob& resolved) {
    Job& job = resolved.job;
    if (!searches_uneven_stages(job)) {
        return;
    }
    job.run.uneven_stages = true;
    resolved.assumptions.push_back(
        assumption_from("uneven stages: " + std::to_string(block_count(job.model)) +
                        " layers cannot be halved evenly, so the first pipeline stages may hold one "
                        "more (--uneven-stages)"));
}

}  // namespace traincost
