// nanotron's YAML, started by torchrun.

#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

void set_nanotron_model(JobWords& words, SettingText& out) {
    const ModelSpec& m = words.model();
    const std::string_view compute = words.compute_word();
    out.word("model.dtype", compute == "fp16" ? "float16" : compute == "fp32" ? "float32" : "bfloat16");
    words.say_precision(compute);
    out.truth("model.model_config.is_llama_config", true);
    out.number("model.model_config.num_hidden_layers", m.layers);
    out.number("model.model_config.hidden_size", m.hidden);
    out.number("model.model_config.num_attention_heads", m.heads);
    out.number("model.model_config.num_key_value_heads", m.kv_heads);
    out.number("model.model_config.intermediate_size", m.ffn);
    out.number("model.model_config.vocab_size", m.vocab);
    out.truth("model.model_config.tie_word_embeddings", m.tied_embeddings);
    out.number("model.model_config.max_position_embeddings",
               std::max(m.max_position.value_or(0), words.run().sequence));
    out.word("tokenizer.tokenizer_name_or_path", words.checkpoint());
    const bool plain = m.architecture == Architecture::decoder && !m.moe && !m.mla &&
                       m.norm.kind == NormKind::rmsnorm && m.norm.placement == NormPlacement::pre &&
                       m.gated_mlp && !m.parallel_attention;
    words.fixed("model", plain, "its model is Llama's: dense, gated, with RMS norms");
    if (words.attention() == AttentionKernel::flash)
        out.word("model.model_config._attn_implementation", "flash_attention_2");
    words.fixed("attention", words.attention() == AttentionKernel::flash, "only fused kernels");
}

void set_nanotron_layout(JobWords& words, SettingText& out) {
    const Parallelism& p = words.parallel();
    out.number("parallelism.dp", p.dp);
    out.number("parallelism.pp", p.pp);
    out.number("parallelism.tp", p.tp);
    out.number("parallelism.context_parallel_size", p.cp);
    out.number("parallelism.expert_parallel_size", 1);
    const bool eager = p.pp > 1 && schedule_of(words.job()) == Schedule::gpipe;
    out.word("parallelism.pp_engine", eager ? "afab" : "1f1b");
    words.say_schedule(eager ? Schedule::gpipe : Schedule::one_f_one_b,
                       "only 1F1B or all forward passes first");
    out.word("parallelism.tp_mode", words.sequence_parallel() ? "REDUCE_SCATTER" : "ALL_REDUCE");
    out.truth("parallelism.recompute_layer", words.run().recompute != Recompute::none);
    say_whole_recompute(words);
    words.said({"tp", "pp", "cp", "sequence-parallel"});
    words.fixed("vp", p.vp == 1, "one chunk per rank");
    words.fixed("ep", p.ep == 1, "its expert-parallel ranks multiply the world");
    out.number("optimizer.zero_stage", p.zero == 0 ? 0 : 1);
    words.fixed("zero", p.zero <= 1, "only 1 (optimizer states sharded) or 0");
}

}  // namespace

LaunchTexts write_nanotron(JobWords& words) {
    const RunSpec& run = words.run();
    SettingText out;
    say_machines(words);
    out.word("general.project", "traincost");
    out.word("general.run", words.model().name);
    set_nanotron_layout(words, out);
    out.truth("optimizer.accumulate_grad_in_fp32", run.precision.gradients == DataType::fp32);
    const bool sgd = run.optimizer == Optimizer::sgd;
    out.word("optimizer.optimizer_factory.name", sgd ? "sgd" : "adamW");
    words.fixed("optimizer", sgd || run.optimizer == Optimizer::adamw, "adamW and sgd are its optimizers");
    set_nanotron_model(words, out);
    out.number("tokens.sequence_length", run.sequence);
    out.number("tokens.micro_batch_size", run.micro_batch);
    out.number("tokens.batch_accumulation_per_replica", words.accumulation());
    words.say_batch();
    words.fixed("compile", words.compiled() == words.job().stack.layer.compile, "no setting for it");
    words.fixed("tuning", run.tuning == Tuning::full, "it trains all parameters");
    ArgumentWords arguments;
    arguments.word("--config-file", "config.yaml");
    return {{"config.yaml", yaml_text(out)},
            {"launch.sh", script_text(words, torchrun(words) + " run_train.py", arguments)}};
}

}  // namespace traincost
