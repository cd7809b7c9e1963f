// The commands of docs/search.md that split a search over machines, run as they stand there.

#include "support/shell.hpp"
#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using traincost::test::read_file;
using traincost::test::shell_output;
using traincost::test::write_file;
namespace fs = std::filesystem;

namespace {

/// The sh blocks of the section on many machines, in order.
std::vector<std::string> blocks() {
    const std::string page = read_file(SOURCE_FOLDER "/docs/search.md");
    const std::string begin_mark = "```sh\n";
    std::vector<std::string> found;
    for (auto at = page.find(begin_mark, page.find("## One search on many machines")); at != page.npos;
         at = page.find(begin_mark, at)) {
        at += begin_mark.size();
        const auto end = page.find("```\n", at);
        found.push_back(page.substr(at, end - at));
        at = end;
    }
    return found;
}

/// A folder with job.json that goes away with it.
class Folder {
public:
    Folder() : path_(shell_output("mktemp -d")) {
        path_.erase(path_.find_last_not_of('\n') + 1);
        fs::copy_file(SOURCE_FOLDER "/tests/golden/job.json", path_ + "/job.json");
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        fs::remove_all(path_);
    }
    std::string run(const std::string& commands) const {
        return shell_output("cd '" + path_ + "' && { " + commands + "\n}");
    }
    void write(const std::string& name, const std::string& text) const {
        write_file(path_ + "/" + name, text);
    }

private:
    std::string path_;
};

}  // namespace

TEST_CASE("the documented ways to split a search all give the answer of the whole", "[shards]") {
    const std::vector<std::string> all = blocks();
    REQUIRE(all.size() == 5);
    const bool parallel = shell_output("command -v parallel").find("parallel") != std::string::npos;
    const std::string whole = Folder().run("traincost recommend --job job.json --full-space");
    REQUIRE(whole.starts_with("Best plans"));
    std::string script;
    int ways = 0;
    for (const std::string& block : all) {
        if (block.starts_with("#!/bin/sh")) {
            script = block;
            continue;
        }
        if (block.find("recommend") == block.npos && block.find("search.sh") == block.npos) {
            continue;
        }
        if (block.starts_with("parallel") && !parallel) {
            continue;
        }
        const Folder folder;
        folder.write("search.sh", script);
        INFO(block);
        CHECK(folder.run(block) == whole);
        ++ways;
    }
    CHECK(ways == (parallel ? 3 : 2));
    CHECK(!script.empty());
}

TEST_CASE("the documented way to split a sweep gives the bytes of the whole", "[shards]") {
    const std::string block = blocks().back();
    const Folder folder;
    const std::string merged = folder.run(block);
    CHECK(merged == folder.run("traincost sweep --job job.json --vary tp=1,2,4,8 --vary zero=0,1 --json"));
    CHECK(folder.run("traincost merge sweep-1.json sweep-3.json") ==
          "traincost: error: shard 2 of 3 is missing\n");
    CHECK(folder.run("traincost merge sweep-1.json sweep-2.json sweep-2.json") ==
          "traincost: error: sweep-2.json: is shard 2 of 3, as sweep-2.json is\n");
    CHECK(
        folder.run("sed -i 's/\"fits\": true/\"fits\": false/' sweep-2.json; traincost merge sweep-*.json") ==
        "traincost: error: sweep-2.json:/shard/checksum: does not match the file's content, which was "
        "damaged "
        "or edited\n");
    CHECK(folder
              .run("traincost sweep --job job.json --vary tp=1,2 --json --shard 3/3 > sweep-2.json; "
                   "traincost merge sweep-*.json; echo \"[exit $?]\"")
              .ends_with("[exit 2]\n"));
}
