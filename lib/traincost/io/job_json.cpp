#include "traincost/io/job_json.hpp"

#include "traincost/io/accelerator_json.hpp"
#include "traincost/io/model_json.hpp"
#include "traincost/io/operation_json.hpp"
#include "traincost/io/run_json.hpp"
#include "traincost/io/stack_json.hpp"

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
    if (const auto count = object.find("accelerators")) {
        file.accelerators = count->integer(1);
    }
    if (const auto count = object.find("per_node")) {
        file.per_node = count->integer(1);
    }
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
