#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/targets.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path corpus = fs::path(SOURCE_FOLDER) / "tests/fuzz/corpus";

std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every kept input of a fuzzer is read, or refused with a reason", "[fuzz]") {
    for (const fuzz::Target& target : fuzz::targets()) {
        std::size_t inputs = 0;
        for (const auto& entry : fs::directory_iterator(corpus / target.name)) {
            INFO(entry.path().string());
            ++inputs;
            CHECK_NOTHROW(fuzz::run(target, bytes_of(entry.path())));
        }
        CHECK(inputs > 0);
    }
}

TEST_CASE("every folder of kept inputs belongs to a fuzzer", "[fuzz]") {
    const auto all = fuzz::targets();
    for (const auto& entry : fs::directory_iterator(corpus)) {
        INFO(entry.path().string());
        CHECK(std::any_of(all.begin(), all.end(), [&](const fuzz::Target& target) {
            return target.name == entry.path().filename().string();
        }));
    }
}
