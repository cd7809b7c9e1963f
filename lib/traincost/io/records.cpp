#include "traincost/io/records.hpp"

#include <algorithm>
#include <set>

#include "traincost/base/parallel.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/io/record_reader.hpp"

namespace traincost {

namespace {

constexpr std::string_view record_schema = "run-record/1";

/// Degrees and batches of a source beyond these are mistakes; products of those within stay exact.
constexpr std::int64_t largest_degree = std::int64_t{1} << 12;
constexpr std::int64_t largest_data_degree = std::int64_t{1} << 24;
constexpr std::int64_t largest_pass = std::int64_t{1} << 19;

/// Records of one file: some 3 kB of memory each.
constexpr std::size_t most_records = 100'000;

constexpr std::size_t most_remarks = 100;  // on a file

RecordMoe read_moe(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordMoe moe{};
    RecordReader in(node);
    in.read("experts", moe.experts);
    in.read("top_k", moe.top_k);
    in.read("ffn", moe.ffn);
    in.read("shared_experts", moe.shared_experts);
    in.read("shared_ffn", moe.shared_ffn);
    in.read("dense_layers", moe.dense_layers);
    in.read("every", moe.every);
    in.remark_unread("model.moe.", remarks);
    return moe;
}

RecordMla read_mla(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordMla mla{};
    RecordReader in(node);
    in.read("q_lora_rank", mla.q_lora_rank);
    in.read("kv_lora_rank", mla.kv_lora_rank);
    in.read("qk_nope_dim", mla.qk_nope_dim);
    in.read("qk_rope_dim", mla.qk_rope_dim);
    in.read("v_head_dim", mla.v_head_dim);
    in.remark_unread("model.mla.", remarks);
    return mla;
}

RecordModel read_model(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordModel m{};
    RecordReader in(node);
    in.name("name", m.name);
    in.name("family", m.family);
    in.read("layers", m.layers);
    in.read("hidden", m.hidden);
    in.read("heads", m.heads);
    in.read("kv_heads", m.kv_heads);
    in.read("head_dim", m.head_dim);
    in.read("ffn", m.ffn);
    in.read("gated_mlp", m.gated_mlp);
    in.read("vocab", m.vocab);
    in.read("tied_embeddings", m.tied_embeddings);
    in.read("positional", m.positional);
    in.read("attention", m.attention);
    if (const auto moe = in.find("moe"))
        m.moe = read_moe(*moe, remarks);
    if (const auto mla = in.find("mla"))
        m.mla = read_mla(*mla, remarks);
    in.read("note", m.note);
    in.remark_unread("model.", remarks);
    return m;
}

RecordCluster read_cluster(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordCluster c{};
    RecordReader in(node);
    in.required("accelerator", c.accelerator);
    in.read("accelerators", c.accelerators);
    in.read("per_node", c.per_node);
    in.read("interconnect", c.interconnect);
    in.read("power_limit_W", c.power_limit_w);
    in.remark_unread("cluster.", remarks);
    return c;
}

RecordParallel read_parallel(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordParallel p{};
    RecordReader in(node);
    in.read("tp", p.tp, largest_degree);
    in.read("pp", p.pp, largest_degree);
    in.read("vp", p.vp, largest_degree);
    in.read("dp", p.dp, largest_data_degree);
    in.read("cp", p.cp, largest_degree);
    in.read("ep", p.ep, largest_degree);
    in.read("etp", p.etp, largest_degree);
    in.read("zero", p.zero, 3);
    in.read("hybrid_shard", p.hybrid_shard, largest_data_degree);
    in.read("sequence_parallel", p.sequence_parallel);
    in.read("tp_overlap", p.tp_overlap);
    in.remark_unread("run.parallel.", remarks);
    return p;
}

/// What the source states of choices that are else the stack's.
void read_choices(RecordReader& in, RecordRun& r) {
    in.read("loss", r.loss);
    in.read("loss_chunks", r.loss_chunks);
    in.read("compiled_parts", r.compiled_parts);
    in.read("reshard", r.reshard);
    in.read("kept_blocks", r.kept_blocks);
    in.read("optimizer_kernel", r.optimizer_kernel);
    in.read("optimizer_in_backward", r.optimizer_in_backward);
    in.read("fp8_scaling", r.fp8_scaling);
    in.read("reduce_dtype", r.reduce_dtype);
    in.read("packed_length", r.packed_length);
    in.read("padded_length", r.padded_length);
    in.read("mlp_tiles", r.mlp_tiles);
    in.read("offload_activations", r.offload_activations);
    in.read("expandable_segments", r.expandable_segments);
    in.read("dropout", r.dropout);
    in.read("expert_imbalance", r.expert_imbalance);
    in.read("expert_one_hot", r.expert_one_hot);
}

RecordRun read_run(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordRun r{};
    RecordReader in(node);
    in.required("stack", r.stack);
    in.name("stack_version", r.stack_version);
    in.name("precision", r.precision);
    in.read("grad_dtype", r.grad_dtype);
    in.read("precision_note", r.precision_note);
    in.name("optimizer", r.optimizer);
    in.read("sequence", r.sequence);
    in.read("micro_batch", r.micro_batch, largest_pass);
    in.read("global_batch", r.global_batch);
    in.read("accumulation", r.accumulation, largest_pass);
    if (const auto parallel = in.find("parallel"))
        r.parallel = read_parallel(*parallel, remarks);
    in.name("recompute", r.recompute);
    in.read("recompute_note", r.recompute_note);
    in.read("attention_kernel", r.attention_kernel);
    in.read("offload", r.offload);
    in.read("compile", r.compile);
    in.read("schedule", r.schedule);
    read_choices(in, r);
    in.remark_unread("run.", remarks);
    return r;
}

RecordMeasured read_measured(const JsonNode& node, std::vector<std::string>& remarks) {
    RecordMeasured m{};
    RecordReader in(node);
    in.read("step_time_s", m.step_time_s);
    in.read("tokens_per_s_per_accelerator", m.tokens_per_s_per_accelerator);
    in.read("tflops_per_accelerator", m.tflops_per_accelerator);
    in.read("mfu", m.mfu);
    in.read("hfu", m.hfu);
    in.read("flops_definition", m.flops_definition);
    in.read("memory_bytes", m.memory_bytes);
    in.read("memory_kind", m.memory_kind);
    in.read("memory_note", m.memory_note);
    if (m.memory_kind.empty() || m.memory_kind == "unstated") {
        // A figure of no stated kind is what its note calls it.
        for (const char* kind : {"allocated", "reserved"})
            if (m.memory_note.find(std::string("memory ") + kind) != std::string::npos)
                m.memory_kind = kind;
    }
    in.read("memory_reserved_bytes", m.memory_reserved_bytes);
    in.read("memory_device_bytes", m.memory_device_bytes);
    in.read("per_rank_allocated_bytes", m.per_rank_allocated_bytes);
    in.read("per_rank_reserved_bytes", m.per_rank_reserved_bytes);
    in.read("forward_s", m.forward_s);
    in.read("backward_s", m.backward_s);
    in.read("optimizer_s", m.optimizer_s);
    in.read("out_of_memory", m.out_of_memory);
    for (const std::string_view key : {"steady_bytes", "per_rank_steady_bytes", "step_time_min_s"})
        in.skip(key);
    for (const std::optional<double>* value :
         {&m.step_time_s, &m.tokens_per_s_per_accelerator, &m.tflops_per_accelerator, &m.mfu, &m.hfu,
          &m.memory_bytes, &m.memory_reserved_bytes, &m.memory_device_bytes}) {
        if (*value && !(**value > 0.0))
            node.fail("measurements must be positive, got " + to_significant(**value));
    }
    for (const std::optional<double>* part : {&m.forward_s, &m.backward_s, &m.optimizer_s}) {
        if (*part && !(**part >= 0.0))
            node.fail("times must not be negative, got " + to_significant(**part));
    }
    in.remark_unread("measured.", remarks);
    return m;
}

std::string text_of(const JsonValue& value) {
    if (const auto* text = std::get_if<std::string>(&value.data))
        return *text;
    JsonWriter out(0);
    out.value(value);
    return out.text();
}

RunRecord read_record(const JsonNode& node, std::vector<std::string>& remarks) {
    RunRecord r{};
    RecordReader in(node);
    const JsonNode name = in.at("schema");
    if (name.string() != record_schema)
        name.fail("'" + name.string() + "'; must be '" + std::string(record_schema) + "'");
    in.required("id", r.id);
    in.read("task", r.task);
    in.read("quality", r.quality);
    if (const auto source = in.find("source")) {
        RecordReader of(*source);
        of.read("title", r.source_title);
        of.read("url", r.source_url);
        of.read("year", r.source_year);
    }
    r.model = read_model(in.at("model"), remarks);
    r.cluster = read_cluster(in.at("cluster"), remarks);
    r.run = read_run(in.at("run"), remarks);
    r.measured = read_measured(in.at("measured"), remarks);
    in.read("assumed", r.assumed);
    in.read("unknown", r.unknown);
    in.read("notes", r.notes);
    if (const auto extra = in.find("extra")) {
        if (const auto* object = extra->value().object()) {
            for (const JsonMember& member : *object)
                r.extra.emplace_back(member.key, text_of(member.value));
        }
    }
    in.remark_unread("", remarks);
    return r;
}

struct Line {
    std::string_view text;
    std::size_t number;
};

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        ++number;
        if (line.find_first_not_of(" \t\r") != std::string_view::npos)
            lines.push_back({line, number});
        if (lines.size() > most_records)
            return lines;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

RecordFile records_from_text(std::string_view text, const std::string& file) {
    const std::vector<Line> lines = lines_of(text);
    if (lines.empty())
        throw Error(ErrorKind::input,
                    std::vector<Problem>{{file, "holds no records; one JSON object per line is expected"}});
    if (lines.size() > most_records) {
        throw Error(ErrorKind::input,
                    std::vector<Problem>{
                        {file, "holds more than " + std::to_string(most_records) + " records, the limit"}});
    }
    struct Read {
        RunRecord record;
        std::vector<std::string> remarks;
    };
    std::vector<Read> read = parallel_map(lines.size(), [&](std::size_t i) {
        const JsonDocument document = parse_json(lines[i].text, file + ":" + std::to_string(lines[i].number));
        Read result;
        result.record = read_record(JsonNode(document), result.remarks);
        return result;
    });
    RecordFile result;
    std::set<std::string> ids, remarked;
    for (std::size_t i = 0; i < read.size(); ++i) {
        if (!ids.insert(read[i].record.id).second) {
            throw Error(ErrorKind::input,
                        std::vector<Problem>{{file + ":" + std::to_string(lines[i].number) + ":/id",
                                              "'" + read[i].record.id + "' names two records"}});
        }
        for (const std::string& remark : read[i].remarks) {
            if (remarked.size() < most_remarks && remarked.insert(remark).second)
                result.remarks.push_back(file + ":" + std::to_string(lines[i].number) + ": " + remark);
        }
        result.records.push_back(std::move(read[i].record));
    }
    return result;
}

RecordFile read_records(const std::string& path) {
    return records_from_text(read_text_file(path), path);
}

}  // namespace traincost
