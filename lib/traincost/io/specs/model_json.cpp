#include "traincost/io/specs/model_json.hpp"
#include "traincost/io/json_writer.hpp"

#include "traincost/io/specs/model_fields.hpp"
#include "traincost/io/specs/provenance_fields.hpp"

namespace traincost {

template <class Io, io::Is<PublishedCount> T>
void describe(Io& io, T& x) {
    io.required("value", x.value);
    io.required("counts", x.counts);
    io.required("what", x.what);
    io.optional("tolerance", x.tolerance);
    io.optional("known_wrong", x.known_wrong);
    io.optional("includes", x.includes);
    io.optional("sources", x.sources);
}

namespace {

void read_computed(io::FieldReader& io, KnownParameters::Computed& x) {
    io.required("total", x.total);
    io.required("active", x.active);
    io.required("active_without_input_embedding", x.active_without_input_embedding);
    io.required("embedding", x.embedding);
    io.required("non_embedding", x.non_embedding);
    io.optional("mtp", x.mtp);
    io.optional("expert_layers", x.expert_layers);
    io.ignore("breakdown");
    if (const JsonValue* breakdown = io.node().value().find("breakdown")) {
        x.breakdown = *breakdown;
    }
}

void read_parameters(io::FieldReader& io, KnownParameters& x) {
    io.optional("total_exact", x.total_exact);
    io.optional("total_exact_from", x.total_exact_from);
    io.optional("active_published", x.active_published);
    io.optional("published", x.published);
    io.optional_object("computed", false, [&](io::FieldReader& inner) {
        KnownParameters::Computed computed{};
        read_computed(inner, computed);
        x.computed = std::move(computed);
    });
}

}  // namespace

ModelRecord model_record_from_json(const JsonNode& node) {
    JsonObject object(node);
    io::FieldReader io(object);
    ModelRecord record{};
    io::read_schema(io, "model/1");
    describe(io, record.spec);
    io.optional("aliases", record.aliases);
    io.ignore("recipe");  // read by launch_rules_json
    io.optional("hf_repo", record.hf_repo);
    io.optional("tokenizer_vocab", record.tokenizer_vocab);
    io.optional_object("parameters", false,
                       [&](io::FieldReader& inner) { read_parameters(inner, record.parameters); });
    io.optional("checked_against", record.checked_against);
    io::describe_provenance(io, record.provenance);
    object.finish();
    io::require_valid(node, record.spec);
    return record;
}

ModelSpec model_from_json(const JsonNode& node) {
    return model_record_from_json(node).spec;
}

void write_json(JsonWriter& out, const ModelSpec& model) {
    io::write_fields(out, model);
}

}  // namespace traincost
