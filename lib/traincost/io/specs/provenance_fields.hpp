// The provenance keys that every catalogue record ends with. Internal to io/.
#pragma once

#include "traincost/io/specs/fields.hpp"
#include "traincost/spec/provenance.hpp"

namespace traincost::io {

/// Reads or writes the keys of `x` into the record itself.
template <class Io, Is<Provenance> T>
void describe_provenance(Io& io, T& x) {
    io.optional("confidence", x.confidence);
    io.optional("unverified", x.unverified);
    io.optional("notes", x.notes);
    io.optional("sources", x.sources);
}

/// Reads the keys every record starts with: `schema` must be `name`; `id` and `aliases` belong to the
/// catalogue.
inline void read_schema(FieldReader& io, std::string_view name) {
    std::optional<std::string> schema;
    io.optional("schema", schema);
    if (schema && *schema != name) {
        io.node().fail("the schema is '" + *schema + "'; must be '" + std::string(name) + "'");
    }
}

}  // namespace traincost::io
