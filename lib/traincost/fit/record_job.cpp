#include "traincost/fit/record_job.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"
#include "traincost/fit/record_choices.hpp"
#include "traincost/fit/record_model.hpp"
#include "traincost/fit/record_network.hpp"
#include "traincost/fit/record_stack.hpp"
#include "traincost/fit/record_words.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// Builds the run of one record, with its assumptions; `reason` is set where it can't.
class RunBuilder {
public:
    RunBuilder(const RunRecord& record, const StackSpec& stack, std::vector<std::string>& assumptions,
               std::string& reason)
        : record_(record), in_(record.run), stack_(stack), assumptions_(assumptions), reason_(reason) {
    }

    RunSpec build() {
        run_.sequence = in_.sequence;
        run_.micro_batch = in_.micro_batch;
        run_.global_batch = in_.global_batch;
        run_.uneven_stages = true;  // it ran
        set_parallel();
        set_precision();
        set_optimizer();
        set_recompute();
        set_attention();
        set_offload();
        set_tuning();
        set_schedule();
        run_.compile = in_.compile;
        if (says(in_.stack_version, "compile=True") || climbed("compile"))
            run_.compile = true;
        set_stated_choices(record_, run_, assumptions_);
        set_sample_length();
        set_packing();
        set_gate();
        set_expert_capacity();
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

    bool megatron_family() const {
        return in_.stack == "megatron-core" || in_.stack == "nemo" || in_.stack == "mlperf";
    }

    /// Whether the notes name the cumulative ladder of torchtune's memory table and the run includes `step`.
    bool climbed(std::string_view step) const {
        static constexpr std::array<std::string_view, 7> ladder = {"packed dataset",
                                                                   "compile",
                                                                   "Chunked",
                                                                   "activation checkpointing",
                                                                   "optimizer in backward",
                                                                   "activation offloading",
                                                                   "8-bit AdamW"};
        const std::string at = record_.extra_text("ladder").value_or("");
        if (at.empty())
            return false;
        const auto index = [&](std::string_view words) {
            const auto found = std::find_if(ladder.begin(), ladder.end(),
                                            [&](std::string_view l) { return says(words, l); });
            return found - ladder.begin();
        };
        if (at == "LoRA" || at == "QLoRA")
            return true;
        if (says(at, "hunked"))
            return index(step) <= 2;
        return !says(at, "Baseline") && index(step) <= index(at);
    }

    // Gates made for benchmarks deal experts out in their order.
    void set_gate() {
        if (!record_.model.moe || !says(record_.extra_text("gate").value_or(""), "consecutive"))
            return;
        run_.neighbouring_experts = true;
        assume("a token's experts are neighbours, as the benchmark's gate deals them out");
    }

    // MaxText's "dropped" mixtures give every expert a fixed capacity, 1.25 in its recipes, and reach it by
    // one-hot products.
    void set_expert_capacity() {
        constexpr double recipe_capacity = 1.25;
        if (in_.stack != "maxtext" || !record_.model.moe ||
            !says(record_.extra_text("cfg").value_or(""), "_dropped"))
            return;
        run_.expert_imbalance = recipe_capacity;
        run_.expert_one_hot = true;
        assume("experts compute a fixed capacity of 1.25, reached by one-hot products");
    }

    // Unpacked batches are padded to their longest sample, so that a step time taken from tokens a second is
    // only a bound, and is not compared. Alpaca's has 1304 Llama tokens (LitGPT's tables).
    void set_sample_length() {
        constexpr std::int64_t alpaca_longest = 1304;
        if (says(record_.notes, "not packed (Alpaca)") && run_.sequence > alpaca_longest) {
            run_.sequence = alpaca_longest;
            assume("unpacked Alpaca samples: the longest has 1304 tokens");
        } else if (says(record_.extra_text("ladder").value_or(""), "unpacked")) {
            cannot("the samples are not packed and their length is not stated");
        }
    }

    void set_parallel() {
        const RecordParallel& p = in_.parallel;
        run_.parallel.tp = p.tp;
        run_.parallel.pp = p.pp;
        run_.parallel.vp = p.pp > 1 ? std::max<std::int64_t>(1, p.vp) : 1;
        if (p.pp == 1 && p.vp > 1)
            assume("virtual stages without a pipeline are none");
        set_unstated_chunks();
        run_.parallel.dp = p.dp;
        run_.parallel.cp = p.cp;
        run_.parallel.ep = p.ep;
        run_.parallel.etp = p.etp;
        // Megatron-Core's default is the dense degree; Megatron-Bridge's recipes set 1.
        if (!p.etp && megatron_family() && p.ep > 1 && p.tp > 1 && p.dp * p.cp % p.ep == 0 &&
            !says(in_.stack_version, "Megatron-Bridge")) {
            run_.parallel.etp = p.tp;
            assume("expert tensor parallelism is not stated: tp, Megatron-Core's default");
        }
        run_.parallel.sequence_parallel = p.sequence_parallel;
        if (p.zero) {
            run_.parallel.zero = *p.zero;
        } else {
            // BigScience's launch scripts set ZERO_STAGE=1, those of NeuronX use_zero_1 and wrap_with_zero.
            const bool shards =
                megatron_family() || in_.stack == "megatron-deepspeed" || in_.stack == "neuronx";
            run_.parallel.zero = shards ? 1 : 0;
            assume("run.parallel.zero is not stated: " + std::to_string(run_.parallel.zero) +
                   (shards ? ", optimizer states sharded as the stack's recipes do" : ""));
        }
        set_shard_group();
    }

    // MLPerf layouts are read from a submission's configuration. One that cuts a pipeline and sets no
    // INTERLEAVED_PIPELINE leaves it to a common file not read; the submissions that set it run one or two
    // layers a chunk, and GPT-3's single micro-batch configurations one.
    void set_unstated_chunks() {
        const Parallelism& p = run_.parallel;
        const auto conf = record_.extra_text("conf");
        if (in_.stack != "mlperf" || p.pp == 1 || p.vp > 1 || !conf || says(*conf, "INTERLEAVED_PIPELINE") ||
            record_.model.layers % p.pp != 0)
            return;
        run_.parallel.vp = record_.model.layers / p.pp;
        assume("run.parallel.vp is not in the configuration: one layer a chunk");
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
        // torchtune trains weights, gradients and states in the recipe's one format; its records say only
        // "bf16".
        if (in_.stack == "torchtune" && name == "bf16-mixed") {
            name = "bf16-pure";
            assume("torchtune keeps weights, gradients and states in bf16");
        }
        const auto precision = precision_from(name);
        if (!precision) {
            cannot(name.empty() ? "run.precision is not stated"
                                : "run.precision '" + name + "' is not known");
            return;
        }
        run_.precision_name = name;
        run_.precision = stack_precision(stack_, *precision);
        if (const auto gemm = data_type_from(record_.extra_text("gemm").value_or("")))
            run_.precision.gemm = *gemm;  // products in another format than the recipe's
        set_primary_weights(name);
        if (const auto type = data_type_from(in_.grad_dtype)) {
            run_.precision.gradients = *type;
            set_sharded_format(*type);
        } else if (stack_.gradients == GradientStore::parameter && !run_.precision.base) {
            run_.precision.gradients = usual_gradients(stack_, run_.precision);
            if (stack_.shard == ShardEngine::zero_redundancy)
                run_.precision.reduce = run_.precision.gradients;  // whose buckets are reduced as they are
        } else if (in_.stack == "mlperf" && !run_.precision.autocast) {
            run_.precision.gradients = DataType::bf16;
            run_.precision.reduce = DataType::bf16;
            assume(
                "gradients are kept and reduced in bf16: grad_reduce_in_fp32 is off in NVIDIA's MLPerf "
                "configurations");
        }
    }

    // FSDP's gradients have the format of the weights it shards: 16-bit ones mean 16-bit weights and states,
    // whatever the recipe beside a narrow product's name.
    void set_sharded_format(DataType gradients) {
        Precision& p = run_.precision;
        const bool own = stack_.gradients == GradientStore::parameter && stack_.amp == CastMode::sharded;
        if (!own || !p.autocast || bytes_per_element(gradients) >= bytes_per_element(p.weights))
            return;
        p.weights = p.moments = gradients;
        p.autocast = false;
        assume("weights and optimizer states are kept in the gradients' format, as FSDP shards them");
    }

    // MLPerf submissions: FP8_PARAM_GATHER keeps primary weights in fp8, fp8_params the frozen base of a LoRA
    // run, which under NVFP4 too holds no 16-bit copy (128 GiB for 70B beside 100 GiB of activations on cards
    // of 180 GB).
    void set_primary_weights(std::string_view precision) {
        if (in_.stack != "mlperf" || (precision != "fp8-mixed" && precision != "fp4-mixed"))
            return;
        const std::string conf = record_.extra_text("conf").value_or("");
        const auto gathers = value_after(conf, "FP8_PARAM_GATHER");
        if (record_.task == "lora" || gathers == "True" || gathers == "1") {
            run_.precision.weights = DataType::fp8;
            assume("primary weights are kept in fp8, as the configuration or its LoRA recipe says");
        }
        const auto input = value_after(conf, "FP8_ACT\"");
        const auto input_too = value_after(conf, "FP8_ACTIVATION");
        run_.activation_input_fp8 =
            input == "1" || input == "True" || input_too == "1" || input_too == "True";
    }

    void set_optimizer() {
        if (in_.optimizer.empty()) {
            assume("run.optimizer is not stated: adamw");
        } else if (const auto optimizer =
                       value_of<Optimizer>(spelt(in_.optimizer, '_', optimizer_spellings))) {
            run_.optimizer = *optimizer;
            set_torchtune_optimizer();
        } else {
            cannot("run.optimizer '" + in_.optimizer + "' is not known");
        }
    }

    // torchtune's single-device full recipes step in the backward pass with bitsandbytes' paged 8-bit AdamW.
    void set_torchtune_optimizer() {
        if (in_.stack != "torchtune")
            return;
        const bool single = record_.task == "full-ft" && record_.cluster.accelerators == 1;
        run_.optimizer_in_backward = (single && says(record_.notes, "optimizer-in-backward")) ||
                                     (record_.task == "full-ft" && climbed("optimizer in backward"));
        if (run_.optimizer == Optimizer::adam8bit && says(record_.notes, "optimizer-in-backward") && single)
            run_.optimizer = Optimizer::paged_adam8bit;
    }

    void set_recompute() {
        if (in_.recompute.empty()) {
            run_.recompute = recomputes_by_default() ? Recompute::full : Recompute::none;
            assume("run.recompute is not stated: " + std::string(name_of(run_.recompute)));
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
            if (const auto layers = number_after(note, "full on "))
                run_.recompute_layers = *layers * run_.parallel.vp;
            else if (says(note, "every ") && says(note, " blocks"))
                run_.recompute_every = number_after(note, "every ").value_or(1);
        }
    }

    /// Recipes that checkpoint every block unless told not to: LLaMA-Factory (gradient_checkpointing),
    /// torchtune (enable_activation_checkpointing of its recipe configs), LitGPT on several devices (its FSDP
    /// strategy's activation_checkpointing_policy), MaxText (remat_policy of base.yml) and Pax
    /// (CHECKPOINT_POLICY of its sharded language models is SAVE_NOTHING).
    bool recomputes_by_default() const {
        return in_.stack == "llama-factory" || in_.stack == "torchtune" || in_.stack == "maxtext" ||
               in_.stack == "pax" || (in_.stack == "litgpt" && record_.cluster.accelerators > 1);
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
        // XLA policies that keep the results of matrix products and drop what lies between them.
        if (says_any(note, {"matmul outputs saved", "SAVE_DOT", "SAVE_QKV_OUT_PROJ"})) {
            modules.norm = true;
            modules.activation = true;
            modules.core_attention = !says(note, "flash");
        }
        if (says(note, "SAVE_QKV_OUT_PROJ"))
            modules.mlp = true;
        if (says(note, "custom")) {
            run_.recompute = Recompute::full;
            run_.recompute_modules = {};
            assume(
                "a custom rematerialisation policy with offloaded block inputs is taken as full recompute");
        }
    }

    void set_attention() {
        if (in_.attention_kernel.empty())
            return;
        if (const auto kernel =
                value_of<AttentionKernel>(spelt(in_.attention_kernel, '_', attention_spellings)))
            run_.attention = *kernel;
        else
            cannot("run.attention_kernel '" + in_.attention_kernel + "' is not known");
    }

    void set_offload() {
        const std::string_view words = in_.offload;
        const std::string plain = lower(words);
        if (says(in_.stack_version, "Unsloth"))
            run_.offload_activations = 1.0;  // its checkpointing keeps block inputs in host memory
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

    void set_tuning() {
        const std::string& task = record_.task;
        if (task == "lora")
            run_.tuning = in_.precision == "nf4-base" ? Tuning::qlora : Tuning::lora;
        else if (task == "qlora")
            run_.tuning = Tuning::qlora;
        else if (task == "adapter")
            run_.tuning = Tuning::adapter;
        else
            return;
        set_adapter();
    }

    // NeMo's and Megatron-Bridge's fine-tuning recipes pack SQuAD, whose prompts with answers are about 200
    // tokens long.
    void set_packing() {
        constexpr std::int64_t squad_tokens = 200;
        const bool recipe = in_.stack == "nemo" || in_.stack == "megatron-core";
        if (!run_.packed_length && recipe && (record_.task == "lora" || record_.task == "sft")) {
            run_.packed_length = squad_tokens;
            assume("sequences are packed from documents of 200 tokens, as NeMo's SQuAD recipes do");
        }
    }

    static constexpr std::array<std::pair<std::string_view, bool AdapterSpec::*>, 6> adapter_targets = {
        {{"q", &AdapterSpec::query},
         {"k", &AdapterSpec::key},
         {"v", &AdapterSpec::value},
         {"o", &AdapterSpec::attention_out},
         {"mlp", &AdapterSpec::mlp},
         {"head", &AdapterSpec::lm_head}}};

    /// What a fine-tuning recipe adapts when the record does not say.
    struct Recipe {
        std::string_view stack;
        std::int64_t rank;
        bool query, key, value, out, mlp;
        double dropout;
        std::string_view source;
    };

    void set_adapter() {
        static constexpr std::array<Recipe, 8> recipes = {{
            {"litgpt", 8, true, false, true, false, false, 0.05, "litgpt finetune_lora defaults"},
            {"torchtune", 8, true, false, true, true, true, 0.0, "torchtune LoRA recipe configs"},
            {"llama-factory", 8, true, true, true, true, true, 0.0, "all linear modules"},
            {"nemo-automodel", 8, true, true, true, true, true, 0.0,
             "its PEFT recipes match all linear layers"},
            {"optimum-habana", 8, true, false, true, false, false, 0.05, "its LoRA examples"},
            {"nemo", 32, true, true, true, false, false, 0.0,
             "NeMo performance recipes: linear_qkv alone (attention_qkv in NeMo 1)"},
            {"megatron-core", 32, true, true, true, true, true, 0.0,
             "NeMo LoRA defaults: dim 32, all linear layers"},
            {"mlperf", 16, true, true, true, true, false, 0.1,
             "MLPerf llama2_70b_lora: rank 16 on attention"},
        }};
        const auto recipe = std::find_if(recipes.begin(), recipes.end(),
                                         [&](const Recipe& r) { return r.stack == in_.stack; });
        AdapterSpec& adapter = run_.adapter;
        if (recipe != recipes.end()) {
            adapter.rank = recipe->rank;
            adapter.query = recipe->query;
            adapter.key = recipe->key;
            adapter.value = recipe->value;
            adapter.attention_out = recipe->out;
            adapter.mlp = recipe->mlp;
            adapter.dropout = recipe->dropout;
            assume("adapter: rank " + std::to_string(adapter.rank) + ", " + std::string(recipe->source));
        } else {
            // What axolotl, Unsloth, QLoRA's authors and most recipes of other trainers adapt; PEFT's own
            // default, queries and values alone, is the exception among published runs.
            // XLA's stacks have recipes of their own.
            const bool linear = stack_.tensor_parallel != TensorParallelKind::xla;
            adapter.key = adapter.attention_out = adapter.mlp = linear;
            assume(linear ? "adapter: rank 8 on all linear layers" : "adapter: rank 8 on queries and values");
        }
        if (const auto rank = record_.extra_text("lora_rank"))
            adapter.rank = number_after(*rank, "").value_or(adapter.rank);
        if (const auto targets = record_.extra_text("lora_targets"); targets && !named_targets(*targets)) {
            const bool all = says(*targets, "all linear");
            adapter.query = all || says_any(*targets, {"q_proj", "qkv"});
            adapter.key = all || says_any(*targets, {"k_proj", "qkv"});
            adapter.value = all || says_any(*targets, {"v_proj", "qkv"});
            adapter.attention_out = all || says_any(*targets, {"o_proj", "out_proj"});
            adapter.mlp = all || says_any(*targets, {"mlp", "gate_proj", "up_proj", "down_proj", "fc"});
        }
        if (const auto dropout = record_.extra_text("lora_dropout"))
            adapter.dropout = fraction_in(*dropout).value_or(adapter.dropout);
        if (run_.tuning == Tuning::adapter) {
            // LitGPT's first version starts at its third block (adapter_start_layer = 2); the second also
            // trains norms, scales and biases of every block.
            adapter.scale_and_bias = says(record_.extra_text("command").value_or(""), "adapter_v2");
            run_.frozen_layers = adapter.scale_and_bias ? 0 : 2;
        }
    }

    // "q,v,mlp": the command line's names of adapted matrices; false where another word is among them.
    bool named_targets(const std::string& list) {
        AdapterSpec named{};
        named.query = named.value = false;
        for (const std::string& name : split(list, ',')) {
            const auto target = std::find_if(std::begin(adapter_targets), std::end(adapter_targets),
                                             [&](const auto& t) { return t.first == name; });
            if (target == std::end(adapter_targets))
                return false;
            named.*target->second = true;
        }
        for (const auto& [name, target] : adapter_targets)
            run_.adapter.*target = named.*target;
        return true;
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
    std::vector<std::string>& assumptions_;
    std::string& reason_;
    RunSpec run_{};
};

/// The record with its stack by the catalogue's id and with the counts that others it states leave no choice
/// for: ranks of data parallelism, and one of micro-batch, accumulation and global batch.
RunRecord completed(const RunRecord& stated, const RecordCatalogue& catalogue,
                    std::vector<std::string>& assumptions) {
    RunRecord record = stated;
    RecordRun& run = record.run;
    run.stack = catalogue.stack(run.stack).id;
    RecordParallel& p = run.parallel;
    const std::int64_t others = std::max<std::int64_t>(1, p.tp * p.pp * p.cp);
    if (p.dp <= 1 && record.cluster.accelerators > others && record.cluster.accelerators % others == 0) {
        p.dp = record.cluster.accelerators / others;
        assumptions.push_back("run.parallel.dp is not stated: " + std::to_string(p.dp) +
                              ", all accelerators that tp, pp and cp leave");
    }
    const std::int64_t dp = std::max<std::int64_t>(1, p.dp);
    const std::int64_t passes = run.accumulation.value_or(0);
    if (run.global_batch <= 0 && run.micro_batch > 0 && passes > 0) {
        run.global_batch = run.micro_batch * dp * passes;
        assumptions.push_back("run.global_batch is not stated: micro-batch, dp and accumulation give " +
                              std::to_string(run.global_batch));
    } else if (run.micro_batch <= 0 && run.global_batch > 0 && passes > 0 &&
               run.global_batch % (dp * passes) == 0) {
        run.micro_batch = run.global_batch / (dp * passes);
        assumptions.push_back("run.micro_batch is not stated: global batch, dp and accumulation give " +
                              std::to_string(run.micro_batch));
    }
    return record;
}

/// The first count the job needs and the source does not state.
std::string missing_count(const RunRecord& r) {
    const std::array<std::pair<std::string_view, std::int64_t>, 9> counts = {{
        {"model.layers", r.model.layers},
        {"model.hidden", r.model.hidden},
        {"model.heads", r.model.heads},
        {"model.vocab", r.model.vocab},
        {"cluster.accelerators", r.cluster.accelerators},
        {"run.sequence", r.run.sequence},
        {"run.micro_batch", r.run.micro_batch},
        {"run.global_batch", r.run.global_batch},
        {"run.parallel.dp", r.run.parallel.dp},
    }};
    for (const auto& [name, value] : counts) {
        if (value <= 0)
            return std::string(name) + " is not stated";
    }
    return {};
}

/// The first degree of parallelism that no run of so many accelerators can have.
std::string impossible_degree(const RunRecord& r) {
    const RecordParallel& p = r.run.parallel;
    const std::array<std::pair<std::string_view, std::int64_t>, 4> degrees = {{
        {"tp", p.tp},
        {"pp", p.pp},
        {"cp", p.cp},
        {"ep", p.ep},
    }};
    for (const auto& [name, value] : degrees) {
        if (value < 1 || value > std::max<std::int64_t>(1, r.cluster.accelerators))
            return "run.parallel." + std::string(name) + " is " + std::to_string(value) +
                   ", must be between 1 and the number of accelerators";
    }
    return {};
}

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
        job.run = RunBuilder(record, job.stack, result.assumptions, result.reason).build();
        if (result.reason.empty())
            result.job = std::move(job);
    } catch (const Error& error) {
        result.reason = error.what();
    }
    return result;
}

}  // namespace traincost
