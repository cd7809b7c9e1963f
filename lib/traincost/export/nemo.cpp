// NeMo 1's YAML, as its launcher has it, started by torchrun.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

void set_nemo_model(JobWords& words, SettingText& out) {
    const ModelSpec& m = words.model();
    const auto number = [&](const char* key, std::int64_t x) { out.number(std::string("model.") + key, x); };
    number("num_layers", m.layers);
    number("hidden_size", m.hidden);
    number("ffn_hidden_size", m.ffn);
    number("num_attention_heads", m.heads);
    number("num_query_groups", m.kv_heads);
    number("kv_channels", m.head_dim);
    number("max_position_embeddings", std::max(m.max_position.value_or(0), words.run().sequence));
    if (m.moe) {
        number("num_moe_experts", m.moe->experts);
        number("moe_router_topk", m.moe->top_k);
    }
    out.word("model.activation", m.gated_mlp ? "fast-swiglu" : "gelu");
    out.word("model.normalization", m.norm.kind == NormKind::rmsnorm ? "rmsnorm" : "layernorm1p");
    out.truth("model.bias", m.bias.mlp);
    out.truth("model.share_embeddings_and_output_weights", m.tied_embeddings);
    out.word("model.position_embedding_type",
             m.position.kind == PositionKind::rope ? "rope" : "learned_absolute");
    out.word("model.tokenizer.library", "huggingface");
    out.word("model.tokenizer.type", words.checkpoint());
    const bool known = m.architecture == Architecture::decoder && !m.mla && !m.parallel_attention &&
                       m.norm.placement == NormPlacement::pre && !m.attention_softcap &&
                       !(m.moe && m.moe->ffn != m.ffn);
    words.fixed("model", known, "no keys for all of it");
}

void set_nemo_layout(JobWords& words, SettingText& out) {
    const Parallelism& p = words.parallel();
    out.number("model.tensor_model_parallel_size", p.tp);
    out.number("model.pipeline_model_parallel_size", p.pp);
    if (p.vp > 1)
        out.number("model.virtual_pipeline_model_parallel_size", p.vp);
    out.number("model.context_parallel_size", p.cp);
    out.number("model.expert_model_parallel_size", p.ep);
    out.truth("model.sequence_parallel", words.sequence_parallel());
    if (p.tp_overlap)
        out.truth("model.ub_tp_comm_overlap", *p.tp_overlap);
    words.said({"tp", "pp", "vp", "cp", "ep", "sequence-parallel", "tp-overlap"});
    words.say_schedule(p.vp > 1 ? Schedule::interleaved : Schedule::one_f_one_b,
                       "only 1F1B, or interleaved if a rank has several chunks");
    const bool adam = words.run().optimizer == Optimizer::adamw;
    if (p.zero >= 2) {
        out.truth("model.fsdp", true);
        out.word("model.fsdp_sharding_strategy", p.zero == 3 ? "full" : "grad");
    }
    out.word("model.optim.name", !adam ? "sgd" : p.zero == 1 ? "mcore_distributed_optim" : "fused_adam");
    words.fixed("zero", adam || p.zero != 1, "only Adam shards its states");
    words.fixed("optimizer", adam || words.run().optimizer == Optimizer::sgd, "adam and sgd are read back");
}

void set_nemo_recompute(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    if (run.recompute == Recompute::none) {
        out.literal("model.activations_checkpoint_granularity", "null");
    } else if (run.recompute == Recompute::selective) {
        out.word("model.activations_checkpoint_granularity", "selective");
    } else {
        out.word("model.activations_checkpoint_granularity", "full");
        out.word("model.activations_checkpoint_method", "uniform");
        out.number("model.activations_checkpoint_num_layers", 1);
    }
    words.fixed("recompute",
                run.recompute_every == 1 && !run.recompute_layers && !run.recompute_modules.any(),
                "the share of blocks is left to the framework");
}

}  // namespace

LaunchTexts write_nemo(JobWords& words) {
    const RunSpec& run = words.run();
    SettingText out;
    say_machines(words);
    out.number("trainer.num_nodes", words.nodes());
    out.number("trainer.devices", words.processes_per_node());
    const std::string_view compute = words.compute_word();
    out.word("trainer.precision", compute == "fp16"   ? "16-mixed"
                                  : compute == "fp32" ? "32-true"
                                                      : "bf16-mixed");
    out.number("trainer.accumulate_grad_batches", 1);
    out.number("model.micro_batch_size", run.micro_batch);
    out.number("model.global_batch_size", words.whole_batch());
    out.number("model.encoder_seq_length", run.sequence);
    words.say_batch();
    set_nemo_layout(words, out);
    set_nemo_model(words, out);
    set_nemo_recompute(words, out);
    if (words.is_fp8()) {
        out.truth("model.fp8", true);
        out.truth("model.fp8_hybrid", true);
    }
    words.say_precision(words.is_fp8() ? "fp8" : compute);
    if (words.attention() == AttentionKernel::flash)
        out.truth("model.use_flash_attention", true);
    words.fixed("attention",
                words.attention() == AttentionKernel::flash ||
                    words.job().stack.attention.kernel == words.attention(),
                "only flash attention is switched on");
    if (words.is_tuned()) {
        out.word("model.peft.peft_scheme", "lora");
        out.number("model.peft.lora_tuning.adapter_dim", run.adapter.rank);
    }
    say_adapters(words, false);
    words.fixed("compile", words.compiled() == words.job().stack.layer.compile, "no setting for it");
    const std::string program =
        words.is_tuned() ? " megatron_gpt_finetuning.py" : " megatron_gpt_pretraining.py";
    ArgumentWords arguments;
    arguments.word("--config-path", ".");
    arguments.word("--config-name", "train");
    return {{"train.yaml", yaml_text(out)},
            {"launch.sh", script_text(words, torchrun(words) + program, arguments)}};
}

}  // namespace traincost
