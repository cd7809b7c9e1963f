#include "traincost/io/specs/draft_fields.hpp"

#include "traincost/spec/draft/job_fields.hpp"

namespace traincost::io {

namespace {

/// Reads a field's value where the object has its key.
void read_field(JsonObject& object, const JobField& field, std::string_view key, JobDraft& draft) {
    const auto node = object.find(key);
    if (!node)
        return;
    const FieldValue value = [&]() -> FieldValue {
        switch (field.kind) {
            case FieldKind::toggle:
                return node->boolean();
            case FieldKind::count:
                return node->integer();
            case FieldKind::number:
                return node->number();
            case FieldKind::choice:
                return std::string(field.choices()[node->one_of(field.choices())]);
            case FieldKind::text:
            case FieldKind::composite:
                break;
        }
        return node->string();
    }();
    field.assign(draft, value, node->where());
}

}  // namespace

void read_fields_below(JsonObject& object, std::string_view prefix, JobDraft& draft) {
    for (const JobField& field : job_fields()) {
        if (field.kind == FieldKind::composite || !field.key.starts_with(prefix))
            continue;
        const std::string_view rest = field.key.substr(prefix.size());
        if (rest.find('.') == rest.npos)
            read_field(object, field, rest, draft);
    }
}

}  // namespace traincost::io
