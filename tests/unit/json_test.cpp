#include <traincost/io/json.hpp>
#include <traincost/io/json_writer.hpp>

#include <catch2/catch.hpp>

#include <limits>

using namespace traincost;

namespace {

/// The message of the error that parsing `text` must raise.
std::string refusal(const std::string& text, const JsonLimits& limits = {}) {
    try {
        parse_json(text, "f.json", limits);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::input);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    return "no error";
}

template <class Use>
std::string complaint(const std::string& text, Use use) {
    const JsonDocument document = parse_json(text, "f.json");
    try {
        use(JsonNode(document));
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("JSON keeps the order of members and tells whole numbers from others", "[io]") {
    const JsonDocument d = parse_json(R"({"b": 1, "a": [1.5, "x", null, true]})", "f.json");
    REQUIRE(d.root.object() != nullptr);
    CHECK(d.root.object()->at(0).key == "b");
    CHECK(std::get<std::int64_t>(d.root.find("b")->data) == 1);
    const auto& a = *d.root.find("a")->array();
    CHECK(std::get<double>(a[0].data) == 1.5);
    CHECK(std::get<std::string>(a[1].data) == "x");
    CHECK(a[2].is_null());
    CHECK(std::get<bool>(a[3].data));
}

TEST_CASE("text that is not JSON is refused in one line with its place", "[io]") {
    CHECK(refusal("") == "f.json: empty; a JSON value is expected");
    CHECK(refusal(" \n\t ") == "f.json: empty; a JSON value is expected");
    CHECK(refusal(R"({"a": )") == "f.json: line 1, column 6: not valid JSON: the text ends too early");
    CHECK(refusal("{\"a\": 1,\n \"b\": }") == "f.json: line 2, column 7: not valid JSON: unexpected '}'");
    CHECK(refusal(R"({"a": NaN})").find("not valid JSON") != std::string::npos);
    CHECK(refusal(R"({"a": Infinity})").find("not valid JSON") != std::string::npos);
    CHECK(refusal(R"({"a": 1e999})").find("1e999 is too large for a number") != std::string::npos);
    CHECK(refusal(R"({"a": 1} 2)") == "f.json: line 1, column 10: not valid JSON: unexpected '2'");
    CHECK(refusal("{\"a\": \"\xff\"}").find("not valid JSON") != std::string::npos);
    CHECK(refusal(R"({"a": 18446744073709551615})") ==
          "f.json:/a: 18446744073709551615 is too large for a whole number");
}

TEST_CASE("a key that is given twice is refused with its place", "[io]") {
    CHECK(refusal(R"({"x": [{"a": 1, "b": 2, "a": 3}]})") == "f.json:/x/0/a: key 'a' is given twice");
    std::string many = "{";
    for (int i = 0; i < 100; ++i) {
        many += "\"k" + std::to_string(i) + "\": 0, ";
    }
    CHECK(refusal(many + "\"k7\": 1}") == "f.json:/k7: key 'k7' is given twice");
    CHECK(refusal(many + "\"z\": 1}") == "no error");
}

TEST_CASE("input too deep or too large is refused", "[io]") {
    CHECK(refusal(std::string(100000, '[')).find("nested more than 64 deep") != std::string::npos);
    CHECK(refusal("[1, 2, 3]", {.bytes = 4, .depth = 4}) == "f.json: 9 bytes; at most 4 are read");
    CHECK_THROWS_WITH(read_text_file("/"), "/: is a directory, not a file");
    CHECK_THROWS_WITH(read_text_file("no/such/file"), "no/such/file: no such file");
}

TEST_CASE("a value of the wrong type is refused with what it is and must be", "[io]") {
    CHECK(complaint(R"("x")", [](JsonNode n) { n.integer(); }) ==
          "f.json: the string 'x'; must be a whole number");
    CHECK(complaint("1.5", [](JsonNode n) { n.integer(); }) == "f.json: 1.5; must be a whole number");
    CHECK(complaint("-1", [](JsonNode n) { n.integer(0); }) == "f.json: -1; must be at least 0");
    CHECK(complaint("true", [](JsonNode n) { n.number(); }) == "f.json: true; must be a number");
    CHECK(complaint("1", [](JsonNode n) { n.boolean(); }) == "f.json: 1; must be true or false");
    CHECK(complaint("[]", [](JsonNode n) { JsonObject object(n); }) == "f.json: an array; must be an object");
    CHECK(complaint("{}", [](JsonNode n) { n.items(); }) == "f.json: an object; must be an array");
    constexpr std::string_view names[] = {"none", "selective", "full"};
    CHECK(complaint(R"("ful")", [&](JsonNode n) { n.one_of(names); }) ==
          "f.json: unknown value 'ful'; allowed: none, selective, full; did you mean 'full'?");
    CHECK(parse_json("4.096e3", "f").root.data.index() == 3);
    CHECK(JsonNode(parse_json("4.096e3", "f")).where() == "f");
}

TEST_CASE("an object refuses keys nobody reads and says which was missing", "[io]") {
    const auto read = [](JsonNode n) {
        JsonObject object(n);
        object.at("layers").integer(1);
        object.find("vocab");
        object.finish();
    };
    CHECK(complaint(R"({"layers": 2, "vocab": null})", read) == "no error");
    CHECK(complaint(R"({"layers": 2, "vocb": 3})", read) ==
          "f.json:/vocb: unknown key 'vocb'; did you mean 'vocab'?");
    CHECK(complaint(R"({"layrs": 2})", read) == "f.json: missing key 'layers' (did you mean it by 'layrs'?)");
    CHECK(complaint(R"({"layers": 0})", read) == "f.json:/layers: 0; must be at least 1");
}

TEST_CASE("a pointer escapes what JSON pointers escape", "[io]") {
    const JsonDocument d = parse_json(R"({"a/b~c": {"x": 1}})", "f.json");
    const JsonValue* inner = d.root.find("a/b~c")->find("x");
    CHECK(JsonNode(d, *inner).where() == "f.json:/a~1b~0c/x");
}

TEST_CASE("what is written reads back the same", "[io]") {
    JsonWriter out;
    out.begin_object();
    out.member("third", 1.0 / 3.0)
        .member("big", std::int64_t{9007199254740993})
        .member("text", "a\"\\\n\x01 é");
    out.array("list", std::vector<double>{1e-300, 2.5});
    out.key("empty").begin_array().end_array();
    out.member("absent", std::optional<double>{});
    out.end_object();
    const JsonDocument d = parse_json(out.text(), "out");
    CHECK(std::get<double>(d.root.find("third")->data) == 1.0 / 3.0);
    CHECK(std::get<std::int64_t>(d.root.find("big")->data) == 9007199254740993);
    CHECK(std::get<std::string>(d.root.find("text")->data) == "a\"\\\n\x01 é");
    CHECK(std::get<double>(d.root.find("list")->array()->at(0).data) == 1e-300);
    CHECK(d.root.find("absent")->is_null());
    JsonWriter again;
    again.value(d.root);
    CHECK(parse_json(again.text(), "again").root == d.root);
    JsonWriter line(0);
    line.begin_object().member("a", 1).member("b", true).end_object();
    CHECK(line.text() == R"({"a": 1, "b": true})");
}

TEST_CASE("a number that is not finite is never written", "[io]") {
    JsonWriter out;
    CHECK_THROWS_AS(out.value(std::numeric_limits<double>::quiet_NaN()), Error);
    CHECK_THROWS_AS(out.value(std::numeric_limits<double>::infinity()), Error);
}

TEST_CASE("bytes that are not UTF-8 are written as a replacement character", "[io]") {
    JsonWriter out(0);
    out.value(std::string_view("a\xff"));
    CHECK(out.text() == "\"a\\ufffd\"");
}
