#include <traincost/base/error.hpp>

#include <catch2/catch.hpp>

using namespace traincost;

TEST_CASE("an error keeps its kind and its message", "[error]") {
    const Error error(ErrorKind::not_found, "no model 'x'");
    CHECK(error.kind() == ErrorKind::not_found);
    CHECK(std::string(error.what()) == "no model 'x'");
    CHECK(error.problems() == std::vector<Problem>{{.path = "", .message = "no model 'x'"}});
}

TEST_CASE("problems are listed one a line, each with its path below the file", "[error]") {
    CHECK_NOTHROW(throw_if_any({}));
    try {
        throw_if_any({{.path = "/layers", .message = "is 0"}, {.path = "", .message = "is empty"}},
                     "model.json");
        FAIL("nothing was thrown");
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        CHECK(std::string(error.what()) == "model.json: /layers: is 0\nmodel.json: is empty");
    }
}

TEST_CASE("a message repeats the ends of a long value, not all of it", "[error]") {
    const std::string value(3000, 'x');
    const auto said = [](const std::string& message) {
        return std::string(Error(ErrorKind::usage, message).what());
    };
    CHECK(said("--format: '" + value + "' is not known; allowed: table, csv").size() < 300);
    CHECK(said("--format: '" + value + "' is not known; allowed: table, csv")
              .ends_with("' is not known; allowed: table, csv"));
    // An apostrophe after a letter quotes nothing, and what is short stays.
    const std::string words = "the stack's habit: " + std::string(300, 'y') + " of the model's 'layers'";
    CHECK(said(words) == words);
    CHECK(said("'a' and 'b' exclude '" + value + "'").starts_with("'a' and 'b' exclude 'xx"));
    CHECK(said("'" + std::string(300, 'z')) == "'" + std::string(300, 'z'));
}
