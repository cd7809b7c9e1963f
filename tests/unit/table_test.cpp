#include "traincost/report/render.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace traincost;
using namespace traincost::literals;

namespace {

Table example() {
    return {.title = "Memory",
            .columns = {"term", "size", "note"},
            .rows = {{text_cell("weights"), cell(12_GiB), text_cell("a, \"b\"")},
                     {text_cell("a|b"), cell(512_MiB)},
                     {text_cell("none"), empty_cell()}},
            .remarks = {"Two terms."}};
}

}  // namespace

TEST_CASE("text has numbers at the right and no trailing blanks", "[table]") {
    const Table table = example();
    CHECK(to_text({&table, 1}) ==
          "Memory\n"
          "term         size  note\n"
          "weights  12.0 GiB  a, \"b\"\n"
          "a|b       512 MiB\n"
          "none            -\n"
          "Two terms.\n");
}

TEST_CASE("text aligns by characters, not by bytes", "[table]") {
    CHECK(display_width("8×H100") == 6);
}

TEST_CASE("one table as CSV has base units in its titles and every digit", "[table]") {
    const Table table = example();
    CHECK(render({&table, 1}, Format::csv) ==
          "term,size [byte],note\n"
          "weights,12884901888,\"a, \"\"b\"\"\"\n"
          "a|b,536870912,\n"
          "none,,\n");
}

TEST_CASE("several tables as CSV are one line a cell", "[table]") {
    const std::vector<Table> tables = {
        {.title = "A", .columns = {"name", "time"}, .rows = {{text_cell("x"), cell(2_s)}}},
        {.title = "B", .columns = {}, .rows = {{text_cell("y"), percent_cell(0.5)}}}};
    CHECK(render(tables, Format::csv) ==
          "table,row,column,value,unit\n"
          "A,x,time,2,s\n"
          "B,y,,0.5,\n");
}

TEST_CASE("Markdown escapes bars and marks numbers", "[table]") {
    const Table table = example();
    CHECK(render({&table, 1}, Format::markdown) ==
          "### Memory\n\n"
          "| term | size | note |\n"
          "|---|---:|---|\n"
          "| weights | 12.0 GiB | a, \"b\" |\n"
          "| a\\|b | 512 MiB |  |\n"
          "| none | - |  |\n"
          "\nTwo terms.\n");
}

TEST_CASE("formats have names", "[table]") {
    CHECK(format_from("csv") == Format::csv);
    CHECK_FALSE(format_from("svg"));
}

namespace {

std::size_t widest_line(const std::string& text) {
    std::size_t widest = 0;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        widest = std::max(widest, display_width(std::string_view(text).substr(begin, end - begin)));
        begin = end + 1;
    }
    return widest;
}

Table wide_table(std::size_t columns) {
    Table table{
        .title = "A title that goes on for a while, so that it has to be wrapped on a narrow terminal",
        .columns = {"name"},
        .rows = {{text_cell("weights × gradients")}, {text_cell("a name of several words")}},
        .remarks = {"A remark that is longer than forty characters is wrapped too."}};
    for (std::size_t c = 1; c < columns; ++c) {
        table.columns.push_back("heading of two words");
        table.rows[0].push_back(cell(12_GiB));
        table.rows[1].push_back(cell(512_MiB));
    }
    return table;
}

}  // namespace

TEST_CASE("text is wrapped at spaces, and broken where there are none", "[table]") {
    CHECK(wrapped("one two three", 8) == std::vector<std::string>{"one two", "three"});
    CHECK(wrapped("it takes 13.1 s, then", 13) == std::vector<std::string>{"it takes", "13.1 s, then"});
    CHECK(wrapped("one 2 three", 5) == std::vector<std::string>{"one 2", "three"});
    CHECK(wrapped("one two", 7) == std::vector<std::string>{"one two"});
    CHECK(wrapped("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
    CHECK(wrapped("×××× ab", 2) == std::vector<std::string>{"××", "××", "ab"});
    CHECK(wrapped("meta-llama/Llama-3", 14) == std::vector<std::string>{"meta-llama/", "Llama-3"});
    CHECK(wrapped("", 10) == std::vector<std::string>{""});
}

TEST_CASE("no table is wider than its style says, however many columns it has", "[table]") {
    for (const std::size_t width : {40, 80, 120}) {
        for (const std::size_t columns : {1, 2, 3, 5, 9, 30}) {
            const Table table = wide_table(columns);
            CHECK(widest_line(to_text({&table, 1}, {.width = width})) <= width);
        }
    }
}

TEST_CASE("long cells take several lines, and what stands beside them does not move", "[table]") {
    const Table table{.columns = {"step", "seconds it takes", "why"},
                      .rows = {{text_cell("a"), cell(2_s), text_cell("because it has many words to say")},
                               {text_cell("b"), cell(3_s), text_cell("short")}}};
    CHECK(to_text({&table, 1}, {.width = 40}) ==
          "step  seconds it takes  why\n"
          "a               2.00 s  because it has\n"
          "                        many words to\n"
          "                        say\n"
          "b               3.00 s  short\n");
}

TEST_CASE("what follows the first line of an indented remark is indented further", "[table]") {
    const Table table{.remarks = {"  cluster: eight accelerators a node, as usual"}};
    CHECK(to_text({&table, 1}, {.width = 40}) ==
          "  cluster: eight accelerators a node, as\n"
          "    usual\n");
}

TEST_CASE("a table too wide for any wrapping is turned: a line a field", "[table]") {
    Table table{.columns = {"plan"}, .rows = {{text_cell("first")}}};
    for (int c = 0; c < 8; ++c) {
        table.columns.push_back("memory");
        table.rows[0].push_back(cell(12_GiB));
    }
    CHECK(to_text({&table, 1}, {.width = 40}).starts_with("plan    first\nmemory  12.0 GiB\n"));
}

TEST_CASE("colour adds codes around words, never characters", "[table]") {
    Table table{.columns = {"fits"}, .rows = {{text_cell("no")}}};
    table.rows[0][0].tone = Tone::bad;
    CHECK(to_text({&table, 1}, {.color = true}) == "\x1b[1mfits\x1b[0m\n\x1b[31mno\x1b[0m\n");
    CHECK(to_text({&table, 1}) == "fits\nno\n");
}
