#include "traincost/fit/records/record_job.hpp"

#include <algorithm>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/records/record_adapter.hpp"
#include "traincost/fit/records/record_choices.hpp"
#include "traincost/fit/records/record_counts.hpp"
#include "traincost/fit/records/record_model.hpp"
#include "traincost/fit/records/record_network.hpp"
#include "traincost/fit/records/record_rules.hpp"
#include "traincost/fit/records/record_stack.hpp"
#include "traincost/fit/records/record_words.hpp"
#include "traincost/spec/adapter_format.hpp"
#include "traincost/spec/draft/recompute_policies.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Builds the run of one record, with its assumptions; `reason` is set where it can't.
class RunBuilder {
public:
    RunBuilder(const RunRecord& record, const AcceleratorSpec& accelerator, const StackSpec& stack,
               const RecordRules& rules, std::vector<std::string>& assumptions, std::string& reason)
        : record_(record),
          in_(record.run),
          stack_(stack),
          rules_(rules),
          assumptions_(assumptions),
          reason_(reason),
          facts_(record, accelerator, &run_, &stack) {
    }

    RunSpec build() {
        run_.sequence = in_.sequence;
        run_.micro_batch = in_.micro_batch;
        run_.global_batch = in_.global_batch;
        run_.uneven_stages = true;  // it ran
        set_parallel();
        set_task();
        set_precision();
        set_optimizer();
        set_recompute();
        set_attention();
        set_offload();
        if (run_.tuning != Tuning::full)
            set_adapter();
        set_schedule();
        run_.compile = in_.compile;
        apply("compile");
        set_stated_choices(record_, run_, assumptions_);
        for (const std::string_view about : {"samples", "packing", "gate", "capacity", "dropout"})
            apply(about);
        return run_;
    }

private:
    void assume(std::string text) {
        assumptions_.push_back(std::move(text));
    }
    void cannot(std::string reason) {
        if (reason_.empty())
            reason_ = std::move(reason);
    }

    /// Takes the first rule about it that holds; null where none does.
    const RecordRule* apply(std::string_view about) {
        const RecordRule* rule = rule_for(rules_, about, facts_);
        if (rule == nullptr)
            return nullptr;
        for (const auto& [field, value] : rule->set)
            set_field(run_, field, value);
        if (!rule->assume.empty())
            assume(rule->assume);
        if (!rule->cannot.empty())
            cannot(rule->cannot);
        return rule;
    }

    void set_parallel() {
        const RecordParallel& p = in_.parallel;
        run_.parallel.tp = p.tp;
        run_.parallel.pp = p.pp;
        run_.parallel.vp = p.pp > 1 ? std::max<std::int64_t>(1, p.vp) : 1;
        if (p.pp == 1 && p.vp > 1)
            assume("virtual stages without a pipeline are none");
        if (apply("chunks") != nullptr)
            run_.parallel.vp = record_.model.layers / p.pp;
        run_.parallel.dp = p.dp;
        run_.parallel.cp = p.cp;
        run_.parallel.ep = p.ep;
        run_.parallel.etp = p.etp;
        apply("etp");
        run_.parallel.sequence_parallel = p.sequence_parallel;
        run_.parallel.tp_overlap = p.tp_overlap;
        if (!p.tp_overlap)
            apply("tp_overlap");
        if (p.zero) {
            run_.parallel.zero = *p.zero;
        } else if (apply("zero") == nullptr) {
            run_.parallel.zero = 0;
            assume("run.parallel.zero is not stated: 0");
        }
        set_shard_group();
    }

    // InternEvo's zero1 group, MaxText's FSDP inside a slice: smaller than all of data parallelism.
    void set_shard_group() {
        const std::int64_t ranks = run_.parallel.dp * run_.parallel.cp;
        std::optional<std::int64_t> group = in_.parallel.hybrid_shard;
        if (const auto text = record_.extra_text("zero1_group"); text && !says(*text, "-1"))
            group =
                number_after(says(*text, "=") ? std::string_view(*text).substr(text->find('=')) : *text, "");
        if (const auto text = record_.extra_text("fsdp_size"))
            group = number_after(*text, "");
        if (group && *group > 0 && *group < ranks && ranks % *group == 0)
            run_.parallel.hybrid_shard = group;
    }

    void set_precision() {
        std::string name = spelt(in_.precision, '-', {});
        if (const RecordRule* rule = rule_for(rules_, "precision", facts_)) {
            name = rule->set.front().second;
            assume(rule->assume);
        }
        const auto precision = precision_from(name);
        if (!precision) {
            cannot(name.empty() ? "run.precision is not stated"
                                : "run.precision '" + name + "' is not known");
            return;
        }
        run_.precision_name = name;
        // Whose gradients are stated are what they say; PEFT before 2024 kept pairs in the base's format.
        const bool pairs_usual = in_.grad_dtype.empty() && record_.source_year.value_or(2024) >= 2024;
        run_.precision = tuned_precision(stack_, *precision, pairs_usual ? run_.tuning : Tuning::full);
        if (const auto gemm = data_type_from(record_.extra_text("gemm").value_or("")))
            run_.precision.gemm = *gemm;  // products in another format than the recipe's
        apply("weights");
        apply("activation_input");
        if (const auto type = data_type_from(in_.grad_dtype)) {
            run_.precision.gradients = *type;
            set_sharded_format(*type);
        } else if (adapter_format(run_, stack_) != AdapterFormat::base) {
            return;
        } else if (stack_.states.gradients == GradientStore::parameter && !run_.precision.base) {
            run_.precision.gradients = usual_gradients(stack_.states, run_.precision);
            if (stack_.states.shard == ShardEngine::zero_redundancy)
                run_.precision.reduce = run_.precision.gradients;  // whose buckets are reduced as they are
        } else {
            apply("gradients");
        }
    }

    // FSDP's gradients have the format of the weights it shards: 16-bit ones mean 16-bit weights and states,
    // whatever the recipe beside a narrow product's name.
    void set_sharded_format(DataType gradients) {
        Precision& p = run_.precision;
        const bool own =
            stack_.states.gradients == GradientStore::parameter && stack_.states.amp == CastMode::sharded;
        if (!own || !p.autocast || bytes_per_element(gradients) >= bytes_per_element(p.weights))
            return;
        p.weights = p.moments = gradients;
        p.autocast = false;
        assume("weights and optimizer states are kept in the gradients' format, as FSDP shards them");
    }

    void set_optimizer() {
        if (in_.optimizer.empty()) {
            assume("run.optimizer is not stated: adamw");
        } else if (const auto optimizer =
                       value_of<Optimizer>(spelt(in_.optimizer, '_', optimizer_spellings))) {
            run_.optimizer = *optimizer;
            apply("update");
        } else {
            cannot("run.optimizer '" + in_.optimizer + "' is not known");
        }
    }

    void set_recompute() {
        if (in_.recompute.empty()) {
            if (apply("recompute") == nullptr)
                assume("run.recompute is not stated: none");
            return;
        }
        const auto recompute = value_of<Recompute>(spelt(in_.recompute, '_', recompute_spellings));
        if (!recompute) {
            cannot("run.recompute '" + in_.recompute + "' is not known");
            return;
        }
        run_.recompute = *recompute;
        const std::string_view note = in_.recompute_note;
        if (run_.recompute == Recompute::selective)
            set_modules(note);
        if (run_.recompute == Recompute::full) {
            auto layers = number_after(note, "full on ");
            if (!layers && says(note, "block"))
                layers = number_after(note, "recompute_num_layers");
            if (layers)
                run_.recompute_layers = *layers * run_.parallel.vp;
            else
                run_.recompute_every = every_in(note);
        }
    }

    void set_modules(std::string_view note) {
        RecomputeModules& modules = run_.recompute_modules;
        modules.mla_up = says(note, "mla_up_proj");
        modules.norm = says(note, "layernorm");
        modules.activation = says(note, "moe_act") || says(note, "activation");
        modules.mlp = says(note, "modules: mlp") || says(note, ",mlp");
        modules.moe = says(note, "modules: moe)") || says(note, "moe,");
        modules.core_attention = says(note, "core_attn");
        modules.per_op = says(note, "per_op");
        modules.all_but_attention = says(note, "all_but_attention");
        // XLA policies that keep the results of matrix products and drop what lies between them.
        if (says_any(note, {"matmul outputs saved", "SAVE_DOT", "SAVE_QKV_OUT_PROJ"})) {
            modules.norm = true;
            modules.activation = true;
            modules.core_attention = !says(note, "flash");
        }
        if (says(note, "SAVE_QKV_OUT_PROJ"))
            modules.mlp = true;
        if (says(note, "qkv_proj"))
            modules.mlp = modules.norm = modules.core_attention = true;
        if (const auto policy = recompute_policy_in(note); policy && policy->modules.any())
            modules = policy->modules;
        if (says(note, "custom")) {
            run_.recompute = Recompute::full;
            run_.recompute_modules = {};
            assume(
                "a custom rematerialisation policy with offloaded block inputs is taken as full recompute");
        }
    }

    void set_attention() {
        if (in_.attention_kernel.empty())
            apply("scores");
        else if (const auto kernel =
                     value_of<AttentionKernel>(spelt(in_.attention_kernel, '_', attention_spellings)))
            run_.attention = *kernel;
        else
            cannot("run.attention_kernel '" + in_.attention_kernel + "' is not known");
        run_.attention_generation = stated_generation(in_);
    }

    void set_offload() {
        const std::string_view words = in_.offload;
        const std::string plain = lower(words);
        apply("offload");
        if (words.empty() || plain == "none" || plain == "no")
            return;
        if (says_any(plain, {"optimizer", "zero-offload"}))
            run_.offload_optimizer = Offload::cpu;
        if (says(plain, "parameter"))
            run_.offload_parameters = Offload::cpu;
        if (says(words, "FSDP")) {
            run_.offload_optimizer = Offload::cpu;
            run_.offload_parameters = Offload::cpu;
        }
        if (says(words, "qkv") || says(in_.recompute_note, "qkv_proj_offloaded")) {
            // q, k, v of one block beside its 34 s b h bytes and more: taken from [Korthikanti22, §4.1], 6
            // of 34.
            constexpr double qkv_share = 6.0 / 34.0;
            run_.offload_activations = qkv_share;
            assume("offloaded q, k, v projections are 6/34 of the saved activations");
        } else if (const auto layers = number_after(words, "activation/weight offload,")) {
            const double total = static_cast<double>(std::max<std::int64_t>(1, record_.model.layers));
            run_.offload_activations = std::min(1.0, static_cast<double>(*layers) / total);
        } else if (says(plain, "activation")) {
            run_.offload_activations = 1.0;
        }
        if (run_.offload_activations == 0.0 && run_.offload_optimizer == Offload::none &&
            run_.offload_parameters == Offload::none)
            cannot("run.offload '" + in_.offload + "' is not understood");
    }

    void set_task() {
        const std::string& task = record_.task;
        if (task == "lora")
            run_.tuning = in_.precision.starts_with("nf4-base") ? Tuning::qlora : Tuning::lora;
        else if (task == "qlora")
            run_.tuning = Tuning::qlora;
        else if (task == "adapter")
            run_.tuning = Tuning::adapter;
    }

    void set_adapter() {
        AdapterSpec& adapter = run_.adapter;
        const bool usual = apply("adapter") == nullptr;
        // What axolotl, Unsloth, QLoRA's authors and most recipes of other trainers adapt; PEFT's own
        // default, queries and values alone, is the exception among published runs.
        // XLA's stacks have recipes of their own.
        const bool linear = stack_.layer.tensor_parallel != TensorParallelKind::xla;
        if (usual)
            adapter.key = adapter.attention_out = adapter.mlp = linear;
        const bool stated = set_stated_adapter(record_, adapter);
        if (usual && !stated)
            assume(linear ? "adapter: rank 8 on all linear layers" : "adapter: rank 8 on queries and values");
        apply("adapter_layers");
    }

    void set_schedule() {
        if (in_.schedule.empty())
            return;
        if (says(lower(in_.schedule), "interleaved"))
            run_.schedule = Schedule::interleaved;
        else if (const auto schedule = value_of<Schedule>(lower(in_.schedule)))
            run_.schedule = *schedule;
        else
            cannot("run.schedule '" + in_.schedule + "' is not known");
    }

    const RunRecord& record_;
    const RecordRun& in_;
    const StackSpec& stack_;
    const RecordRules& rules_;
    std::vector<std::string>& assumptions_;
    std::string& reason_;
    RunSpec run_{};
    StatedFacts facts_;
};

}  // namespace

RecordJob job_of(const RunRecord& stated, const RecordCatalogue& catalogue) {
    RecordJob result;
    try {
        result.reason = impossible_degree(stated);
        if (!result.reason.empty())
            return result;
        const RunRecord record = completed(stated, catalogue, result.assumptions);
        result.reason = missing_count(record);
        if (!result.reason.empty())
            return result;
        const ClusterSpec cluster = catalogue.cluster(cluster_in_measured_state(record), result.assumptions);
        Job job{
            .model = model_of(record.model, record.run.sequence, result.assumptions),
            .cluster = cluster,
            .stack = stack_of(record, cluster.accelerator, catalogue),
            .run = {},
        };
        const StatedFacts facts(record, cluster.accelerator, nullptr, &job.stack);
        if (const RecordRule* one_table = rule_for(*catalogue.rules, "table", facts)) {
            job.model.tied_embeddings = true;
            result.assumptions.push_back(one_table->assume);
        }
        job.run = RunBuilder(record, cluster.accelerator, job.stack, *catalogue.rules, result.assumptions,
                             result.reason)
                      .build();
        if (result.reason.empty())
            result.job = std::move(job);
    } catch (const Error& error) {
        result.reason = error.what();
    }
    return result;
}

}  // namespace traincost
