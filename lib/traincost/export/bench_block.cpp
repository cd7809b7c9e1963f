#include "traincost/export/bench_block.hpp"

#include <array>

#include "traincost/base/multiples.hpp"
#include "traincost/base/version.hpp"
#include "traincost/cost/adapters.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/cost/flops.hpp"
#include "traincost/cost/params.hpp"
#include "traincost/fit/records/record_model.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// The model with the rows its embedding table has under the stack.
ModelSpec padded(const Job& job) {
    ModelSpec model = job.model;
    const std::int64_t multiple = job.stack.head.vocab_multiple * job.run.parallel.tp;
    if (job.stack.head.vocab_multiple > 1) {
        model.vocab = round_up(model.vocab, multiple);
    }
    return model;
}

void write_how(JsonWriter& out, const Job& job, const BenchOptions& options) {
    out.key("how").begin_object();
    out.member("warmup", options.warmup).member("steps", options.steps);
    out.member("gradient_clip", options.gradient_clip);
    out.member("compile_mode", compile_mode_names()[static_cast<std::size_t>(options.compile_mode)]);
    out.member("fp8_scaling", name_of(job.run.fp8_scaling.value_or(Fp8Scaling::tensorwise)));
    out.member("loss_chunks", options.loss_chunks);
    out.end_object();
}

void write_flops(JsonWriter& out, const Job& job) {
    out.key("flops").begin_object();
    out.member("6ND", model_flops(job, FlopConvention::six_nd));
    out.member("palm", model_flops(job, FlopConvention::palm));
    out.member("megatron", model_flops(job, FlopConvention::megatron));
    out.member("exact", model_flops(job, FlopConvention::exact));
    out.key("recomputed").begin_object();
    for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
        Job other = job;
        other.run.recompute = recompute;
        out.member(name_of(recompute), step_flops(other).recomputed);
    }
    out.end_object();
    out.end_object();
}

void write_peaks(JsonWriter& out, const AcceleratorSpec& accelerator) {
    out.key("peaks").begin_object();
    for (const DataType type : {DataType::fp32, DataType::tf32, DataType::bf16, DataType::fp16}) {
        if (const auto rate = peak_rate(accelerator, type)) {
            out.member(to_string(type), *rate);
        }
    }
    if (const auto& rate = accelerator.peak[static_cast<std::size_t>(DataType::fp8)]) {
        out.member(to_string(DataType::fp8), *rate);
    }
    out.end_object();
}

void write_predicted(JsonWriter& out, const Job& job) {
    const Estimate e = estimate(job);
    const StageMemory& peak = e.stages[static_cast<std::size_t>(e.peak_stage)];
    out.key("predicted").begin_object();
    out.member("step_time_s", e.step.total);
    out.member("allocated_bytes", peak.allocated).member("reserved_bytes", peak.reserved);
    out.member("device_bytes", peak.device).member("fits", e.fits);
    out.end_object();
}

void write_record_moe(JsonWriter& out, const std::optional<RecordMoe>& moe) {
    out.key("moe");
    if (!moe) {
        out.null();
        return;
    }
    out.begin_object().member("experts", moe->experts).member("top_k", moe->top_k).member("ffn", moe->ffn);
    out.member("shared_experts", moe->shared_experts).member("shared_ffn", moe->shared_ffn);
    out.member("dense_layers", moe->dense_layers).member("every", moe->every).end_object();
}

void write_record_mla(JsonWriter& out, const std::optional<RecordMla>& mla) {
    out.key("mla");
    if (!mla) {
        out.null();
        return;
    }
    out.begin_object().member("q_lora_rank", mla->q_lora_rank).member("kv_lora_rank", mla->kv_lora_rank);
    out.member("qk_nope_dim", mla->qk_nope_dim).member("qk_rope_dim", mla->qk_rope_dim);
    out.member("v_head_dim", mla->v_head_dim).end_object();
}

/// What a run record says of the model and the cluster.
void write_record(JsonWriter& out, const Job& job) {
    const DescribedModel described = describe_model(job.model, job.run.sequence);
    const RecordModel& m = described.model;
    out.key("record").begin_object();
    out.key("model").begin_object();
    out.member("name", m.name).member("family", m.family).member("layers", m.layers);
    out.member("hidden", m.hidden).member("heads", m.heads).member("kv_heads", m.kv_heads);
    out.member("head_dim", m.head_dim).member("ffn", m.ffn).member("gated_mlp", m.gated_mlp);
    out.member("vocab", m.vocab).member("tied_embeddings", m.tied_embeddings);
    out.member("positional", m.positional).member("attention", m.attention);
    write_record_moe(out, m.moe);
    write_record_mla(out, m.mla);
    out.member("note", m.note).end_object();
    out.member("model_is_whole", described.whole);
    out.key("cluster").begin_object();
    out.member("accelerator", job.cluster.accelerator.id).member("accelerators", job.cluster.accelerators);
    out.member("per_node", job.cluster.per_node).member("interconnect", job.cluster.id).end_object();
    out.end_object();
}

}  // namespace

std::vector<std::string_view> changed_choices(const BenchOptions& options) {
    std::vector<std::string_view> keys;
    const bool graphs = options.compile_mode == CompileMode::reduce_overhead ||
                        options.compile_mode == CompileMode::max_autotune;
    if (graphs) {
        keys.emplace_back("cuda_graphs");
    }
    if (options.gradient_clip) {
        keys.emplace_back("gradient_passes");
    }
    if (options.loss) {
        keys.emplace_back("loss");
    }
    if (options.optimizer) {
        keys.emplace_back("optimizer");
    }
    if (options.vocab_multiple) {
        keys.emplace_back("vocab_multiple");
    }
    return keys;
}

std::string bench_block(const Job& job, const BenchOptions& options) {
    const std::int64_t built = parameter_count(padded(job)).total;
    JsonWriter out(1);
    out.begin_object().member("schema", "bench/1").member("traincost", version());
    out.member("title", job.model.name + " on " + std::to_string(job.cluster.accelerators) + " x " +
                            job.cluster.accelerator.id);
    write_how(out, job, options);
    out.array("choices", changed_choices(options));
    out.key("parameters").begin_object();
    out.member("model", parameter_count(job.model).total).member("built", built);
    out.member("trained", job.run.tuning == Tuning::full ? built : adapter_parameters(job)).end_object();
    write_flops(out, job);
    write_peaks(out, job.cluster.accelerator);
    write_predicted(out, job);
    write_record(out, job);
    out.key("job");
    write_json(out, job);
    return out.end_object().text();
}

}  // namespace traincost
