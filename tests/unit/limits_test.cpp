// What readers refuse before it does harm: size, depth, names, pipes, and plans of another machine.

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <traincost/ask/site_resolution.hpp>
#include <traincost/base/elided.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/import/logs/log_reader.hpp>
#include <traincost/io/answers/shard_json.hpp>
#include <traincost/io/json.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/records.hpp>
#include <traincost/plan/search_check.hpp>

#include "support/search_jobs.hpp"
#include "support/temporary.hpp"

using namespace traincost;
namespace fs = std::filesystem;

namespace {

template <class Run>
std::string refusal(Run run) {
    try {
        run();
    } catch (const Error& error) {
        CHECK(error.kind() != ErrorKind::internal);
        return error.what();
    }
    return "accepted";
}

/// A folder that goes away with it.
struct Folder : test::TemporaryFolder {
    std::string operator/(const std::string& name) const {
        return (path() / name).string();
    }
};

}  // namespace

TEST_CASE("a long text keeps its ends, and no character of UTF-8 is cut", "[limits]") {
    CHECK(elided("short", 60) == "short");
    CHECK(elided(std::string(3'000'000, 'x'), 60).size() <= 60);
    const std::string text = elided(std::string(50, 'a') + "äöüäöüäöüäöü" + std::string(50, 'z'), 60);
    CHECK(text.starts_with("aaaa"));
    CHECK(text.ends_with("zzzz"));
    CHECK(text.find(" ... ") != text.npos);
    for (std::size_t most = 8; most < 90; ++most) {
        JsonWriter out(0);
        out.value(elided("ääääääääääääääääääääääääääääääääääääääääääääääääää", most));
        CHECK(out.text().find("\\ufffd") == std::string::npos);
    }
}

TEST_CASE("an error never repeats more than a few thousand bytes of what it was given", "[limits][slow]") {
    const std::string huge(20'000'000, '9');
    CHECK(refusal([&] { parse_count(huge + "q"); }).size() < 300);
    CHECK(refusal([&] { parse_bytes("-" + huge.substr(0, 300)); }).size() < 300);
    CHECK(std::string(Error(ErrorKind::input, huge).what()).size() <= 4000);
    CHECK(std::string(Error(ErrorKind::input, {{huge, huge}}).what()).size() <= 5010);
}

TEST_CASE("a name longer than any is like nothing, however many there are", "[limits]") {
    const std::vector<std::string> names = {"llama-3-8b", "gpt2-124m"};
    CHECK(!nearest(std::string(3'000'000, 'l'), names));
    CHECK(nearest("llama-3-8c", names) == "llama-3-8b");
}

TEST_CASE("a document of millions of values or a string of many bytes is refused", "[limits][slow]") {
    std::string zeros = "[0";
    for (int i = 0; i < 4'000'001; ++i)
        zeros += ",0";
    zeros += "]";
    CHECK(refusal([&] { parse_json(zeros, "f.json"); }) == "f.json: more than 4000000 values, the limit");
    CHECK(refusal([&] {
              parse_json("[\"" + std::string(100'000, 'x') + "\"]", "f.json");
          }).find("has 100000 bytes; at most 65536 are read") != std::string::npos);
}

TEST_CASE("a file of too many records is refused, and remarks on one file end", "[limits]") {
    std::string lines;
    for (int i = 0; i < 100'001; ++i)
        lines += "{}\n";
    CHECK(refusal([&] { records_from_text(lines, "r.jsonl"); }) ==
          "r.jsonl: holds more than 100000 records, the limit");
}

TEST_CASE("a pipe that nobody writes into, a loop of links and a name too long are refused with a reason",
          "[limits][slow]") {
    const Folder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    const auto start = std::chrono::steady_clock::now();
    CHECK(refusal([&] { read_text_file(folder / "pipe"); }).ends_with("is a pipe that nothing writes to"));
    CHECK(refusal([&] {
              read_training_logs({folder / "pipe"});
          }).ends_with("is a pipe that nothing writes to"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    fs::create_symlink("loop", folder / "loop");
    CHECK(refusal([&] { read_text_file(folder / "loop"); }).find("cannot be opened: ") != std::string::npos);
    CHECK(refusal([&] { read_text_file(std::string(5000, 'x')); }).find("cannot be opened: ") !=
          std::string::npos);
}

TEST_CASE("each problem of a file that a flag names is a line of its own, with the flag", "[limits]") {
    const auto look = [&]() -> int {
        throw Error(ErrorKind::input, {{"model.json: model.layers", "is 0"}, {"", "has no parameters"}});
    };
    CHECK(refusal([&] { looked_up_for("--model", look); }) ==
          "--model: model.json: model.layers: is 0\n--model: has no parameters");
    CHECK(refusal([&] { looked_up_for("", look); }) == "model.json: model.layers: is 0\nhas no parameters");
}

TEST_CASE("a plan that the request cannot have found is refused, whichever field of it is wrong",
          "[limits]") {
    const SearchRequest request = search_jobs::request(search_jobs::gpt(4, 1024, 8), search_jobs::cluster(8),
                                                       search_jobs::run(1024, 16));
    const SearchResult found = search(request);
    REQUIRE(!found.best.empty());
    const auto problems_of = [&](const SearchResult& result) {
        std::vector<Problem> problems;
        validate(result, request, problems);
        return problems;
    };
    CHECK(problems_of(found).empty());
    using Member = std::int32_t Configuration::*;
    for (const Member member :
         {&Configuration::site, &Configuration::tp, &Configuration::cp, &Configuration::pp,
          &Configuration::ep, &Configuration::etp, &Configuration::sequence_parallel,
          &Configuration::micro_batch, &Configuration::vp, &Configuration::schedule, &Configuration::zero,
          &Configuration::hybrid_shard, &Configuration::recompute, &Configuration::offload,
          &Configuration::dp}) {
        for (const std::int32_t value : {-1, INT32_MAX}) {
            SearchResult crafted = found;
            crafted.best.front().configuration.*member = value;
            CHECK(problems_of(crafted).size() == 1);
            crafted = found;
            crafted.pareto.back().configuration.*member = value;
            CHECK(problems_of(crafted).size() == 1);
            crafted = found;
            crafted.smallest = found.best.front();
            crafted.smallest->configuration.*member = value;
            CHECK(problems_of(crafted).size() == 1);
        }
    }
    for (const Member degree :
         {&Configuration::tp, &Configuration::cp, &Configuration::pp, &Configuration::dp, &Configuration::ep,
          &Configuration::vp, &Configuration::micro_batch}) {
        SearchResult crafted = found;
        crafted.best.front().configuration.*degree = 0;
        CHECK(problems_of(crafted).size() == 1);
    }
    SearchResult crafted = found;
    crafted.best.front().metrics.time = Seconds{-1.0};
    CHECK(problems_of(crafted).size() == 1);
}

TEST_CASE("a shard of a hundred million is merged in the memory of its file", "[limits]") {
    const ShardFile one{{}, "request", 0, 100'000'000, {}};
    CHECK(refusal([&] { merge_shards({one}, {"a.json"}, 1); }) ==
          "shard 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 99999989 more of 100000000 is missing");
}

TEST_CASE("a test's folder is gone with its object", "[limits]") {
    fs::path path;
    {
        const test::TemporaryFolder folder;
        path = folder.path();
        fs::create_directories(path / "below");
        CHECK(test::TemporaryFolder().path() != path);
        CHECK(fs::exists(path / "below"));
    }
    CHECK_FALSE(fs::exists(path));
    CHECK(test::temporary("a").parent_path() == test::temporary("b").parent_path());
}
