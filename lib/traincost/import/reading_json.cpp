#include "traincost/import/reading_json.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

namespace {

void write_value(JsonWriter& out, const FactValue& value) {
    if (const auto* dimensions = std::get_if<ModelDimensions>(&value)) {
        out.begin_object();
        for (const auto& [name, count] : *dimensions) {
            out.member(name, count);
        }
        out.end_object();
        return;
    }
    std::visit(
        [&](const auto& x) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(x)>, ModelDimensions>) {
                out.value(x);
            }
        },
        value);
}

}  // namespace

void write_json(JsonWriter& out, const LaunchReading& reading) {
    out.begin_object().member("schema_version", 1).member("kind", "launch").member("format", reading.format);
    out.key("facts").begin_object();
    for (const auto& [fact, stated] : reading.facts) {
        out.key(fact_name(fact)).begin_object().key("value");
        write_value(out, stated.value);
        out.member("where", stated.where).member("how", std::string(how_name(stated.how))).end_object();
    }
    out.end_object();
    out.key("unread").begin_array();
    for (const UnreadSetting& unread : reading.unread) {
        out.begin_object()
            .member("where", unread.where)
            .member("key", unread.key)
            .member("matters", unread.matters);
        if (!unread.why.empty()) {
            out.member("why", unread.why);
        }
        out.end_object();
    }
    out.end_array();
    out.array("contradictions", reading.contradictions);
    out.end_object();
}

}  // namespace traincost
