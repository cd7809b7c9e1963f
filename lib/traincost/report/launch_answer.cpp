#include "traincost/report/launch_answer.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

std::string checkpoint_of(const Job& job, const Catalogue& catalogue) {
    const auto id = catalogue.find(Room::models, job.model.name);
    return id ? catalogue.model_record(*id).hf_repo.value_or("") : "";
}

void write_json(JsonWriter& out, std::string_view format, const LaunchExport& launch) {
    out.begin_object();
    out.member("kind", "launch_export");
    out.member("format", format);
    out.key("files").begin_array();
    for (const LaunchText& file : launch.files) {
        out.begin_object();
        out.member("name", file.name);
        out.member("text", file.text);
        out.end_object();
    }
    out.end_array();
    out.key("unsaid").begin_array();
    for (const UnsaidField& unsaid : launch.unsaid) {
        out.begin_object();
        out.member("field", unsaid.field);
        out.member("value", unsaid.value);
        out.member("why", unsaid.why);
        out.end_object();
    }
    out.end_array();
    out.end_object();
}

}  // namespace traincost
