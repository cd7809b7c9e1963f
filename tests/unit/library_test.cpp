#include <traincost/base/version.hpp>
#include <traincost/io/embedded.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <tuple>

using namespace traincost;

TEST_CASE("the version has three numbers", "[base]") {
    const std::string_view text = version();
    CHECK(std::count(text.begin(), text.end(), '.') == 2);
}

TEST_CASE("embedded files are sorted by room and id, without duplicates, and end in a zero byte", "[io]") {
    const auto files = embedded_files();
    for (std::size_t i = 1; i < files.size(); ++i) {
        CHECK(std::tuple(files[i - 1].room, files[i - 1].id) < std::tuple(files[i].room, files[i].id));
    }
    for (const EmbeddedFile& file : files) {
        CHECK(*(file.text.data() + file.text.size()) == '\0');
    }
}
