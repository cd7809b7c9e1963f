// The project's own files, as text, for the tests that hold them to the rules of the house.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace traincost::test {

/// One source file: `path` from the root of the project, with slashes.
struct SourceFile {
    std::string path;
    std::string text;
};

/// The files below `folder` (from the root of the project) with one of `extensions`, sorted by path.
std::vector<SourceFile> source_files(const std::string& folder, const std::set<std::string>& extensions);

/// `text` with comments and the contents of string and character literals blanked out; line numbers stay.
std::string code_of(std::string_view text);

/// What `text` includes: "traincost/base/text.hpp" for `#include <traincost/base/text.hpp>`.
std::vector<std::string> includes_of(std::string_view text);

/// The headers and private files that lib/CMakeLists.txt lists, as paths from the root of the project.
struct ListedFiles {
    std::set<std::string> public_headers;
    std::set<std::string> all;
};
ListedFiles listed_files();

}  // namespace traincost::test
