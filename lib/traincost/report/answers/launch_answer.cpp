#include "traincost/report/answers/launch_answer.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

std::string checkpoint_of(const Job& job, const Catalogue& catalogue) {
    const auto id = catalogue.find(Room::models, job.model.name);
    return id ? catalogue.model_record(*id).hf_repo.value_or("") : "";
}

LaunchExport launch_of(const std::string& format, const Job& job, const Catalogue& catalogue) {
    return export_launch(format, job, checkpoint_of(job, catalogue));
}

std::vector<std::string> take_stack_of(const std::string& format, const Catalogue& catalogue,
                                       JobDraft& draft) {
    if (format.empty() || draft.stack || draft.stack_spec) {
        return {};
    }
    const auto id = catalogue.find(Room::stacks, format);
    if (!id) {
        return {};
    }
    draft.stack = {*id, "--to"};
    return {"stack: " + *id + ", from --to (--stack)"};
}

std::vector<std::string> take_stack_of(const std::string& format, const Catalogue& catalogue,
                                       SearchQuestion& search) {
    if (format.empty() || !search.stacks.empty()) {
        return {};
    }
    std::vector<std::string> taken = take_stack_of(format, catalogue, search.job);
    search.said.stack = search.job.stack;
    return taken;
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
