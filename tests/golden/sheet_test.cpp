// `export sheet` writes what `timeline --from` and `compare` read, and a spreadsheet program computes again.

#include "support/temporary.hpp"
#include "support/transcript.hpp"

#include <traincost/sheets/sheet_reader.hpp>

#include <traincost/import/logs/recordings/recording_files.hpp>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace traincost::test;
namespace fs = std::filesystem;

namespace {

const std::string job =
    " --model llama-2-13b --gpu a100 --gpus 16 --tp 4 --pp 2 --seq 4096 --micro-batch 1 --global-batch 32 "
    "--tokens 1B";

/// A folder that goes when the test ends.
struct Folder {
    const traincost::test::TemporaryFolder temporary;
    const fs::path& path = temporary.path();
    Folder() {
        fs::current_path(SOURCE_FOLDER);  // commands name files of the tests
    }
};

double number_of(const std::string& json, const std::string& key) {
    const auto at = json.find("\"" + key + "\": ");
    REQUIRE(at != std::string::npos);
    return std::stod(json.substr(at + key.size() + 4));
}

}  // namespace

TEST_CASE("export sheet: its results are the estimate's, its Output sheet is a timeline", "[sheet]") {
    const Folder folder;
    const std::string file = (folder.path / "job.xlsx").string();
    CHECK_THAT(run_in_process("traincost export sheet --output " + file + job),
               Catch::Contains("sheets Input"));
    const std::string json = run_in_process("traincost estimate --json" + job);
    const auto results = traincost::sheet_numbers(file, "Results");
    CHECK(results.at("B3") == Approx(number_of(json, "time_s")).epsilon(1e-12));
    const auto output = traincost::sheet_numbers(file, "Output");
    CHECK(output.at("S1") == Approx(results.at("B3")).epsilon(1e-9));
    CHECK(output.at("G1") + output.at("M1") + output.at("O1") + output.at("Q1") ==
          Approx(output.at("S1")).epsilon(1e-9));
    CHECK_THAT(run_in_process("traincost timeline --from " + file),
               Catch::Contains("forward") && Catch::Contains("cooldown"));
    CHECK_THAT(run_in_process("traincost compare " + file + " tests/golden/benchmark.csv"),
               Catch::Contains("recording") && Catch::Contains("one scale"));
    CHECK_THAT(
        run_in_process("traincost timeline --from tests/golden/benchmark.csv --iteration 2 --format svg"),
        Catch::Contains("<svg"));
}

TEST_CASE("events of a timeline as CSV are read back as the same step", "[sheet]") {
    const Folder folder;
    const std::string file = (folder.path / "events.csv").string();
    std::ofstream(file) << run_in_process("traincost timeline --format csv" + job);
    const std::string again = run_in_process("traincost timeline --json --from " + file);
    const std::string ours = run_in_process("traincost timeline --json" + job);
    CHECK(number_of(again, "total_s") == number_of(ours, "total_s"));
    CHECK_THAT(again, Catch::Contains("\"lane\": \"stage 1\"") && Catch::Contains("\"micro_batch\": 7"));
}

TEST_CASE("the IIIS template's passes are the iteration's: its drawing is as long as its Output!S1",
          "[sheet]") {
    const std::map<std::string, double> cells = {{"C1", 16.0},           {"E1", 16.0},
                                                 {"G1", 0.910868611072}, {"I1", 14.573897777152},
                                                 {"K1", 17.179869184},   {"M1", 31.753766961152},
                                                 {"O1", 1.073741824},    {"Q1", 1.05711140864},
                                                 {"S1", 34.795488804864}};
    const auto step = traincost::step_of_output_sheet(cells, "template.xlsx");
    CHECK(step.total.value() == Approx(cells.at("S1")).epsilon(1e-12));
    CHECK(step.spans.size() == 35);
    CHECK((step.spans[1].end - step.spans[1].begin).value() == Approx(14.573897777152 / 16.0));
}

TEST_CASE("saved answers of days, plan, recommend, scale and a log are compared", "[sheet]") {
    const Folder folder;
    const std::string work = " --model llama-2-7b --gpu a100 --gpus 8 --seq 4096 --global-batch 64";
    const std::pair<const char*, std::string> commands[] = {
        {"days", "days --params 7B --tokens 2T --gpus 256 --gpu a100 --mfu 0.45 --json"},
        {"plan", "plan --tokens 2T --json" + work},
        {"recommend", "recommend --json" + work},
        {"scale", "scale --flops 5.76e23 --json"},
        {"log", "read tests/golden/logs/megatron.log --json"}};
    std::string files;
    for (const auto& [name, arguments] : commands) {
        const std::string file = (folder.path / (std::string(name) + ".json")).string();
        std::ofstream(file) << run_in_process("traincost " + arguments);
        files += " " + file;
    }
    const std::string damaged = (folder.path / "damaged.json").string();
    std::ofstream(damaged) << R"({"schema_version": 1, "laws": 3})";
    CHECK_THAT(run_in_process("traincost compare " + damaged + " " + damaged),
               Catch::Contains("damaged.json: a saved answer of scale without any of its figures"));
    const std::string table = run_in_process("traincost compare --format csv" + files);
    CHECK_THAT(table, Catch::Contains("kind,days,plan,recommend,scale,log"));
    CHECK_THAT(table, Catch::Contains("MFU,0.45,0.66") && Catch::Contains("tokens/s,855771."));
    CHECK_THAT(table, Catch::Contains(",8.1359") && Catch::Contains("\"loss, chinchilla-3\""));
}

TEST_CASE("a spreadsheet that is none is said", "[sheet]") {
    const Folder folder;
    const std::string file = (folder.path / "broken.xlsx").string();
    std::ofstream(file) << "PK nothing";
    CHECK_THAT(run_in_process("traincost timeline --from " + file),
               Catch::Contains("is not a spreadsheet") && Catch::Contains("[exit 2]"));
    CHECK_THAT(run_in_process("traincost export sheet --output job.ods" + job),
               Catch::Contains("must end in .xlsx") && Catch::Contains("[exit 2]"));
}

// LibreOffice computes every formula when it loads the file: its numbers are ours.
TEST_CASE("a spreadsheet program computes our numbers from the formulas", "[sheet]") {
    if (std::system("soffice --version > /dev/null 2>&1") != 0) {
        WARN("no LibreOffice here: not tried");
        return;
    }
    const Folder folder;
    const std::string file = (folder.path / "job.xlsx").string();
    run_in_process("traincost export sheet --output " + file + job);
    const std::string profile = (folder.path / "profile").string();
    fs::create_directories(profile + "/user");
    std::ofstream(profile + "/user/registrymodifications.xcu")
        << R"(<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" )"
        << R"(xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">)"
        << R"(<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" )"
        << R"(oor:op="fuse"><value>0</value></prop></item></oor:items>)";
    const std::string again = (folder.path / "again").string();
    const std::string command = "soffice -env:UserInstallation=file://" + profile +
                                " --headless --convert-to xlsx --outdir " + again + " " + file +
                                " > /dev/null 2>&1";
    REQUIRE(std::system(command.c_str()) == 0);
    for (const char* sheet : {"Memory", "Step", "Results", "Output"}) {
        const auto ours = traincost::sheet_numbers(file, sheet);
        const auto theirs = traincost::sheet_numbers(again + "/job.xlsx", sheet);
        CHECK(ours.size() > 5);
        for (const auto& [place, value] : ours) {
            CAPTURE(sheet, place);
            REQUIRE(theirs.contains(place));
            CHECK(theirs.at(place) == Approx(value).epsilon(1e-9));
        }
    }
}
