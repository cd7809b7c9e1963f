// Every number of every kept input, replaced by what no file should hold.

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <traincost/base/error.hpp>
#include <traincost/io/json.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/job_json.hpp>

#include "fuzz/targets.hpp"
#include "support/random_job.hpp"

using namespace traincost;

namespace {

/// The numbers of a document, for writing.
void collect_numbers(JsonValue& value, const std::string& place,
                     std::vector<std::pair<std::string, JsonValue*>>& out) {
    if (auto* items = std::get_if<JsonValue::Array>(&value.data)) {
        for (std::size_t i = 0; i < items->size() && i < 3; ++i)
            collect_numbers((*items)[i], place + "/" + std::to_string(i), out);
    } else if (auto* members = std::get_if<JsonValue::Object>(&value.data)) {
        for (JsonMember& member : *members)
            collect_numbers(member.value, place + "/" + member.key, out);
    } else if (std::holds_alternative<std::int64_t>(value.data) ||
               std::holds_alternative<double>(value.data)) {
        out.emplace_back(place, &value);
    }
}

std::string text_of(const JsonValue& value) {
    JsonWriter out(0);
    out.value(value);
    return out.text();
}

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

const JsonValue extremes[] = {{std::int64_t{-1}},
                              {std::int64_t{0}},
                              {std::numeric_limits<std::int64_t>::max()},
                              {std::numeric_limits<std::int64_t>::min()},
                              {1e308},
                              {-1e308},
                              {1e-308},
                              {0.5}};

bool refused(const std::string& text) {
    try {
        const JsonDocument document = parse_json(text, "job.json");
        job_draft_from_json(JsonNode(document), random_job::catalogue());
        return false;
    } catch (const Error& error) {
        return error.kind() != ErrorKind::internal;
    }
}

}  // namespace

TEST_CASE("whatever number a file holds in a field, it is refused or costed without a defect", "[fuzz]") {
    for (const fuzz::Target& target : fuzz::targets()) {
        for (const auto& entry : std::filesystem::directory_iterator(
                 std::string(SOURCE_FOLDER "/tests/fuzz/corpus/") + std::string(target.name))) {
            if (entry.path().extension() != ".json")
                continue;
            JsonDocument document;
            try {
                document = parse_json(bytes_of(entry.path()), "input");
            } catch (const Error&) {
                continue;  // no JSON: kept for what the parser says
            }
            std::vector<std::pair<std::string, JsonValue*>> numbers;
            collect_numbers(document.root, "", numbers);
            for (auto& [place, number] : numbers) {
                const JsonValue before = *number;
                for (const JsonValue& extreme : extremes) {
                    *number = extreme;
                    INFO(entry.path().string() << ":" << place << " = " << text_of(extreme));
                    CHECK_NOTHROW(fuzz::run(target, text_of(document.root)));
                }
                *number = before;
            }
        }
    }
}

TEST_CASE("no number of a job may be negative or beyond every machine", "[fuzz]") {
    random_job::Jobs jobs(5);
    std::vector<std::string> seen;
    for (int i = 0; i < 200; ++i) {
        JsonWriter out;
        write_json(out, jobs.next());
        JsonDocument document = parse_json(out.text(), "job.json");
        std::vector<std::pair<std::string, JsonValue*>> numbers;
        collect_numbers(document.root, "", numbers);
        for (auto& [place, number] : numbers) {
            if (std::find(seen.begin(), seen.end(), place) != seen.end())
                continue;
            seen.push_back(place);
            const JsonValue before = *number;
            for (const JsonValue& extreme : {JsonValue{std::int64_t{-1}}, JsonValue{std::int64_t{-7}},
                                             JsonValue{std::numeric_limits<std::int64_t>::max()}}) {
                *number = extreme;
                INFO(place << " = " << text_of(extreme));
                CHECK(refused(text_of(document.root)));
            }
            *number = before;
        }
    }
    CHECK(seen.size() > 100);
}
