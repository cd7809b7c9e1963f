#include <traincost/fit/interconnect.hpp>

#include <catch2/catch.hpp>

using namespace traincost;
using namespace traincost::literals;

namespace {

void states(std::string_view words, std::string_view name, ByteRate per_node,
            std::optional<std::int64_t> nics, std::int64_t accelerators = 8) {
    INFO(words);
    const auto fabric = fabric_from_words(words, accelerators);
    REQUIRE(fabric.has_value());
    CHECK(fabric->name == name);
    REQUIRE(fabric->per_node.has_value());
    CHECK(fabric->per_node->value() == Approx(per_node.value()));
    CHECK(fabric->nics == nics);
}

}  // namespace

TEST_CASE("the words of run records name their fabric and its rate", "[fit]") {
    states("NVLink intra-node; 4x Omni-Path 100Gb/s per node (Jean Zay)", "Omni-Path", 400_Gbitps, 4);
    states("NVLink3 (4 links/GPU) + 4x Omni-Path 100Gb/s per node", "Omni-Path", 400_Gbitps, 4);
    states("NVLink3 + 8x HDR 200Gb/s IB per VM (NDm A100 v4)", "IB HDR", 1600_Gbitps, 8);
    states("NVLink4 8-GPU node + IB NDR 400Gb/s per GPU (system class default, not printed)", "IB NDR",
           3200_Gbitps, 8);
    states("4 x 100Gb RoCE per node", "RoCE", 400_Gbitps, 4);
    states("RoCE 1600 Gbps/node (section title)", "RoCE", 1600_Gbitps, std::nullopt);
    states("intra-node NVLink/NVSwitch; inter-node 800 Gbps/node (vTrain config)", "IB", 800_Gbitps,
           std::nullopt);
    states("NeuronLink-v2 + EFA 800Gb/s (trn1) or 1600Gb/s (trn1n) per node", "EFA", 800_Gbitps, std::nullopt,
           32);
    states("4x ConnectX-8 IB XDR 800 Gb/s", "IB XDR", 3200_Gbitps, 4, 4);
    states("NVLink in the node, EFA 3,200 Gbit/s a node", "EFA", 3200_Gbitps, std::nullopt);
    states("RoCE 12,800 Gbit/s a node,400 GB/s of PCIe", "RoCE", 12800_Gbitps, std::nullopt);
}

TEST_CASE("a network between nodes needs no name of its cards", "[fit]") {
    states("NVLink; 400Gbps inter-node (README)", "IB", 400_Gbitps, std::nullopt);
    states("NVLink + 800 Gb/s RDMA a node", "IB", 800_Gbitps, std::nullopt);
    states("NVLink, 400Gb/s RDMA per GPU (Grand Teton)", "IB", 3200_Gbitps, 8);
    states("IB 200Gb/s a GPU", "IB", 1600_Gbitps, 8);
}

TEST_CASE("of several networks the fastest carries the training", "[fit]") {
    states("1x Ethernet 100Gb/Sec, 8x NVIDIA Quantum-2 CX7 InfiniBand (400Gb/s)", "IB", 3200_Gbitps, 8);
    states("8x ConnectX-7 IB NDR 400Gb/s + 200Gb/s Ethernet NIC", "IB NDR", 3200_Gbitps, 8);
    states("BF3 200Gbps for NS and 2xBF3 400Gbps for EW", "RoCE", 800_Gbitps, 2, 4);
}

TEST_CASE("storage and management networks are passed over", "[fit]") {
    states(
        "Storage: 2x ConnectX-7 IB NDR 400Gb/s, Compute: 8x ConnectX-7 IB NDR 400Gb/s, Management: 100Gb/s "
        "Ethernet NIC",
        "IB NDR", 3200_Gbitps, 8);
    states("Storage&Compute: 4x ConnectX-7 IB NDR 400Gb/s, Management: 25Gb/s Ethernet NIC", "IB NDR",
           1600_Gbitps, 4);
    CHECK_FALSE(fabric_from_words("Management: 1x Ethernet 10GB/Sec", 8).has_value());
}

TEST_CASE("a fabric that is no other's name is believed without a rate", "[fit]") {
    const auto fabric = fabric_from_words("NVLink4 + EFA (HF cluster)", 8);
    REQUIRE(fabric.has_value());
    CHECK(fabric->name == "EFA");
    CHECK_FALSE(fabric->per_node.has_value());
    CHECK(fabric_from_words("EFA v2 latency-bound", 8)->name == "EFA v2 latency-bound");
}

TEST_CASE("words without a rate state no fabric", "[fit]") {
    for (const std::string_view words :
         {"", "Ethernet, Infiniband", "ICI torus", "NVLink (single node)",
          "NVLink4/NVSwitch (NV18), single node",
          "InfiniBand; Data bandwidth for GPU-PCIe: 504 GB/s; PCIe-NIC: 500 GB/s", "10G Ethernet",
          "NVLink5 NVL72 domain + IB (system class default, not printed)", "100GbE InfiniBand"}) {
        INFO(words);
        CHECK_FALSE(fabric_from_words(words, 8).has_value());
    }
}
