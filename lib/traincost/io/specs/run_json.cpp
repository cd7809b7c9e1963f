#include "traincost/io/specs/run_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/io/specs/draft_fields.hpp"
#include "traincost/io/specs/run_fields.hpp"

namespace traincost {

namespace {

Precision recipe(const JsonNode& name) {
    name.one_of(precision_names());
    return *precision_from(name.string());
}

/// A part that is null is one the recipe has and this run has not (no separate master copy).
void read_without(const JsonNode& node, const char* key, std::optional<DataType>& part) {
    const JsonValue* value = node.value().find(key);
    if (value != nullptr && value->is_null()) {
        part.reset();
    }
}

void write_precision(JsonWriter& out, const RunSpec& run) {
    out.key("precision").begin_object();
    out.member("name", run.precision_name);
    io::FieldWriter io(out);
    describe(io, run.precision);
    const auto known = precision_from(run.precision_name);
    if (known && known->master && !run.precision.master) {
        out.key("master").null();
    }
    if (known && known->base && !run.precision.base) {
        out.key("base").null();
    }
    out.end_object();
}

void read_recompute(JsonObject& object, JobDraft& draft) {
    RecomputeChoice choice{};
    io::FieldReader io(object);
    std::string where;
    const auto part = [&](const char* key, auto& field) {
        if (const auto node = object.find(key); node && where.empty())
            where = node->where();
        io.optional(key, field);
    };
    part("recompute", choice.kind);
    part("recompute_modules", choice.modules);
    part("recompute_every", choice.every);
    part("recompute_layers", choice.layers);
    if (!where.empty())
        draft.recompute = {choice, where};
}

void read_adapter(JsonObject& object, JobDraft& draft) {
    const auto node = object.find("adapter");
    if (!node)
        return;
    AdapterSpec adapter{};
    io::FieldReader::read(*node, adapter);
    const auto has = [&](std::string_view key) {
        const JsonValue* value = node->value().find(key);
        return value != nullptr && !value->is_null();
    };
    if (has("rank"))
        draft.lora_rank = {adapter.rank, node->where() + "/rank"};
    if (has("dropout"))
        draft.adapter_dropout = {adapter.dropout, node->where() + "/dropout"};
    if (has("scale_and_bias"))
        draft.adapter_scale_and_bias = {adapter.scale_and_bias, node->where() + "/scale_and_bias"};
    for (const char* key : {"query", "key", "value", "attention_out", "mlp", "lm_head"}) {
        if (has(key)) {
            draft.lora_targets = {AdapterTargets{.query = adapter.query,
                                                 .key = adapter.key,
                                                 .value = adapter.value,
                                                 .attention_out = adapter.attention_out,
                                                 .mlp = adapter.mlp,
                                                 .lm_head = adapter.lm_head},
                                  node->where()};
            return;
        }
    }
}

/// The run's problems, under its place; what the file leaves to others is taken as one.
void require_valid_run(const JsonNode& node, const JobDraft& draft) {
    RunSpec run{};
    run.sequence = run.micro_batch = run.global_batch = 1;
    apply(draft, run);
    io::require_valid(node, run);
}

}  // namespace

NamedPrecision precision_from_json(const JsonNode& node) {
    if (node.is_string())
        return {node.string(), recipe(node)};
    JsonObject object(node);
    const JsonNode name = object.at("name");
    NamedPrecision out{name.string(), recipe(name)};
    io::FieldReader io(object);
    describe(io, out.precision);
    read_without(node, "master", out.precision.master);
    read_without(node, "base", out.precision.base);
    object.finish();
    return out;
}

void read_run(const JsonNode& node, JobDraft& draft) {
    JsonObject object(node);
    io::read_fields_below(object, "run.", draft);
    read_recompute(object, draft);
    if (const auto parallel = object.find("parallel")) {
        JsonObject degrees(*parallel);
        io::read_fields_below(degrees, "run.parallel.", draft);
        degrees.finish();
    }
    if (const auto parts_node = object.find("compiled_parts")) {
        CompiledParts parts{};
        io::FieldReader::read(*parts_node, parts);
        draft.compiled_parts = {parts, parts_node->where()};
    }
    read_adapter(object, draft);
    if (const auto precision = object.find("precision"))
        draft.recipe = {precision_from_json(*precision), precision->where()};
    object.finish();
    require_valid_run(node, draft);
}

void write_json(JsonWriter& out, const RunSpec& run) {
    out.begin_object();
    io::FieldWriter io(out);
    describe(io, run);
    write_precision(out, run);
    out.end_object();
}

}  // namespace traincost
