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
