#include "traincost/report/table.hpp"

#include <catch2/catch.hpp>

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
