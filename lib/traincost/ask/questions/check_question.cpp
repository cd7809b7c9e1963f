#include "traincost/ask/questions/check_question.hpp"

#include <array>
#include <filesystem>
#include <string_view>

#include "traincost/import/hf/hf_config.hpp"
#include "traincost/io/bench/diagnoses_json.hpp"
#include "traincost/io/bench/failure_data.hpp"
#include "traincost/io/bench/grid_data.hpp"
#include "traincost/io/bench/kernel_data.hpp"
#include "traincost/io/bench/network_data.hpp"
#include "traincost/io/bench/record_groups_data.hpp"
#include "traincost/io/bench/record_rules_data.hpp"
#include "traincost/io/catalogue.hpp"
#include "traincost/io/record_catalogue.hpp"
#include "traincost/io/records.hpp"
#include "traincost/io/specs/accelerator_json.hpp"
#include "traincost/io/specs/cluster_json.hpp"
#include "traincost/io/specs/job_json.hpp"
#include "traincost/io/specs/model_json.hpp"
#include "traincost/io/specs/run_json.hpp"
#include "traincost/io/specs/stack_json.hpp"

namespace traincost {

namespace {

/// Reads a file of run records, and says of how many the job is known.
std::string check_run_records(const std::string& file, const Catalogue& catalogue) {
    const RecordFile read = read_records(file);
    const RecordCatalogue look_up = record_catalogue(catalogue);
    std::size_t jobs = 0;
    for (const RunRecord& record : read.records) {
        jobs += job_of(record, look_up).job ? 1 : 0;
    }
    std::string what =
        std::to_string(read.records.size()) + " run records, " + std::to_string(jobs) + " of them whole jobs";
    for (const std::string& remark : read.remarks) {
        what += "; " + remark;
    }
    return what;
}

/// A schema, and how a record of it is read; what it is.
struct RecordSchema {
    std::string_view name;
    std::string (*check)(const JsonDocument& document, const Catalogue& catalogue);
};

std::string check_cluster(const JsonDocument& document, const Catalogue& catalogue) {
    const ClusterRecord record = cluster_record_from_json(JsonNode(document));
    if (record.accelerator) {
        catalogue.id(Room::accelerators, *record.accelerator);
    }
    return "cluster " + record.id;
}

constexpr std::array<RecordSchema, 15> record_schemas = {{
    {"model/1", [](const JsonDocument& d,
                   const Catalogue&) { return "model " + model_record_from_json(JsonNode(d)).spec.name; }},
    {"accelerator/1",
     [](const JsonDocument& d, const Catalogue&) {
         return "accelerator " + accelerator_from_json(JsonNode(d)).id;
     }},
    {"cluster/1", check_cluster},
    {"prices/1",
     [](const JsonDocument& d, const Catalogue&) {
         return std::to_string(prices_from_json(JsonNode(d)).size()) + " prices";
     }},
    {"stack/2",
     [](const JsonDocument& d, const Catalogue& catalogue) { return "stack " + catalogue.stack_from(d).id; }},
    {"job/1",
     [](const JsonDocument& d, const Catalogue& catalogue) {
         job_draft_from_json(JsonNode(d), catalogue);
         return std::string("job");
     }},
    {"network/1", [](const JsonDocument& d,
                     const Catalogue&) { return "link curves " + link_record_from_json(JsonNode(d)).id; }},
    {"gemm/1", [](const JsonDocument& d,
                  const Catalogue&) { return "kernel data " + gemm_data_from_json(JsonNode(d)).origin.id; }},
    {"attention/1",
     [](const JsonDocument& d, const Catalogue&) {
         return "kernel data " + attention_data_from_json(JsonNode(d)).origin.id;
     }},
    {"failure-rates/1",
     [](const JsonDocument& d, const Catalogue&) {
         return std::to_string(failure_data_from_json(JsonNode(d)).rates.size()) + " failure rates";
     }},
    {"diagnoses/1",
     [](const JsonDocument& d, const Catalogue&) {
         return std::to_string(diagnoses_from_json(JsonNode(d)).size()) + " diagnoses";
     }},
    {"record-rules/1",
     [](const JsonDocument& d, const Catalogue&) {
         return std::to_string(record_rules_from_json(JsonNode(d)).size()) + " rules for records";
     }},
    {"record-groups/1",
     [](const JsonDocument& d, const Catalogue&) {
         return std::to_string(record_groups_from_json(JsonNode(d)).tables.size()) + " groups of records";
     }},
    {"grid-intensity/1",
     [](const JsonDocument& d, const Catalogue&) {
         return std::to_string(grid_intensities_from_json(JsonNode(d)).size()) + " grid intensities";
     }},
    {"memory/1",
     [](const JsonDocument& d, const Catalogue&) {
         return "kernel data " + bandwidth_data_from_json(JsonNode(d)).origin.id;
     }},
}};

/// Reads a record by its schema; what it is.
std::string check_record(const JsonDocument& document, const Catalogue& catalogue) {
    if (is_hf_config(document)) {
        return "Hugging Face configuration, " + read_hf_config(document).model.family;
    }
    std::vector<std::string_view> names;
    for (const RecordSchema& schema : record_schemas) {
        names.push_back(schema.name);
    }
    JsonObject object((JsonNode(document)));
    return record_schemas[object.at("schema").one_of(names)].check(document, catalogue);
}

CheckedFile check_file(const std::string& file, const Catalogue& catalogue) {
    CheckedFile verdict{.file = file, .what = {}, .problems = {}};
    try {
        const bool lines = std::filesystem::path(file).extension() == ".jsonl";
        verdict.what =
            lines ? check_run_records(file, catalogue) : check_record(read_json_file(file), catalogue);
    } catch (const Error& error) {
        verdict.problems = error.problems();
    }
    return verdict;
}

/// A release inside a stack's record of the folder.
CheckedFile check_release(const std::string& folder, const std::string& id, const Catalogue& catalogue) {
    const std::size_t at = id.find('@');
    CheckedFile verdict{
        .file = folder + "/stacks/" + id.substr(0, at) + ".json, release " + id.substr(at + 1),
        .what = {},
        .problems = {}};
    try {
        verdict.what = "stack " + catalogue.stack(id).id;
    } catch (const Error& error) {
        verdict.problems = error.problems();
    }
    return verdict;
}

/// Every record of a folder of overrides: the catalogue over it finds each, and each must be read.
std::vector<CheckedFile> check_folder(const std::string& folder) {
    const Catalogue catalogue(folder);
    std::vector<CheckedFile> verdicts;
    for (std::size_t i = 0; i < room_names().size(); ++i) {
        for (const CatalogueEntry& entry : catalogue.entries(static_cast<Room>(i))) {
            if (!entry.overridden)
                continue;
            const std::string file = folder + "/" + std::string(room_names()[i]) + "/" + entry.id + ".json";
            const bool release = static_cast<Room>(i) == Room::stacks && !std::filesystem::exists(file);
            verdicts.push_back(release ? check_release(folder, entry.id, catalogue)
                                       : check_file(file, catalogue));
        }
    }
    const std::filesystem::path bench = std::filesystem::path(folder) / "bench";
    for (const EmbeddedFile& file : catalogue.bench()) {
        const std::filesystem::path path = bench / (std::string(file.id) + ".json");
        if (std::filesystem::exists(path) && file.id != "residuals" && file.id != "kernel-families") {
            verdicts.push_back(check_file(path.string(), catalogue));
        }
    }
    if (verdicts.empty()) {
        throw Error(ErrorKind::input, folder +
                                          ": contains no records; they belong in accelerators/, clusters/, "
                                          "models/, stacks/ and prices/");
    }
    return verdicts;
}

}  // namespace

std::vector<CheckedFile> check_files(const std::vector<std::string>& files, const Sources& sources) {
    std::vector<CheckedFile> verdicts;
    for (const std::string& file : files) {
        if (std::filesystem::is_directory(file)) {
            const std::vector<CheckedFile> inside = check_folder(file);
            verdicts.insert(verdicts.end(), inside.begin(), inside.end());
        } else {
            verdicts.push_back(check_file(file, sources.catalogue()));
        }
    }
    return verdicts;
}

}  // namespace traincost
