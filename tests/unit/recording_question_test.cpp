// `timeline --from` without a command line: the reader of spreadsheets is handed in.

#include "traincost/ask/questions/recording_question.hpp"

#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "traincost/import/logs/sheet_archive.hpp"
#include "traincost/report/answers/timeline_answer.hpp"

using namespace traincost;

namespace {

const std::string csv = SOURCE_FOLDER "/tests/golden/benchmark.csv";

std::map<std::string, double> no_sheet(const std::string& /*file*/, const std::string& /*sheet*/) {
    throw Error(ErrorKind::internal, "no sheet is asked for");
}

/// `value` in that many bytes, the lowest first.
std::string bytes_of(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
        text += static_cast<char>(value >> (8 * i) & 0xFFU);
    return text;
}

/// A zip archive of one entry whose data are there as they are, as method 0 or 8.
std::string archive_of(const std::string& name, const std::string& data, std::uint32_t method) {
    const auto size = static_cast<std::uint32_t>(data.size());
    const auto length = static_cast<std::uint32_t>(name.size());
    const std::string both = bytes_of(method, 2) + std::string(4, '\0') + bytes_of(0, 4) + bytes_of(size, 4) +
                             bytes_of(size, 4) + bytes_of(length, 2) + bytes_of(0, 2);
    const std::string local = "PK\3\4" + bytes_of(20, 2) + bytes_of(0, 2) + both + name + data;
    const std::string record = "PK\1\2" + bytes_of(20, 2) + bytes_of(20, 2) + bytes_of(0, 2) + both +
                               bytes_of(0, 2) + bytes_of(0, 4) + bytes_of(0, 4) + bytes_of(0, 4) + name;
    return local + record + "PK\5\6" + bytes_of(0, 4) + bytes_of(1, 2) + bytes_of(1, 2) +
           bytes_of(static_cast<std::uint32_t>(record.size()), 4) +
           bytes_of(static_cast<std::uint32_t>(local.size()), 4) + bytes_of(0, 2);
}

}  // namespace

TEST_CASE("a recording answers with the iteration that was asked for", "[recording]") {
    const RecordingAnswer first = ask(RecordingQuestion{csv, "1"}, no_sheet);
    CHECK(first.picked == 0);
    REQUIRE(first.steps.size() > 1);
    const RecordingAnswer slowest = ask(RecordingQuestion{csv, "slowest"}, no_sheet);
    for (const RecordedStep& step : slowest.steps)
        CHECK(step.total <= slowest.steps[slowest.picked].total);
    CHECK_THROWS(ask(RecordingQuestion{csv, "99"}, no_sheet));
    CHECK_THAT(timeline_text(first, {.output = {.json = true}}, {}), Catch::Contains("\"iteration\": 1"));
    CHECK_THAT(timeline_text(first, {.output = {.svg = true}}, {}), Catch::Contains("<svg"));
}

TEST_CASE("a spreadsheet's step is made of the numbers of its sheet Output", "[recording]") {
    std::string asked;
    const auto sheet = [&](const std::string& file, const std::string& name) {
        asked = file + "!" + name;
        return std::map<std::string, double>{{"E1", 4.0}, {"G1", 1.0}, {"I1", 2.0}, {"K1", 3.0},
                                             {"M1", 4.0}, {"O1", 5.0}, {"Q1", 6.0}, {"S1", 16.0}};
    };
    const RecordingAnswer answer = ask(RecordingQuestion{"job.xlsx", "median"}, sheet);
    CHECK(asked == "job.xlsx!Output");
    CHECK(answer.steps.size() == 1);
    CHECK_THROWS_WITH(ask(RecordingQuestion{"job.txt", "median"}, sheet),
                      "'job.txt' has an unknown ending; allowed: .csv, .xlsx, .json");
}

TEST_CASE("the files in a spreadsheet are found by its directory", "[recording]") {
    const Inflate none = [](std::string_view, std::size_t) -> std::optional<std::string> {
        return std::nullopt;
    };
    const Inflate twice = [](std::string_view data, std::size_t) -> std::optional<std::string> {
        return std::string(data) + std::string(data);
    };
    const std::string stored = archive_of("xl/workbook.xml", "<workbook/>", 0);
    CHECK(SheetArchive("job.xlsx", stored).contents("xl/workbook.xml", none) == "<workbook/>");
    const SheetArchive deflated("job.xlsx", archive_of("a", "bc", 8));
    CHECK(deflated.contents("a", twice) == "bcbc");
    CHECK_THROWS_WITH(deflated.contents("a", none), "job.xlsx: is damaged");
    CHECK_THROWS_WITH(deflated.contents("b", twice), "job.xlsx: has no b");
    CHECK_THROWS_WITH(SheetArchive("job.xlsx", "PK nothing"), "job.xlsx: is not a spreadsheet (.xlsx)");
    CHECK_THROWS_WITH(SheetArchive("job.xlsx", std::string(100, ' ')),
                      "job.xlsx: is not a spreadsheet (.xlsx)");
    std::string cut = stored;
    cut.erase(20, 12);  // the directory is not where the end says
    CHECK_THROWS_WITH(SheetArchive("job.xlsx", cut), "job.xlsx: is damaged");
}

TEST_CASE("a spreadsheet that is cut or changed anywhere is read or refused with its name", "[recording]") {
    const Inflate none = [](std::string_view, std::size_t) -> std::optional<std::string> {
        return std::nullopt;
    };
    const std::string whole = archive_of("a", "content", 0);
    const auto refused = [&](const std::string& bytes) {
        try {
            SheetArchive("job.xlsx", bytes).contents("a", none);
            return false;
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::input);
            CHECK_THAT(error.what(), Catch::StartsWith("job.xlsx: "));
            return true;
        }
    };
    CHECK_FALSE(refused(whole));
    for (std::size_t i = 0; i < whole.size(); ++i) {
        CHECK(refused(whole.substr(0, i)));
        for (const char c : {'\0', '\x7f', '\xff'}) {
            std::string changed = whole;
            changed[i] = c;
            CHECK_NOTHROW(refused(changed));
        }
    }
}
