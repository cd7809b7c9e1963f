#include "traincost/io/run_json.hpp"

#include "traincost/io/run_fields.hpp"

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

void read_precision(const JsonNode& node, RunSpec& run) {
    if (node.is_string()) {
        run.precision = recipe(node);
        run.precision_name = node.string();
        return;
    }
    JsonObject object(node);
    const JsonNode name = object.at("name");
    run.precision = recipe(name);
    run.precision_name = name.string();
    io::FieldReader io(object);
    describe(io, run.precision);
    read_without(node, "master", run.precision.master);
    read_without(node, "base", run.precision.base);
    object.finish();
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

}  // namespace

RunSpec run_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    RunSpec run{};
    describe(io, run);
    read_precision(object.at("precision"), run);
    object.finish();
    io::require_valid(node, run);
    return run;
}

void write_json(JsonWriter& out, const RunSpec& run) {
    out.begin_object();
    io::FieldWriter io(out);
    describe(io, run);
    write_precision(out, run);
    out.end_object();
}

}  // namespace traincost
