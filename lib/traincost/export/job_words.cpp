#include "traincost/export/job_words.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "traincost/spec/adapter_format.hpp"
#include "traincost/spec/draft/everyday_names.hpp"
#include "traincost/spec/draft/job_fields.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Takes an optional field where the run has it.
template <class T>
void put_known(Stated<T>& field, const std::optional<T>& value) {
    if (value)
        field = *value;
}

void put_numbers(const RunSpec& run, JobDraft& d) {
    d.sequence = run.sequence;
    d.micro_batch = run.micro_batch;
    d.global_batch = run.global_batch;
    put_known(d.packed_length, run.packed_length);
    put_known(d.padded_length, run.padded_length);
    put_known(d.tokens, run.tokens);
    d.precision = run.precision_name;
    d.recipe = NamedPrecision{run.precision_name, run.precision};
    d.optimizer = run.optimizer;
    d.recompute = RecomputeChoice{.kind = run.recompute,
                                  .modules = run.recompute_modules,
                                  .every = run.recompute_every,
                                  .layers = run.recompute_layers};
    put_known(d.attention, run.attention);
    put_known(d.attention_generation, run.attention_generation);
    put_known(d.compile, run.compile);
    put_known(d.compiled_parts, run.compiled_parts);
    put_known(d.loss, run.loss);
    put_known(d.loss_chunks, run.loss_chunks);
    put_known(d.optimizer_kernel, run.optimizer_kernel);
    put_known(d.fp8_scaling, run.fp8_scaling);
    d.mlp_tiles = run.mlp_tiles;
    put_known(d.expandable_segments, run.expandable_segments);
    put_known(d.dropout, run.dropout);
    d.optimizer_in_backward = run.optimizer_in_backward;
    d.activation_input_fp8 = run.activation_input_fp8;
    d.expert_imbalance = run.expert_imbalance;
    d.neighbouring_experts = run.neighbouring_experts;
    d.expert_one_hot = run.expert_one_hot;
    put_known(d.host_speed, run.host_speed);
    d.offload_optimizer = run.offload_optimizer;
    d.offload_parameters = run.offload_parameters;
    d.offload_activations = run.offload_activations;
    d.headroom = run.headroom;
}

void put_tuning(const RunSpec& run, JobDraft& d) {
    d.tuning = run.tuning;
    d.frozen_layers = run.frozen_layers;
    const AdapterSpec& a = run.adapter;
    d.lora_rank = a.rank;
    d.lora_targets = AdapterTargets{.query = a.query,
                                    .key = a.key,
                                    .value = a.value,
                                    .attention_out = a.attention_out,
                                    .mlp = a.mlp,
                                    .lm_head = a.lm_head};
    d.adapter_dropout = a.dropout;
    d.adapter_scale_and_bias = a.scale_and_bias;
}

void put_layout(const RunSpec& run, JobDraft& d) {
    const Parallelism& p = run.parallel;
    d.tp = p.tp;
    d.pp = p.pp;
    d.vp = p.vp;
    d.uneven_stages = run.uneven_stages;
    d.dp = p.dp;
    d.cp = p.cp;
    d.ep = p.ep;
    put_known(d.etp, p.etp);
    d.zero = p.zero;
    put_known(d.hybrid_shard, p.hybrid_shard);
    d.reshard = run.reshard;
    d.kept_blocks = run.kept_blocks;
    put_known(d.sequence_parallel, p.sequence_parallel);
    put_known(d.tp_overlap, p.tp_overlap);
    put_known(d.schedule, run.schedule);
    d.context = run.context;
}

/// Frameworks differ in what they do without a word: these must be said whatever they are. What the stack
/// decides where the run does not is said as it is in force.
constexpr std::array always = {
    "model",        "gpus",      "per-node",  "stack",     "seq",     "micro-batch", "precision",
    "global-batch", "optimizer", "recompute", "attention", "compile", "tp",          "pp",
    "vp",           "cp",        "ep",        "dp",        "zero",    "tuning",      "sequence-parallel",
    "schedule"};

std::string name_of_field(const JobField& field) {
    return std::string(field.flag.empty() ? field.key : field.flag.substr(2));
}

/// The job with what its stack decides written out.
Job in_force(const JobWords& words) {
    Job job = words.job();
    job.run.attention = words.attention();
    if (!job.run.compiled_parts)
        job.run.compile = words.compiled();
    job.run.parallel.sequence_parallel = words.sequence_parallel();
    job.run.schedule = schedule_of(words.job());
    return job;
}

}  // namespace

JobDraft draft_of(const Job& job) {
    JobDraft d;
    d.model = job.model.name;
    d.gpu = job.cluster.accelerator.id;
    d.cluster = job.cluster.id;
    d.gpus = job.cluster.accelerators;
    d.per_node = job.cluster.per_node;
    d.stack = job.stack.id;
    put_numbers(job.run, d);
    put_tuning(job.run, d);
    put_layout(job.run, d);
    return d;
}

JobWords::JobWords(const FormatTraits& format, const Job& job, std::string_view checkpoint)
    : format_(format),
      job_(job),
      checkpoint_(checkpoint.empty() ? std::string_view(job.model.name) : checkpoint) {
    const StackSpec& stack = job.stack;
    const auto alias = std::find(stack.aliases.begin(), stack.aliases.end(), format.read_as);
    fixed("stack", stack.id == format.read_as || alias != stack.aliases.end(),
          "readers take files of this format for the framework's usual stack");
    const Parallelism& p = parallel();
    for (const auto& [field, degree] :
         {std::pair{"tp", p.tp}, std::pair{"pp", p.pp}, std::pair{"cp", p.cp}}) {
        if (format.degrees.find(field) != std::string_view::npos)
            continue;
        lost_ *= degree;
        fixed(field, degree == 1, std::string(format.name) + " has no such parallelism");
    }
    fixed("dp", lost_ == 1, std::to_string(ranks()) + " ranks replace what it lacks");
    unsaid("gpu", "set by the accelerators the job is started on");
    if (job.run.parallel.pp == 1)
        said({"schedule"});  // there is nothing to schedule
    if (!job.model.moe)
        said({"etp"});
    if (!job.cluster.id.empty())
        unsaid("cluster", "set by the nodes the job is started on");
}

bool JobWords::compiled() const {
    return is_compiled(run(), job_.stack);
}

bool JobWords::sequence_parallel() const {
    return parallel().tp > 1 && parallel().sequence_parallel.value_or(job_.stack.layer.sequence_parallel);
}

AttentionKernel JobWords::attention() const {
    return run().attention.value_or(job_.stack.attention.kernel);
}

std::string_view JobWords::attention_implementation() {
    said({"attention"});
    if (attention() == AttentionKernel::math)
        return "eager";
    const auto& asked = run().attention_generation;
    if (asked == AttentionGeneration::flash2 || asked == AttentionGeneration::flash3) {
        said({"attention-generation"});
        return asked == AttentionGeneration::flash2 ? "flash_attention_2" : "flash_attention_3";
    }
    return "sdpa";
}

double JobWords::dropout() const {
    return run().dropout.value_or(job_.stack.layer.dropout);
}

std::string_view JobWords::compute_word() const {
    const DataType compute = run().precision.compute;
    return compute == DataType::fp16 ? "fp16" : compute == DataType::fp32 ? "fp32" : "bf16";
}

bool JobWords::is_fp8() const {
    return bytes_per_element(run().precision.gemm) == Bytes(1.0);
}

std::int64_t JobWords::whole_batch() const {
    return run().micro_batch * ranks() * accumulation();
}

std::int64_t JobWords::accumulation() const {
    const std::int64_t at_once = run().micro_batch * ranks();
    return (run().global_batch + at_once - 1) / at_once;
}

std::int64_t JobWords::processes_per_node() const {
    return std::gcd(job_.cluster.accelerators, std::max<std::int64_t>(job_.cluster.per_node, 1));
}

std::int64_t JobWords::nodes() const {
    return job_.cluster.accelerators / processes_per_node();
}

void JobWords::said(std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields)
        said_.emplace(field);
}

void JobWords::fixed(std::string_view field, bool same, std::string_view why) {
    if (same)
        said({field});
    else
        unsaid(field, why);
}

void JobWords::unsaid(std::string_view field, std::string_view why) {
    reasons_.push_back({std::string(field), {}, std::string(why)});
}

void JobWords::say_schedule(Schedule does, std::string_view why) {
    Job unstated = job_;
    unstated.run.schedule.reset();
    fixed("schedule", schedule_of(job_) == does && schedule_of(unstated) == does, why);
}

void JobWords::say_precision(std::string_view word, std::string_view recipe_read) {
    const std::string meant = recipe_read.empty()
                                  ? precision_meant_by(std::string(word), job_.stack, run().tuning)
                                  : std::string(recipe_read);
    const auto recipe = precision_from(meant);
    const bool same = meant == run().precision_name && recipe &&
                      tuned_precision(job_.stack, *recipe, run().tuning) == run().precision;
    fixed("precision", same, "'" + std::string(word) + "' is read back as " + meant);
}

void JobWords::say_batch() {
    said({"seq", "micro-batch"});
    const std::int64_t whole = whole_batch();
    fixed("global-batch", whole == run().global_batch && lost_ == 1,
          "must be whole micro-batches on every rank: " + std::to_string(whole));
}

void JobWords::without(std::initializer_list<std::string_view> degrees) {
    for (const std::string_view field : degrees) {
        fixed(field, (field == "vp" ? parallel().vp : parallel().ep) == 1,
              std::string(format_.name) + " has no such parallelism");
    }
}

std::vector<UnsaidField> JobWords::left_out() const {
    static const JobDraft usual = draft_of(Job{.model = {}, .cluster = {}, .stack = {}, .run = RunSpec{}});
    const Job complete = in_force(*this);
    const JobDraft draft = draft_of(complete);
    const bool tuned = run().tuning != Tuning::full;
    std::vector<UnsaidField> out;
    for (const JobField& field : job_fields()) {
        const std::string name = name_of_field(field);
        if (said_.contains(name))
            continue;
        const auto value = field.print(draft);
        const bool must = std::find(always.begin(), always.end(), name) != always.end() ||
                          (is_tuned() && name == "lora-targets");
        if (!value || (!must && value == field.print(usual)) ||
            (!tuned && field.key.starts_with("run.adapter")))
            continue;
        const auto reason = std::find_if(reasons_.begin(), reasons_.end(),
                                         [&](const UnsaidField& each) { return each.field == name; });
        out.push_back(
            {name, *value,
             reason != reasons_.end() ? reason->why : std::string(format_.name) + " has no setting for it"});
    }
    return out;
}

std::string to_text(const UnsaidField& unsaid) {
    return unsaid.field + " " + unsaid.value + ": " + unsaid.why;
}

}  // namespace traincost
