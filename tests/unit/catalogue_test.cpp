#include <traincost/io/catalogue.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/specs/accelerator_json.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "support/override_folder.hpp"

using namespace traincost;

namespace {

constexpr Room rooms[] = {Room::accelerators, Room::clusters, Room::models, Room::stacks};

std::string message(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("no name stands for two records of a room", "[catalogue]") {
    const Catalogue catalogue;
    for (const Room room : rooms) {
        std::map<std::string, std::string> owner;
        for (const CatalogueEntry& entry : catalogue.entries(room)) {
            std::vector<std::string> names = entry.aliases;
            names.push_back(entry.id);
            for (const std::string& name : names) {
                INFO(name << " of " << entry.id);
                CHECK(owner.emplace(canonical_name(name), entry.id).second);
            }
        }
    }
}

TEST_CASE("the fast scan of aliases finds what the parser finds", "[catalogue]") {
    const Catalogue catalogue;
    for (const Room room : rooms) {
        for (const CatalogueEntry& entry : catalogue.entries(room)) {
            INFO(entry.id);
            const JsonDocument document = catalogue.document(room, entry.id);
            CHECK(JsonNode(document, *document.root.find("aliases")).strings() == entry.aliases);
        }
    }
}

TEST_CASE("records are found by id, alias and repository, whatever the case", "[catalogue]") {
    const Catalogue catalogue;
    CHECK(catalogue.id(Room::accelerators, "h100") == "h100-sxm5-80gb");
    CHECK(catalogue.id(Room::accelerators, "H200") == "h200-sxm-141gb");
    CHECK(catalogue.id(Room::accelerators, "a100-40gb") == "a100-sxm4-40gb");
    CHECK(catalogue.id(Room::accelerators, "A100 80GB PCIe") == "a100-pcie-80gb");
    CHECK(catalogue.id(Room::accelerators, "v100") == "v100-sxm2-32gb");
    CHECK(catalogue.id(Room::accelerators, "tpu-v5e") == "tpu-v5e");
    CHECK(catalogue.id(Room::models, "meta-llama/Llama-3.1-70B") == "llama-3.1-70b");
    CHECK(catalogue.id(Room::models, "GPT3") == "gpt3-175b");
    CHECK(catalogue.id(Room::stacks, "megatron-lm") == "megatron-core");
    CHECK(catalogue.id(Room::clusters, "p5.48xlarge") == "aws-p5.48xlarge");
    CHECK(catalogue.model("gpt2").layers == 12);
}

TEST_CASE("every accelerator is found by the name with which a vendor's driver shows it", "[catalogue]") {
    const Catalogue catalogue;
    for (const auto& [name, id] : std::vector<std::pair<std::string, std::string>>{
             {"NVIDIA GeForce RTX 4090", "rtx-4090"},
             {"NVIDIA RTX A6000", "rtx-a6000"},
             {"NVIDIA H20", "h20-sxm-96gb"},
             {"NVIDIA A40", "a40"},
             {"NVIDIA GH200 480GB", "gh200-96gb"},
             {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-blackwell-server"},
             {"Tesla V100-SXM2-32GB", "v100-sxm2-32gb"},
             {"AMD Instinct MI300X", "mi300x-192gb"}}) {
        INFO(name);
        CHECK(catalogue.find(Room::accelerators, name) == id);
    }
    for (const CatalogueEntry& entry : catalogue.entries(Room::accelerators))
        CHECK(catalogue.find(Room::accelerators, "NVIDIA " + entry.id) == entry.id);
    CHECK_FALSE(catalogue.find(Room::accelerators, "NVIDIA"));
    CHECK_FALSE(catalogue.find(Room::models, "NVIDIA gpt2"));
}

TEST_CASE("an unknown name suggests the nearest", "[catalogue]") {
    const Catalogue catalogue;
    CHECK(message([&] { catalogue.model("lama-3.1-70b"); }) ==
          "unknown model 'lama-3.1-70b'; did you mean 'llama-3.1-70b'?");
    CHECK(message([&] { catalogue.accelerator("h10"); }).find("unknown accelerator 'h10'; did you mean") ==
          0);
    CHECK(message([&] { catalogue.stack("something-quite-else"); }) ==
          "unknown stack 'something-quite-else'; 'traincost list stacks' names them all");
    CHECK_THROWS_AS(catalogue.cluster("nothing-here", 8), Error);
    CHECK(catalogue.find(Room::models, "nothing-here") == std::nullopt);
}

TEST_CASE("every source of every record has a title or is one", "[catalogue]") {
    const Catalogue catalogue;
    std::set<std::string> keys;
    for (const Room room : {Room::accelerators, Room::clusters}) {
        for (const CatalogueEntry& entry : catalogue.entries(room)) {
            const JsonDocument document = catalogue.document(room, entry.id);
            for (const std::string& key : JsonNode(document, *document.root.find("sources")).strings()) {
                keys.insert(key);
            }
        }
    }
    for (const CatalogueEntry& entry : catalogue.entries(Room::clusters)) {
        for (const NodePrice& price : catalogue.prices(entry.id)) {
            keys.insert(price.source);
        }
    }
    CHECK(keys.size() > 30);
    for (const std::string& key : keys) {
        INFO(key);
        CHECK(catalogue.source_title(key) != key);
    }
}

TEST_CASE("a node taken for its number of accelerators is not called the usual one", "[catalogue][slow]") {
    const Catalogue catalogue;
    int other = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::accelerators)) {
        for (const std::int64_t per_node : {1, 2, 4, 8, 16}) {
            INFO(entry.id << " by " << per_node);
            std::string usual, taken, said;
            try {
                usual = catalogue.cluster(entry.id, 16).spec.id;
                const ClusterChoice choice = catalogue.cluster(entry.id, 16, per_node);
                taken = choice.spec.id;
                said = choice.assumptions.front();
            } catch (const Error&) {
                continue;
            }
            const bool called_usual = said.find(taken + ", the usual node for") != std::string::npos;
            CHECK(called_usual == (taken == usual));
            if (taken != usual) {
                ++other;
                CHECK(said.find("instead of the usual " + usual) != std::string::npos);
            }
        }
    }
    CHECK(other >= 2);
}

TEST_CASE("every accelerator with its figures published has a usual node", "[catalogue]") {
    const Catalogue catalogue;
    int built = 0;
    for (const CatalogueEntry& entry : catalogue.entries(Room::accelerators)) {
        INFO(entry.id);
        const std::string complaint = message([&] {
            const ClusterChoice choice = catalogue.cluster(entry.id, 16);
            CHECK(choice.spec.accelerators == 16);
            CHECK(choice.spec.accelerator.id == entry.id);
            CHECK(choice.spec.network.scale_up.bandwidth.value() > 0);
            REQUIRE_FALSE(choice.assumptions.empty());
            CHECK(choice.assumptions.front().find("the usual node for " + entry.id) != std::string::npos);
            ++built;
        });
        CHECK((complaint == "no error" || complaint.find("peak") != std::string::npos ||
               complaint.find("missing") != std::string::npos));
    }
    CHECK(built == 131);
}

TEST_CASE("an H100 without a cluster gets a DGX node", "[catalogue]") {
    using namespace literals;
    const ClusterSpec c = Catalogue().cluster("h100", 64).spec;
    CHECK(c.id == "dgx-h100");
    CHECK(c.per_node == 8);
    CHECK(nodes(c) == 8);
    CHECK(c.network.topology == Topology::switched);
    CHECK(c.network.domain_size == 8);
    CHECK(c.network.scale_up.bandwidth == 450_GBps);
    CHECK(c.network.scale_out->bandwidth == 50_GBps);
    CHECK(c.network.nics == 8);
    CHECK(c.network.sharp);
    CHECK(c.prices.size() == 6);
    CHECK(c.node_power_w == 10200.0);
    CHECK(c.host.link_per_accelerator == 63_GBps);
}

TEST_CASE("a rack-scale domain is larger than its node, a torus is cut to the job", "[catalogue]") {
    const Catalogue catalogue;
    const ClusterSpec rack = catalogue.cluster("gb200", 144).spec;
    CHECK(rack.per_node == 4);
    CHECK(rack.network.domain_size == 72);
    CHECK(rack.network.nics == 72);
    const ClusterSpec pod = catalogue.cluster("tpu-v5e", 64).spec;
    CHECK(pod.network.topology == Topology::torus_2d);
    CHECK(pod.network.domain_size == 64);
}

TEST_CASE("a part without a node of its own keeps its own links in the lent one", "[catalogue]") {
    using namespace literals;
    const ClusterChoice choice = Catalogue().cluster("a800", 8);
    CHECK(choice.spec.id == "dgx-a100-80gb");
    CHECK(choice.spec.network.scale_up.bandwidth == 200_GBps);
    const auto said = [&](std::string_view words) {
        return std::any_of(choice.assumptions.begin(), choice.assumptions.end(),
                           [&](const std::string& line) { return line.find(words) != std::string::npos; });
    };
    CHECK(said("the usual node for a800-sxm4-80gb"));
    CHECK(said("with its own NVLink"));
    CHECK_THROWS_AS(Catalogue().cluster("generic-8", 8), Error);
    CHECK_THROWS_AS(Catalogue().cluster("h100", 0), Error);
}

TEST_CASE("a bridge of two cards does not join a node of eight", "[catalogue]") {
    using namespace literals;
    const Catalogue catalogue;
    for (const char* card :
         {"a30", "a40", "h100-pcie-80gb", "h200-nvl-141gb", "mi210-64gb", "a800-pcie-80gb", "rtx-a6000"}) {
        CAPTURE(card);
        const ClusterSpec node = catalogue.cluster(card, 8).spec;
        CHECK(node.per_node == 8);
        CHECK(node.network.topology == Topology::host_bus);
        CHECK(node.network.scale_up.bandwidth <= node.accelerator.pcie->per_direction);
    }
    CHECK(catalogue.cluster("h100-pcie-80gb", 8).spec.network.scale_up.bandwidth == 63_GBps);
}

TEST_CASE("an override record replaces the built-in one, and only that", "[catalogue]") {
    const OverrideFolder folder;
    JsonWriter out;
    AcceleratorSpec mine = Catalogue().accelerator("h100");
    mine.memory = Bytes(96e9);
    mine.aliases = {"h200"};
    write_json(out, mine);
    folder.write("accelerators/h100-sxm5-80gb.json", out.text());
    const Catalogue catalogue(folder.path());
    CHECK(catalogue.accelerator("h100-sxm5-80gb").memory == Bytes(96e9));
    CHECK(catalogue.id(Room::accelerators, "h200") == "h100-sxm5-80gb");  // the user's names win
    CHECK(catalogue.accelerator("a100").id == "a100-sxm4-80gb");
    CHECK(catalogue.entries(Room::accelerators).size() == 134);
    CHECK(catalogue.cluster("dgx-h100", 8).spec.accelerator.memory == Bytes(96e9));
}

TEST_CASE("measured curves can be overridden too", "[catalogue]") {
    const OverrideFolder folder;
    std::string text;
    const Catalogue built_in;
    for (const EmbeddedFile& file : built_in.bench()) {
        if (file.id == "network-nvlink4") {
            text = std::string(file.text);
        }
    }
    const std::string from = "\"efficiency\": ";
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at + from.size(), text.find_first_of(",}", at + from.size()) - at - from.size(), "0.5");
    folder.write("bench/network-nvlink4.json", text);
    const Catalogue catalogue(folder.path());
    CHECK(catalogue.bench().size() == Catalogue().bench().size());
    CHECK(catalogue.cluster("h100", 8).spec.network.scale_up.curves.all_reduce.groups[0].efficiency == 0.5);
    CHECK(Catalogue().cluster("h100", 8).spec.network.scale_up.curves.all_reduce.groups[0].efficiency != 0.5);
}

TEST_CASE("a folder of overrides that is wrong says where", "[catalogue]") {
    CHECK_THROWS_AS(Catalogue("no/such/folder"), Error);
    {
        const OverrideFolder folder;
        folder.write("modles/x.json", "{}");
        CHECK(message([&] { const Catalogue c(folder.path()); }).find("did you mean 'models'?") !=
              std::string::npos);
    }
    {
        const OverrideFolder folder;
        folder.write("models/mine.json", R"({"id": "other"})");
        const Catalogue catalogue(folder.path());
        CHECK(message([&] { catalogue.model("mine"); }).find("must be the file's name, 'mine'") !=
              std::string::npos);
    }
    {
        const OverrideFolder folder;
        folder.write("models/mine.json", "{\"id\": ");
        const Catalogue catalogue(folder.path());
        CHECK(message([&] { catalogue.model("mine"); }).find("mine.json") != std::string::npos);
    }
}

TEST_CASE("a node's NICs say what each of its accelerators gets between nodes", "[catalogue]") {
    const OverrideFolder folder;
    const auto cluster = [](const std::string& scale_out) {
        return R"({"schema": "cluster/1", "id": "own", "kind": "on-prem", "accelerator": "h100-sxm5-80gb",
                   "accelerators_per_node": 8, "scale_up": {"domain": 8, "layout": "switched",
                   "topology": "NVSwitch", "link": "nvlink4", "per_accelerator_GBps": 450})" +
               scale_out + R"(, "confidence": "low", "sources": ["own"]})";
    };
    folder.write("clusters/own.json",
                 cluster(R"(, "scale_out": {"nics": 4, "nic_Gbitps": 400, "fabric": "InfiniBand"})"));
    const ClusterSpec joined = Catalogue(folder.path()).cluster("own", 16).spec;
    REQUIRE(joined.network.scale_out);
    CHECK(joined.network.scale_out->bandwidth.value() == Approx(4 * 50e9 / 8));
    CHECK(joined.network.nics == 4);
    std::vector<Problem> problems;
    validate(joined, problems);
    CHECK(problems.empty());

    // Where nothing joins the nodes, a job on two of them is refused rather than costed.
    for (const char* nothing : {"", R"(, "scale_out": {"nics": 4, "fabric": "InfiniBand"})"}) {
        folder.write("clusters/own.json", cluster(nothing));
        const Catalogue catalogue(folder.path());
        problems.clear();
        validate(catalogue.cluster("own", 8).spec, problems);
        CHECK(problems.empty());
        validate(catalogue.cluster("own", 16).spec, problems);
        REQUIRE(problems.size() == 1);
        CHECK(to_string(problems.front()).find("no network joins") != std::string::npos);
    }
}

TEST_CASE("an accelerator in nodes of another size takes that node and its power limit", "[catalogue]") {
    const Catalogue catalogue;
    const ClusterSpec one = catalogue.cluster("gh200", 1).spec;
    CHECK(one.id == "gh200-node");
    CHECK(accelerator_watts(one) == 700);
    const ClusterSpec four = catalogue.cluster("gh200", 8, 4).spec;
    CHECK(four.id == "gh200-quad");
    CHECK(accelerator_watts(four) == 560);
    CHECK(four.kernels.power_knee < one.kernels.power_knee);
    CHECK(catalogue.cluster("gh200", 4, 2).spec.id == "gh200-node");
    CHECK(catalogue.cluster("gh200-quad", "h100-sxm5-80gb", 4, 4).spec.accelerator.tdp_w == 700);
}
