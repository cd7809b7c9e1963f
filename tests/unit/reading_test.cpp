#include "support/temporary.hpp"

#include <traincost/base/error.hpp>
#include <traincost/import/reading.hpp>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace traincost;

namespace {

const std::string log_line =
    " iteration       10/   500 | consumed samples:          640 | elapsed time per iteration (ms): 812.5 | "
    "global batch size:    64 |\n";

std::string written(const std::string& name, const std::string& text) {
    const std::filesystem::path folder = traincost::test::temporary("traincost-reading");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / name) << text;
    return (folder / name).string();
}

bool is_log(const Reading& reading) {
    return std::holds_alternative<TrainingLog>(reading);
}

}  // namespace

TEST_CASE("files are told by what they hold, whatever they are called", "[reading]") {
    const std::string launch =
        "torchrun --nproc_per_node 8 pretrain_gpt.py --seq-length 2048 "
        "--micro-batch-size 2 --global-batch-size 64\n";
    for (const std::string name : {"run.log", "run.txt", "run", "run.yaml"}) {
        CAPTURE(name);
        CHECK(is_log(read_files({{written(name, log_line + log_line)}}, "")));
    }
    for (const std::string name : {"start.sh", "start.txt", "start"}) {
        CAPTURE(name);
        CHECK_FALSE(is_log(read_files({{written(name, launch)}}, "")));
    }
    CHECK(is_log(read_files({{"-"}}, log_line + log_line)));
    CHECK_FALSE(is_log(read_files({{"-"}}, launch)));
    CHECK_THROWS_AS(read_files({{"-"}}, ""), Error);
    CHECK_THROWS_AS(read_files({{"/no/such/file"}}, ""), Error);
}
