// What `calibrate --out FOLDER` writes is what `--data FOLDER` reads: the way from measured kernels to an
// estimate.

#include <catch2/catch.hpp>

#include <filesystem>
#include <sstream>

#include <cli/app.hpp>

#include "support/temporary.hpp"
#include "support/transcript.hpp"
#include "traincost/io/json.hpp"

using namespace traincost;
using namespace traincost::test;
namespace fs = std::filesystem;

namespace {

std::string run(const std::string& command, int wanted = 0) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    const int code = cli::run(split_words(command), in, out, err);
    INFO(command << '\n' << err.str());
    CHECK(code == wanted);
    return out.str();
}

double number(const std::string& json, std::initializer_list<std::string_view> path) {
    const JsonDocument document = parse_json(json, "answer");
    const JsonValue* value = &document.root;
    for (const std::string_view key : path) {
        value = value->array() != nullptr ? &value->array()->front() : value->find(key);
        REQUIRE(value != nullptr);
    }
    return JsonNode(document, *value).number();
}

/// A folder of its own, gone with the test.
struct Folder {
    fs::path path = traincost::test::temporary("traincost-calibrate-test");
    Folder() {
        fs::remove_all(path);
    }
    ~Folder() {
        fs::remove_all(path);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
};

}  // namespace

TEST_CASE("kernels calibrated into a folder change the estimates made with it", "[calibrate][golden]") {
    fs::current_path(SOURCE_FOLDER);
    const Folder folder;
    const std::string kernels = "tests/golden/kernels/h200.jsonl";
    const std::string fitted =
        run("calibrate " + kernels + " --json --date 2026-11-20 --out " + folder.path.string());
    CHECK(number(fitted, {"gemm", "0", "held_out_after", "median_ape"}) <
          0.5 * number(fitted, {"gemm", "0", "held_out_before", "median_ape"}));
    CHECK(fs::exists(folder.path / "bench" / "gemm-h200-sxm-141gb.json"));
    run("check " + folder.path.string());

    // Fitted again from there, there is little left to gain.
    const std::string data = "--data " + folder.path.string() + " ";
    const std::string again = run(data + "calibrate " + kernels + " --json");
    CHECK(number(again, {"gemm", "0", "held_out_before", "median_ape"}) ==
          Approx(number(fitted, {"gemm", "0", "held_out_after", "median_ape"})).margin(2e-3));

    const std::string job =
        "estimate --model llama-3-8b --gpu h200-sxm-141gb --gpus 8 --tp 8 --seq 4096 --micro-batch 1 "
        "--global-batch 8 --json";
    const double before = number(run(job), {"step", "time_s"});
    const double after = number(run(data + job), {"step", "time_s"});
    CHECK(after > 1.02 * before);  // these were measured at the clock of a long run, through PyTorch
    const std::string other =
        "estimate --model llama-3-8b --gpu a100-sxm4-80gb --gpus 8 --tp 8 --seq 4096 --micro-batch 1 "
        "--global-batch 8 --json";
    CHECK(number(run(other), {"step", "time_s"}) == number(run(data + other), {"step", "time_s"}));
}
