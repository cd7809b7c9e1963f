// The rules of the house that a compiler does not check: docs/CONTRIBUTING.md says why.

#include "house/sources.hpp"
#include "support/transcript.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace traincost::test;

namespace {

// A room includes itself and the rooms of lower layers.
const std::map<std::string, int> layers = {
    {"base", 0},   {"spec", 1},   {"cost", 2}, {"plan", 3},   {"fit", 3},  {"methods", 3}, {"io", 4},
    {"import", 5}, {"export", 5}, {"ask", 6},  {"report", 7}, {"capi", 8}, {"serve", 9},   {"sheets", 9}};

// "cost" for lib/traincost/cost/ops.cpp and for traincost/cost/ops.hpp.
std::string room_of(std::string_view path) {
    const auto begin = path.find("traincost/") + std::string_view("traincost/").size();
    return std::string(path.substr(begin, path.find('/', begin) - begin));
}

std::vector<SourceFile> library() {
    return source_files("lib", {".hpp", ".cpp"});
}

/// The names of the files of a folder, without their extension.
std::set<std::string> names_of(const std::string& folder, const std::string& extension) {
    std::set<std::string> names;
    for (const SourceFile& file : source_files(folder, {extension})) {
        const std::size_t begin = file.path.rfind('/') + 1;
        names.insert(file.path.substr(begin, file.path.size() - begin - extension.size()));
    }
    return names;
}

/// The string literals of a file of the library; none in `import` and `export`, where names of frameworks are
/// those of file formats and programs.
std::vector<std::string> literals_of(const SourceFile& file) {
    static const std::set<std::string> rooms = {"base", "spec", "cost", "plan",   "fit",
                                                "io",   "ask",  "capi", "report", "methods"};
    static const std::regex comment("//[^\\n]*");
    static const std::regex literal("\"([^\"\\n]*)\"");
    std::vector<std::string> literals;
    if (rooms.contains(room_of(file.path))) {
        const std::string text = std::regex_replace(file.text, comment, "");
        for (std::sregex_iterator at(text.begin(), text.end(), literal), end; at != end; ++at)
            literals.push_back((*at)[1]);
    }
    return literals;
}

/// Whether a file may use a word that is the name of something else too.
bool is_other(const std::map<std::string, std::set<std::string>>& others, const std::string& path,
              const std::string& word) {
    const auto known = others.find(path);
    return known != others.end() && known->second.contains(word);
}

std::vector<SourceFile> program() {
    return source_files("cli", {".hpp", ".cpp"});
}

}  // namespace

TEST_CASE("a room of the library includes itself and the layers below it", "[house]") {
    for (const SourceFile& file : library()) {
        const std::string room = room_of(file.path);
        INFO(file.path);
        REQUIRE(layers.contains(room));
        for (const std::string& name : includes_of(file.text)) {
            INFO("includes " << name);
            CHECK_FALSE(name.starts_with("cli/"));
            if (name.starts_with("traincost/")) {
                const std::string other = room_of(name);
                REQUIRE(layers.contains(other));
                CHECK((other == room || layers.at(other) < layers.at(room)));
            }
        }
    }
}

TEST_CASE("each dependency stays where it is used, out of every public header", "[house]") {
    const auto is_from = [](const std::string& name, std::string_view folder) {
        return name.starts_with(folder);
    };
    std::vector<SourceFile> files = library();
    for (SourceFile& file : program()) {
        files.push_back(std::move(file));
    }
    for (const SourceFile& file : files) {
        const bool in_cli = file.path.starts_with("cli/");
        const bool in_io = file.path.starts_with("lib/traincost/io/");
        const bool in_import = file.path.starts_with("lib/traincost/import/");
        const bool header = file.path.ends_with(".hpp");
        for (const std::string& name : includes_of(file.text)) {
            INFO(file.path << " includes " << name);
            CHECK((in_io || (in_import && !header) || !is_from(name, "nlohmann/")));
            CHECK(((in_import && !header) || !(is_from(name, "yaml-cpp/") || is_from(name, "toml++/"))));
            CHECK((in_cli || !is_from(name, "CLI/")));
            const bool in_sheets = file.path.starts_with("lib/traincost/sheets/") && !header;
            CHECK((in_sheets || !(name == "xlsxwriter.h" || name == "pugixml.hpp" || name == "zlib.h")));
            CHECK((file.path == "lib/traincost/serve/page_server.cpp" || !is_from(name, "httplib")));
            CHECK_FALSE(
                (header && (is_from(name, "Eigen/") || is_from(name, "tbb/") || is_from(name, "oneapi/"))));
            CHECK_FALSE((header && is_from(name, "fmt/")));
            CHECK_FALSE((in_cli && (is_from(name, "Eigen/") || is_from(name, "tbb/"))));
        }
    }
}

TEST_CASE("public headers include no private header and no dependency", "[house]") {
    const ListedFiles listed = listed_files();
    REQUIRE_FALSE(listed.public_headers.empty());
    for (const SourceFile& file : library()) {
        if (!listed.public_headers.contains(file.path)) {
            continue;
        }
        for (const std::string& name : includes_of(file.text)) {
            INFO(file.path << " includes " << name);
            const bool standard = name.find('/') == name.npos && name.find('.') == name.npos;
            CHECK((standard || listed.public_headers.contains("lib/" + name)));
        }
    }
}

TEST_CASE("the program sees the library's public headers only", "[house]") {
    const ListedFiles listed = listed_files();
    for (const SourceFile& file : program()) {
        for (const std::string& name : includes_of(file.text)) {
            if (name.starts_with("traincost/")) {
                INFO(file.path << " includes " << name);
                CHECK(listed.public_headers.contains("lib/" + name));
            }
        }
    }
}

TEST_CASE("every file of the library is listed in lib/CMakeLists.txt", "[house]") {
    const ListedFiles listed = listed_files();
    for (const SourceFile& file : library()) {
        INFO(file.path);
        CHECK(listed.all.contains(file.path));
    }
}

TEST_CASE("no formula knows a stack by its name: what stacks do is data", "[house]") {
    const std::set<std::string> stacks = names_of("data/stacks", ".json");
    REQUIRE(stacks.contains("megatron-core"));
    // Words that are other things too: families of models, a convention of counting FLOPs, an engine that
    // shards, and the frameworks that two published calculators are for.
    const std::map<std::string, std::set<std::string>> others = {
        {"lib/traincost/fit/records/record_model.cpp", {"deepseek", "gpt-neox", "nanochat"}},
        {"lib/traincost/fit/records/flop_definition.cpp", {"maxtext"}},
        {"lib/traincost/spec/names.cpp", {"deepspeed"}},
        {"lib/traincost/report/methods/lightning_form.cpp", {"hf-deepspeed"}},
        {"lib/traincost/report/methods/flagperf_form.cpp", {"paddlenlp"}}};
    for (const SourceFile& file : library()) {
        for (const std::string& literal : literals_of(file)) {
            INFO(file.path << ": \"" << literal << "\"");
            CHECK((!stacks.contains(literal) || is_other(others, file.path, literal)));
        }
    }
}

TEST_CASE("nothing knows a source of run records by its name: what is known of sources is data", "[house]") {
    const std::set<std::string> sources = names_of("tests/published/records", ".jsonl");
    REQUIRE(sources.contains("nanotron-sweep"));
    // Words that are other things too: families of models, conventions of counting FLOPs, an accelerator, a
    // published calculator and a launch format.
    const std::map<std::string, std::set<std::string>> others = {
        {"lib/traincost/ask/questions/guide_question.cpp", {"h200"}},
        {"lib/traincost/fit/achieved.cpp", {"megatron"}},
        {"lib/traincost/fit/records/flop_definition.cpp", {"megatron"}},
        {"lib/traincost/fit/records/record_model.cpp", {"bloom", "deepseek"}},
        {"lib/traincost/report/commands/command_words.cpp", {"flagperf", "h200", "megatron"}},
        {"lib/traincost/report/methods/flagperf_form.cpp", {"flagperf"}},
        {"lib/traincost/report/methods/method_form.cpp", {"flagperf"}},
        {"lib/traincost/report/methods/own_estimate.cpp", {"h200"}},
        {"lib/traincost/spec/names.cpp", {"megatron"}}};
    const std::regex word("[A-Za-z0-9_./@-]+");
    for (const SourceFile& file : library()) {
        for (const std::string& literal : literals_of(file)) {
            for (std::sregex_iterator at(literal.begin(), literal.end(), word), end; at != end; ++at) {
                INFO(file.path << ": " << at->str() << " in \"" << literal << "\"");
                CHECK((!sources.contains(at->str()) || is_other(others, file.path, at->str())));
            }
        }
    }
}

TEST_CASE("nothing in the library prints, exits or reads the environment", "[house]") {
    static const std::regex forbidden(
        "\\b(std::cout|std::cerr|std::clog|std::cin|printf|fprintf|puts|fputs|perror|exit|_Exit|quick_exit|"
        "abort|"
        "terminate|getenv|setenv|system)\\b *[(<;]|\\bfmt::print\\b|#include <iostream>");
    for (const SourceFile& file : library()) {
        INFO(file.path);
        const std::string code = code_of(file.text);
        std::smatch match;
        const bool found = std::regex_search(code, match, forbidden);
        INFO((found ? match.str() : ""));
        CHECK_FALSE(found);
    }
}

TEST_CASE("the library is written for the oldest standard library that builds it", "[house]") {
    // The page's, of Debian's emscripten 3.1.6, has neither.
    for (const SourceFile& file : source_files("lib", {".hpp", ".cpp"})) {
        for (const std::string_view missing : {"std::ranges", "std::format(", "std::views"}) {
            INFO(file.path << " " << missing);
            CHECK(file.text.find(missing) == std::string::npos);
        }
    }
}

TEST_CASE("the name of a test contains no semicolon, at which ctest would cut it in two", "[house]") {
    for (const SourceFile& file : source_files("tests", {".cpp"})) {
        std::istringstream lines(file.text);
        for (std::string line; std::getline(lines, line);) {
            const bool names = line.compare(0, 11, "TEST_CASE(\"") == 0;
            const std::string name = names ? line.substr(11, line.find('"', 11) - 11) : std::string();
            INFO(file.path << ": " << line);
            CHECK(name.find(';') == std::string::npos);
        }
    }
}

TEST_CASE("tests keep temporary files where they are removed", "[house]") {
    for (const SourceFile& file : source_files("tests", {".hpp", ".cpp"})) {
        INFO(file.path);
        const bool names = code_of(file.text).find("temp_directory_path") != std::string::npos;
        CHECK(names == (file.path == "tests/support/temporary.hpp"));
    }
}

TEST_CASE("every header is included once", "[house]") {
    for (const char* folder : {"lib", "cli", "tests"}) {
        for (const SourceFile& file : source_files(folder, {".hpp"})) {
            INFO(file.path);
            CHECK(file.text.find("#pragma once") != file.text.npos);
        }
    }
}

TEST_CASE("every citation stands in docs/references.bib", "[house]") {
    const std::string references = read_file(SOURCE_FOLDER "/docs/references.bib");
    static const std::regex citation("\\[([A-Z][A-Za-z]+[0-9]{2}[a-z]?)[\\],; ]");
    for (const SourceFile& file : library()) {
        for (std::sregex_iterator match(file.text.begin(), file.text.end(), citation), end; match != end;
             ++match) {
            INFO(file.path << " cites " << (*match)[1]);
            const bool listed = references.find("{" + (*match)[1].str() + ",") != references.npos;
            CHECK(listed);
        }
    }
}

TEST_CASE("comments and literals are not code", "[house]") {
    CHECK(code_of("a; // exit()\nb") == "a;          \nb");
    CHECK(code_of("f(\"exit(\\\"\", 'x') /* y */ z") == "f(         ,    )         z");
    CHECK(code_of("1'000'000 + x") == "1'000'000 + x");
    CHECK(code_of("R\"(exit())\" + 1") == "            + 1");
    CHECK(includes_of("#include <a/b.hpp>\n // #include <no>\n#include \"c.hpp\"") ==
          std::vector<std::string>{"a/b.hpp", "c.hpp"});
}
