#include "traincost/io/specs/job_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/io/specs/accelerator_json.hpp"
#include "traincost/io/specs/draft_fields.hpp"
#include "traincost/io/specs/model_json.hpp"
#include "traincost/io/specs/operation_json.hpp"
#include "traincost/io/specs/run_json.hpp"
#include "traincost/io/specs/stack_json.hpp"
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

void require_count(const Stated<std::int64_t>& count, std::int64_t most) {
    if (count && (*count < 1 || *count > most)) {
        throw Error(ErrorKind::input,
                    count.where + ": " + std::to_string(*count) +
                        (*count < 1 ? "; must be at least 1" : "; must be at most " + std::to_string(most)));
    }
}

void read_cluster(const JsonNode& node, const Catalogue& catalogue, JobDraft& draft) {
    JsonObject object(node);
    if (const auto id = object.find("id")) {
        draft.cluster = {
            looked_up(*id, [&](const std::string& name) { return catalogue.id(Room::clusters, name); }),
            id->where()};
    }
    if (const auto accelerator = object.find("accelerator")) {
        if (accelerator->is_object()) {
            draft.accelerator_spec = {accelerator_from_json(*accelerator), accelerator->where()};
            draft.gpu = {draft.accelerator_spec->id, accelerator->where()};
        } else {
            draft.gpu = {
                looked_up(*accelerator,
                          [&](const std::string& name) { return catalogue.id(Room::accelerators, name); }),
                accelerator->where()};
        }
    }
    io::read_fields_below(object, "cluster.", draft);
    object.finish();
    require_count(draft.gpus, most_accelerators);
    require_count(draft.per_node, most_per_node);
}

}  // namespace

JobDraft job_draft_from_json(const JsonNode& node, const Catalogue& catalogue) {
    if (const JsonValue* input = node.value().find("input");
        input != nullptr && node.value().find("schema_version")) {
        return job_draft_from_json(JsonNode(node.document(), *input), catalogue);
    }
    JsonObject object(node);
    if (const auto name = object.find("schema"); name && name->string() != schema) {
        name->fail("the schema is '" + name->string() + "'; must be '" + std::string(schema) + "'");
    }
    JobDraft draft{};
    if (const auto model = object.find("model")) {
        if (model->is_object()) {
            draft.model_spec = {model_from_json(*model), model->where()};
        } else {
            draft.model = {
                looked_up(*model, [&](const std::string& name) { return catalogue.id(Room::models, name); }),
                model->where()};
        }
    }
    if (const auto cluster = object.find("cluster"))
        read_cluster(*cluster, catalogue, draft);
    if (const auto stack = object.find("stack")) {
        if (stack->is_object()) {
            draft.stack_spec = {catalogue.stack_from({.file = stack->where(), .root = stack->value()}),
                                stack->where()};
        } else {
            draft.stack = {
                looked_up(*stack, [&](const std::string& name) { return catalogue.id(Room::stacks, name); }),
                stack->where()};
        }
    }
    if (const auto run = object.find("run"))
        read_run(*run, draft);
    if (const auto operation = object.find("operation"))
        read_operation(*operation, draft);
    object.finish();
    return draft;
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
