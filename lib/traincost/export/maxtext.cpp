// MaxText's YAML over its base.yml.

#include <numeric>

#include "traincost/base/text.hpp"
#include "traincost/export/formats.hpp"
#include "traincost/export/launch_script.hpp"
#include "traincost/export/setting_text.hpp"

namespace traincost {

namespace {

/// Axes of a mesh: as much as fits into a node is `ici`, the rest `dcn`.
class Mesh {
public:
    Mesh(std::int64_t within, SettingText& out) : left_(within), out_(out) {
    }
    void add(const std::string& axis, std::int64_t degree) {
        const std::int64_t inside = std::gcd(left_, degree);
        left_ /= inside;
        out_.number("dcn_" + axis + "_parallelism", degree / inside);
        out_.number("ici_" + axis + "_parallelism", inside);
    }

private:
    std::int64_t left_;
    SettingText& out_;
};

void set_mesh(JobWords& words, SettingText& out) {
    const Parallelism& p = words.parallel();
    Mesh mesh(words.processes_per_node(), out);
    const bool experts = p.ep > 1 && p.dp % p.ep == 0;
    const std::int64_t ranks = experts ? p.dp / p.ep : p.dp;
    const bool sharded = p.zero >= 2;
    mesh.add("tensor", p.tp);
    mesh.add("context", p.cp);
    mesh.add("expert", experts ? p.ep : 1);
    mesh.add("fsdp", sharded ? ranks : 1);
    mesh.add("data", sharded ? 1 : ranks);
    mesh.add("pipeline", p.pp);
    words.said({"tp", "cp", "pp"});
    words.fixed("ep", experts || p.ep == 1, "its expert axis consists of whole data-parallel ranks");
    words.fixed("zero", p.zero == 0 || (p.zero == 3 && ranks > 1), "only 3 (weights sharded) or 0");
    words.fixed("vp", p.vp == 1, "repeats per stage are not read back");
    words.fixed("sequence-parallel", p.tp == 1, "its sharding rules decide");
}

void set_maxtext_model(JobWords& words, SettingText& out) {
    const ModelSpec& m = words.model();
    out.number("base_num_decoder_layers", m.layers);
    out.number("base_emb_dim", m.hidden);
    out.number("base_num_query_heads", m.heads);
    out.number("base_num_kv_heads", m.kv_heads);
    out.number("head_dim", m.head_dim);
    out.number("base_mlp_dim", m.ffn);
    out.number("vocab_size", m.vocab);
    out.literal("mlp_activations", m.gated_mlp ? "[\"silu\", \"linear\"]" : "[\"gelu\"]");
    out.truth("logits_via_embedding", m.tied_embeddings);
    if (m.moe) {
        out.number("num_experts", m.moe->experts);
        out.number("num_experts_per_tok", m.moe->top_k);
        out.number("base_moe_mlp_dim", m.moe->ffn);
    }
    out.word("tokenizer_path", words.checkpoint());
    const bool known = m.architecture == Architecture::decoder && !m.mla &&
                       m.norm.kind == NormKind::rmsnorm && m.norm.placement == NormPlacement::pre &&
                       !m.parallel_attention;
    words.fixed("model", known, "no keys for all of it");
}

void set_maxtext_numbers(JobWords& words, SettingText& out) {
    const RunSpec& run = words.run();
    const std::string_view compute = words.compute_word();
    out.word("dtype", compute == "fp16" ? "float16" : compute == "fp32" ? "float32" : "bfloat16");
    if (words.is_fp8())
        out.word("quantization", "fp8");
    words.say_precision(words.is_fp8() ? "fp8" : compute);
    const bool flash = words.attention() == AttentionKernel::flash;
    out.word("attention", flash ? "cudnn_flash_te" : "dot_product");
    words.said({"attention"});
    out.word("remat_policy", run.recompute == Recompute::none   ? "none"
                             : run.recompute == Recompute::full ? "full"
                                                                : "minimal");
    say_whole_recompute(words);
    const bool known = run.optimizer == Optimizer::adamw || run.optimizer == Optimizer::sgd ||
                       run.optimizer == Optimizer::muon;
    out.word("opt_type", run.optimizer == Optimizer::sgd    ? "sgd"
                         : run.optimizer == Optimizer::muon ? "muon"
                                                            : "adamw");
    words.fixed("optimizer", known, "adamw, sgd and muon are read back");
    words.fixed("compile", words.compiled() == words.job().stack.layer.compile, "XLA always compiles");
    words.fixed("tuning", run.tuning == Tuning::full, "it trains all parameters");
}

}  // namespace

LaunchTexts write_maxtext(JobWords& words) {
    const RunSpec& run = words.run();
    const Parallelism& p = words.parallel();
    SettingText out;
    say_machines(words);
    out.word("base_config", "base.yml");
    out.word("run_name", words.model().name);
    out.word("hardware", "gpu");
    out.number("max_target_length", run.sequence);
    out.literal("per_device_batch_size",
                to_exact(static_cast<double>(run.micro_batch) / static_cast<double>(p.tp * p.cp * p.pp)));
    out.number("gradient_accumulation_steps", words.accumulation());
    words.say_batch();
    set_mesh(words, out);
    set_maxtext_model(words, out);
    set_maxtext_numbers(words, out);
    ArgumentWords arguments;
    arguments.plain("train.yml");
    return {{"train.yml", yaml_text(out)},
            {"launch.sh", script_text(words, "python3 -m MaxText.train", arguments)}};
}

}  // namespace traincost
