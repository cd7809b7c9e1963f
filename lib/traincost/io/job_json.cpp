#include "traincost/io/job_json.hpp"

#include "traincost/io/accelerator_json.hpp"
#include "traincost/io/model_json.hpp"
#include "traincost/io/operation_json.hpp"
#include "traincost/io/run_json.hpp"
#include "traincost/io/stack_json.hpp"
#include "traincost/spec/limits.hpp"

namespace traincost {

namespace {

constexpr std::string_view schema = "job/1";

/// A look-up whose error names the place in the file.
template <class Look>
auto looked_up(const JsonNode& node, Look look) {
    try {
        return look(node.string());
    } catch (const Error& error) {
        node.fail(error.what());
    }
}

std::optional<std::int64_t> count_from(JsonObject& object, const char* key, std::int64_t most) {
    const auto node = object.find(key);
    if (!node) {
        return std::nullopt;
    }
    const std::int64_t count = node->integer(1);
    if (count > most) {
        node->fail("is " + std::to_string(count) + ", must be at most " + std::to_string(most));
    }
    return count;
}

void read_cluster(const JsonNode& node, const Catalogue& catalogue, JobFile& file) {
    JsonObject object(node);
    if (const auto id = object.find("id")) {
        file.cluster =
            looked_up(*id, [&](const std::string& name) { return catalogue.id(Room::clusters, name); });
    }
    if (const auto accelerator = object.find("accelerator")) {
        if (accelerator->is_object()) {
            file.accelerator_spec = accelerator_from_json(*accelerator);
            file.accelerator = file.accelerator_spec->id;
        } else {
            file.accelerator = looked_up(*accelerator, [&](const std::string& name) {
                return catalogue.id(Room::accelerators, name);
            });
        }
    }
    file.accelerators = count_from(object, "accelerators", most_accelerators);
    file.per_node = count_from(object, "per_node", most_per_node);
    object.finish();
}

}  // namespace

JobFile job_file_from_json(const JsonNode& node, const Catalogue& catalogue) {
    if (const JsonValue* input = node.value().find("input");
        input != nullptr && node.value().find("schema_version")) {
        return job_file_from_json(JsonNode(node.document(), *input), catalogue);
    }
    JsonObject object(node);
    if (const auto name = object.find("schema"); name && name->string() != schema) {
        name->fail("the schema is '" + name->string() + "', must be '" + std::string(schema) + "'");
    }
    JobFile file{};
    if (const auto model = object.find("model")) {
        file.model = model->is_object()
                         ? model_from_json(*model)
                         : looked_up(*model, [&](const std::string& name) { return catalogue.model(name); });
    }
    if (const auto cluster = object.find("cluster")) {
        read_cluster(*cluster, catalogue, file);
    }
    if (const auto stack = object.find("stack")) {
        file.stack = stack->is_object()
                         ? catalogue.stack_from({.file = stack->where(), .root = stack->value()})
                         : looked_up(*stack, [&](const std::string& name) { return catalogue.stack(name); });
    }
    if (const auto run = object.find("run")) {
        file.run = run_from_json(*run);
        const JsonValue* parallel = run->value().find("parallel");
        file.names_dp = parallel != nullptr && parallel->find("dp") != nullptr;
    }
    if (const auto operation = object.find("operation")) {
        file.operation = operation_from_json(*operation);
    }
    object.finish();
    return file;
}

void write_json(JsonWriter& out, const Job& job, const Operation& operation) {
    out.begin_object();
    out.member("schema", schema);
    out.key("model");
    write_json(out, job.model);
    out.key("cluster").begin_object();
    if (!job.cluster.id.empty()) {
        out.member("id", job.cluster.id);
    }
    out.key("accelerator");
    write_json(out, job.cluster.accelerator);
    out.member("accelerators", job.cluster.accelerators);
    out.member("per_node", job.cluster.per_node);
    out.end_object();
    out.key("stack");
    write_json(out, job.stack);
    out.key("run");
    write_json(out, job.run);
    if (!(operation == Operation{})) {
        out.key("operation");
        write_json(out, operation);
    }
    out.end_object();
}

}  // namespace traincost
