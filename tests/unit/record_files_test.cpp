// Every embedded record parses, and means what its sources say.
#include <traincost/io/bench/diagnoses_json.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/embedded.hpp>
#include <traincost/io/json.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/accelerator_json.hpp>
#include <traincost/io/specs/cluster_json.hpp>
#include <traincost/io/specs/model_json.hpp>

#include <catch2/catch.hpp>

#include <set>

using namespace traincost;

namespace {

JsonDocument document_of(const EmbeddedFile& file) {
    return parse_json(file.text, std::string(file.room) + "/" + std::string(file.id));
}

template <class Use>
std::size_t for_each_record(std::string_view room, Use use) {
    std::size_t n = 0;
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.room == room) {
            ++n;
            INFO(file.room << "/" << file.id);
            use(document_of(file), std::string(file.id));
        }
    }
    return n;
}

}  // namespace

TEST_CASE("every model record parses, is valid, and writes back to the same shape", "[io]") {
    const auto n = for_each_record("models", [](const JsonDocument& d, const std::string& id) {
        const ModelRecord record = model_record_from_json(JsonNode(d));
        CHECK(record.spec.name == id);
        CHECK(record.parameters.computed.has_value());
        CHECK_FALSE(record.provenance.sources.empty());
        JsonWriter out;
        write_json(out, record.spec);
        CHECK(model_from_json(JsonNode(parse_json(out.text(), "again"))) == record.spec);
    });
    CHECK(n == 240);
}

TEST_CASE("every diagnosis says of which records, what is known, and from where", "[io]") {
    const std::vector<Diagnosis> diagnoses = read_diagnoses(Catalogue());
    CHECK(diagnoses.size() >= 6);
    for (const Diagnosis& d : diagnoses) {
        CHECK_FALSE(d.source.empty());
        CHECK_FALSE(d.records.empty());
        CHECK_FALSE(d.cause.empty());
        CHECK_FALSE(d.from.empty());
    }
}

TEST_CASE("183 models have an exact published parameter count", "[io]") {
    int exact = 0;
    for_each_record("models", [&](const JsonDocument& d, const std::string&) {
        exact += model_record_from_json(JsonNode(d)).parameters.total_exact ? 1 : 0;
    });
    CHECK(exact == 183);
}

TEST_CASE("every accelerator record parses and writes back the same, or says which figure is unpublished",
          "[io]") {
    std::set<std::string> incomplete;
    const auto n = for_each_record("accelerators", [&](const JsonDocument& d, const std::string& id) {
        try {
            const AcceleratorSpec accelerator = accelerator_from_json(JsonNode(d));
            CHECK(accelerator.id == id);
            JsonWriter out;
            write_json(out, accelerator);
            CHECK(accelerator_from_json(JsonNode(parse_json(out.text(), "again"))) == accelerator);
        } catch (const Error& error) {
            INFO(error.what());
            CHECK(error.kind() == ErrorKind::input);
            incomplete.insert(id);
        }
    });
    CHECK(n == 134);
    CHECK(incomplete == std::set<std::string>{"gaudi1", "kunlun-p800", "metax-c550"});
}

TEST_CASE("an H100 SXM has the figures of its data sheet", "[io]") {
    using namespace literals;
    for_each_record("accelerators", [&](const JsonDocument& d, const std::string& id) {
        if (id == "h100-sxm5-80gb") {
            const AcceleratorSpec a = accelerator_from_json(JsonNode(d));
            CHECK(a.memory == 80_GB);
            CHECK(a.memory_usable == 81559_MiB);
            CHECK(a.memory_bandwidth == 3352_GBps);
            CHECK(peak_rate(a, DataType::bf16)->value() == Approx(989.4e12));
            CHECK(a.vector_fp32->value() == Approx(66.9e12));
            CHECK(a.scale_up->per_direction == 450_GBps);
            CHECK(a.pcie->type == "PCIe 5 x16");
        }
    });
}

TEST_CASE("every cluster and every price record parses", "[io]") {
    const auto clusters = for_each_record("clusters", [](const JsonDocument& d, const std::string& id) {
        const ClusterRecord record = cluster_record_from_json(JsonNode(d));
        CHECK(record.id == id);
        CHECK(record.accelerator.has_value() == !id.starts_with("generic-"));
    });
    CHECK(clusters == 97);
    std::size_t prices = 0;
    for_each_record("prices", [&](const JsonDocument& d, const std::string&) {
        prices += prices_from_json(JsonNode(d)).size();
    });
    CHECK(prices == 85);
}
