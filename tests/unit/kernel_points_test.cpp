#include "traincost/io/bench/kernel_points.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>

#include "support/temporary.hpp"
#include "traincost/base/error.hpp"

using namespace traincost;

namespace {

/// A file with that text, gone with the test.
class File {
public:
    File(const std::string& name, const std::string& text)
        : path_(traincost::test::temporary("traincost-" + name)) {
        std::ofstream(path_) << text;
    }
    ~File() {
        std::filesystem::remove(path_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    std::string path() const {
        return path_.string();
    }

private:
    std::filesystem::path path_;
};

std::string error_of(const std::string& text) {
    const File file("points.jsonl", text);
    try {
        read_kernel_file(file.path());
    } catch (const Error& error) {
        std::string what = error.what();
        return what.substr(what.find("points.jsonl"));
    }
    return "no error";
}

}  // namespace

TEST_CASE("a line of a linear layer is its three products", "[kernel-points]") {
    const File file(
        "lines.jsonl",
        "{\"kind\": \"device\", \"name\": \"NVIDIA H200\", \"torch\": \"2.11.0\"}\n"
        "{\"kind\": \"gemm\", \"dtype\": \"bf16\", \"tokens\": 128, \"k\": 768, \"n\": 2304, "
        "\"fwd_us\": 12.5, \"dgrad_us\": 10.9, \"wgrad_us\": 12.8}\n\n"
        "{\"kind\": \"nccl\", \"op\": \"all_reduce\", \"gpus\": 2, \"bytes\": 16384, \"us\": 42.9}\n"
        "{\"kind\": \"copy\", \"bytes\": 1}\n");
    REQUIRE(is_kernel_file(file.path()));
    const KernelFile read = read_kernel_file(file.path());
    REQUIRE(read.gemms.size() == 3);
    CHECK(read.gemms[0].accelerator == "NVIDIA H200");
    CHECK(read.gemms[1].pass == GemmPass::dgrad);
    CHECK(read.gemms[2].m == 128);
    CHECK(read.gemms[2].k == 768);
    CHECK(read.gemms[2].us == 12.8);
    REQUIRE(read.collectives.size() == 1);
    CHECK(read.collectives[0].collective == Collective::all_reduce);
    CHECK(read.collectives[0].ranks == 2);
    CHECK(read.software == "PyTorch 2.11.0");
    REQUIRE(read.remarks.size() == 1);
    CHECK(read.remarks[0].ends_with("not used: 1 copy"));
}

TEST_CASE("tables of several accelerators and formats", "[kernel-points]") {
    const File file("tables.json",
                    R"({"source": "a table", "tables": {"a100-sxm4-80gb": {"bfloat16": [[64, 512, 1024, 7.9]],
                        "int8": [[64, 512, 1024, 7.9]]}},
                        "systems": {"l40s": {"alltoall": {"4": [[512, 9.0], [1024, 9.1]]}}}})");
    REQUIRE(is_kernel_file(file.path()));
    const KernelFile read = read_kernel_file(file.path());
    REQUIRE(read.gemms.size() == 1);
    CHECK(read.gemms[0].format == GemmFormat::bf16);
    CHECK(read.gemms[0].where.ends_with(":/tables/a100-sxm4-80gb/bfloat16/0"));
    REQUIRE(read.collectives.size() == 2);
    CHECK(read.collectives[1].ranks == 4);
    CHECK(read.collectives[1].bytes == 1024);
    CHECK(read.source == "a table");
    CHECK(read.remarks.size() == 1);
}

TEST_CASE("run records and missing files are no kernel files", "[kernel-points]") {
    const File file("record.jsonl", "{\"schema\": \"run-record/1\", \"id\": \"x-1\"}\n");
    CHECK_FALSE(is_kernel_file(file.path()));
    CHECK_FALSE(is_kernel_file("/nowhere/nothing.jsonl"));
}

TEST_CASE("what is wrong with a kernel file is said with its place", "[kernel-points]") {
    const std::string gemm =
        "{\"kind\": \"gemm\", \"dtype\": \"bf16\", \"tokens\": 128, \"k\": 768, \"n\": 8, ";
    CHECK(error_of(gemm + "\"fwd_us\": -1}") == "points.jsonl:1:/fwd_us: must be more than 0");
    CHECK(error_of(gemm + "\"us\": \"fast\"}").starts_with("points.jsonl:1:/us: "));
    CHECK(
        error_of("{\"kind\": \"gemm\", \"dtype\": \"bf16\", \"tokens\": 128}").starts_with("points.jsonl:1"));
    CHECK(error_of("{\"kind\": \"device\", \"name\": \"A\"}\n{\"kind\": \"device\", \"name\": \"B\"}") ==
          "points.jsonl:2:/name: 'B', but earlier lines are for 'A'; a file holds one accelerator");
    CHECK(error_of("{\"kind\": \"launch\", \"us\": 2}") ==
          "points.jsonl: contains no measured matrix product (bf16, fp8, fp8_block, fp4) and no collective; "
          "not "
          "used: 1 launch");
    CHECK(error_of("{\"systems\": {\"l40s\": {\"all_reduce\": {\"two\": [[1, 2]]}}}}").find("'two'") !=
          std::string::npos);
}
