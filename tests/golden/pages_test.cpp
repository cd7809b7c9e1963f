// Reports as pages: everything within one file, nothing asked of anybody.

#include "support/temporary.hpp"
#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace traincost::test;
namespace fs = std::filesystem;

namespace {

const std::string asked_job =
    " --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --micro-batch 1 --global-batch 64 --zero 1";

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
        ++n;
    }
    return n;
}

void check_page(const std::string& page) {
    CHECK(page.starts_with("<!DOCTYPE html>\n"));
    CHECK(holds(page, "prefers-color-scheme: dark"));
    CHECK(holds(page, "width=device-width"));
    CHECK(holds(page, "</html>\n"));
    for (const char* request : {"<script", "<link", "<img", "<iframe", "src=", "href=", "@import", "url("}) {
        INFO(request);
        CHECK_FALSE(holds(page, request));
    }
    for (const char* element : {"table", "tr", "details", "div", "ul", "svg"}) {
        INFO(element);
        const std::string name = element;
        CHECK(count_of(page, "<" + name + ">") + count_of(page, "<" + name + " ") ==
              count_of(page, "</" + name + ">"));
    }
    CHECK_FALSE(holds(page, "nan"));
}

}  // namespace

TEST_CASE("a page asks nobody for anything", "[golden][pages]") {
    fs::current_path(SOURCE_FOLDER);
    for (const std::string& command : std::vector<std::string>{
             "estimate" + asked_job,
             "estimate --model llama-2-13b --gpu a100 --gpus 16 --pp 4 --tp 2 --seq 4096 "
             "--micro-batch 1 --global-batch 32",
             "plan" + asked_job,
             "recommend --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64",
             "compare tests/golden/job.json tests/golden/job.json",
             "achieved" + asked_job + " --step-time 8s", "sweep" + asked_job + " --vary tp=1,2"}) {
        INFO(command);
        check_page(run_in_process("traincost " + command + " --format html"));
    }
}

TEST_CASE("an estimate's page has its verdict, its bars, its step and what was assumed", "[golden][pages]") {
    const std::string page = run_in_process("traincost estimate" + asked_job + " --format html");
    CHECK(holds(page, "class=\"verdict bad\">Does not fit"));
    CHECK(holds(page, "Memory per GPU at its peak, GiB"));
    CHECK(holds(page, "dashed: usable"));
    CHECK(holds(page, "Step time, seconds"));
    CHECK(holds(page, "<h2>Timeline of one step</h2>"));
    CHECK(holds(page, "<h2>Assumed</h2>"));
    CHECK(holds(page, "--precision"));
}

TEST_CASE("a recommendation's page has the plans that none beats", "[golden][pages]") {
    const std::string page = run_in_process(
        "traincost recommend --model llama-3.1-8b --gpu h100 --gpus 8 --seq 8192 --global-batch 64 --format "
        "html");
    CHECK(holds(page, "Pareto front of time"));
    CHECK(holds(page, "<path"));
}

TEST_CASE("a page is written to a file, and to a file alone", "[golden][pages]") {
    const fs::path file = traincost::test::temporary("traincost-page-test.html");
    fs::remove(file);
    const std::string said =
        run_in_process("traincost estimate" + asked_job + " --format html -o " + file.string());
    CHECK(holds(said, file.string() + ": "));
    check_page(read_file(file.string()));
    fs::remove(file);
    CHECK(holds(run_in_process("traincost estimate" + asked_job + " -o x.html"),
                "--output: needs --format html"));
    CHECK(holds(run_in_process("traincost estimate" + asked_job + " --format html -o /nowhere/x.html"),
                "--output: /nowhere/x.html cannot be written"));
    CHECK(holds(run_in_process("traincost estimate" + asked_job + " --format htm"), "did you mean 'html'?"));
}
