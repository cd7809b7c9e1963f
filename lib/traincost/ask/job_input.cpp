#include "traincost/ask/job_input.hpp"

#include <algorithm>
#include <utility>

#include "traincost/ask/resolve.hpp"
#include "traincost/import/hf/hf_config.hpp"
#include "traincost/import/launch_draft.hpp"
#include "traincost/import/recognise.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/io/specs/model_json.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

namespace {

bool is_job(const JsonDocument& document) {
    const JsonValue& root = document.root;
    const JsonValue* schema = root.find("schema");
    const auto* name = schema != nullptr ? std::get_if<std::string>(&schema->data) : nullptr;
    return (name != nullptr && *name == "job/1") ||
           (root.find("input") != nullptr && root.find("schema_version") != nullptr);
}

bool is_model(const JsonDocument& document) {
    const JsonValue* schema = document.root.find("schema");
    const auto* name = schema != nullptr ? std::get_if<std::string>(&schema->data) : nullptr;
    return (name != nullptr && *name == "model/1") || is_hf_config(document);
}

/// Files by what they are.
struct Sorted {
    JobDraft own{};                    ///< of job files and models
    std::vector<LaunchFile> launch{};  ///< of other frameworks
};

/// JSON; nothing where it is none and frameworks read it all the same: with comments, with commas too many.
std::optional<JsonDocument> strict_json(const LaunchFile& file) {
    try {
        return parse_json(file.text, file.name);
    } catch (const Error&) {
        try {
            read_launch_files({&file, 1});
            return std::nullopt;
        } catch (const Error&) {
            // the first complaint stands
        }
        throw;
    }
}

void sort_in(const LaunchFile& file, const Sources& sources, Sorted& sorted) {
    const std::optional<JsonDocument> json =
        recognise(file.text) == Content::json ? strict_json(file) : std::nullopt;
    if (json) {
        const JsonDocument& document = *json;
        if (is_job(document)) {
            sorted.own =
                overlaid(std::move(sorted.own), job_draft_from_json(JsonNode(document), sources.catalogue()));
            return;
        }
        if (is_model(document)) {
            JobDraft model;
            model.model_spec = {
                is_hf_config(document) ? read_hf_config(document).model : model_from_json(JsonNode(document)),
                file.name};
            sorted.own = overlaid(std::move(sorted.own), model);
            return;
        }
    }
    sorted.launch.push_back(file);
}

/// The text of a file. What is no file may be a name of the catalogue, which has a flag of its own, or what a
/// blank parted from such a name: "--model llama3 8b".
std::string text_of(const std::string& name, const JobDraft& said, const Sources& sources) {
    try {
        return sources.text_of(name);
    } catch (const Error& error) {
        struct Named {
            Room room;
            std::string_view flag;
            const Stated<std::string>& begun;
        };
        const Named flags[] = {{Room::models, "--model", said.model},
                               {Room::accelerators, "--gpu", said.gpu},
                               {Room::clusters, "--cluster", said.cluster},
                               {Room::stacks, "--stack", said.stack}};
        const auto mean = [&](std::string_view flag, const std::string& word) {
            throw Error(error.kind(),
                        std::string(error.what()) + "; did you mean " + std::string(flag) + " " + word + "?");
        };
        for (const Named& named : flags) {
            if (named.begun && sources.catalogue().find(named.room, *named.begun + " " + name))
                mean(named.flag, sources.catalogue().id(named.room, *named.begun + " " + name));
        }
        for (const Named& named : flags) {
            if (sources.catalogue().find(named.room, name))
                mean(named.flag, name);
        }
        throw;
    }
}

/// What of the draft the files said, in the order of the fields.
std::vector<SaidField> said_by_files(const JobDraft& draft, const JobDraft& words) {
    std::vector<SaidField> said;
    for (const JobField& field : job_fields()) {
        const std::string* where = field.where(draft);
        if (where == nullptr || field.where(words) != nullptr)
            continue;
        const std::string name(field.flag.empty() ? field.key : field.flag.substr(2));
        said.push_back({name, *field.print(draft), *where});
    }
    return said;
}

}  // namespace

ReadDraft read_draft(const JobInput& input, const Sources& sources) {
    if (input.files.empty() && input.inlined.empty())
        return {input.said, {}};
    if (std::count(input.files.begin(), input.files.end(), "-") > 1)
        throw Error(ErrorKind::usage, "standard input can be read only once");
    Sorted sorted;
    for (const std::string& name : input.files)
        sort_in({name == "-" ? "standard input" : name, text_of(name, input.said, sources)}, sources, sorted);
    for (const LaunchFile& file : input.inlined)
        sort_in(file, sources, sorted);
    ReadDraft read;
    std::string model_hint;
    if (!sorted.launch.empty()) {
        LaunchDraft launch =
            launch_draft(read_launch_files(sorted.launch, input.select), sources.catalogue());
        read.draft = std::move(launch.draft);
        read.notes.contradictions = std::move(launch.contradictions);
        read.notes.unread = std::move(launch.unread);
        model_hint = std::move(launch.model_hint);
    }
    read.draft = overlaid(overlaid(std::move(read.draft), sorted.own), input.said);
    if (!read.draft.model && !read.draft.model_spec && !model_hint.empty())
        throw Error(ErrorKind::usage, "--model: missing; " + model_hint);
    read.notes.said = said_by_files(read.draft, input.said);
    return read;
}

ReadDraft read_draft(const SaidJob& job, const Sources& sources) {
    if (job.files.empty()) {
        return {draft_of(job, sources), {}};
    }
    JobInput input{.files = job.files, .select = job.select, .said = job.said};
    if (job.file) {
        input.files.push_back(*job.file);
    }
    return read_draft(input, sources);
}

JobDraft draft_of(const SaidJob& job, const Sources& sources) {
    if (!job.file) {
        return job.said;
    }
    if (*job.file == "-" && job.said.model.value == "-") {
        throw Error(ErrorKind::usage, "--job: only one of --job and --model can be the standard input");
    }
    return overlaid(draft_from_file(*job.file, sources), job.said);
}

}  // namespace traincost
