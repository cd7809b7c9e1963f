#include "sources.hpp"

#include "support/transcript.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

namespace traincost::test {

namespace fs = std::filesystem;

std::vector<SourceFile> source_files(const std::string& folder, const std::set<std::string>& extensions) {
    const fs::path root = SOURCE_FOLDER;
    std::vector<SourceFile> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
        const bool fetched = entry.path().generic_string().find("/node_modules/") != std::string::npos;
        if (!fetched && entry.is_regular_file() && extensions.contains(entry.path().extension().string())) {
            files.push_back({.path = entry.path().lexically_relative(root).generic_string(),
                             .text = read_file(entry.path().string())});
        }
    }
    std::sort(files.begin(), files.end(),
              [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
    return files;
}

std::string code_of(std::string_view text) {
    std::string code(text);
    std::size_t i = 0;
    const auto blank_until = [&](std::size_t end) {
        for (end = std::min(end, code.size()); i < end; ++i) {
            if (code[i] != '\n') {
                code[i] = ' ';
            }
        }
    };
    const auto after = [&](std::string_view ending, std::size_t from) {
        const auto found = text.find(ending, from);
        return found == text.npos ? text.size() : found + ending.size();
    };
    while (i < text.size()) {
        const std::string_view rest = text.substr(i);
        if (rest.starts_with("//")) {
            blank_until(std::min(text.find('\n', i), text.size()));
        } else if (rest.starts_with("/*")) {
            blank_until(after("*/", i + 2));
        } else if (rest.starts_with("R\"")) {
            const auto open = text.find('(', i);
            blank_until(after(")" + std::string(text.substr(i + 2, open - i - 2)) + "\"", open));
        } else if (rest[0] == '"' ||
                   (rest[0] == '\'' && (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1]))))) {
            const char quote = rest[0];
            std::size_t end = i + 1;
            while (end < text.size() && text[end] != quote && text[end] != '\n') {
                end += text[end] == '\\' ? 2 : 1;
            }
            blank_until(end + 1);
        } else {
            ++i;
        }
    }
    return code;
}

std::vector<std::string> includes_of(std::string_view text) {
    static const std::regex pattern("^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]");
    std::vector<std::string> names;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_search(line, match, pattern)) {
            names.push_back(match[1]);
        }
    }
    return names;
}

ListedFiles listed_files() {
    ListedFiles listed;
    std::istringstream lines(read_file(SOURCE_FOLDER "/lib/CMakeLists.txt"));
    std::string room, list;
    for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            if (word.starts_with("room(")) {
                room = word.substr(5);
            } else if (word == ")") {
                room.clear();
            } else if (word == "NOUNS" || word == "HEADER_ONLY" || word == "PRIVATE") {
                list = word;
            } else if (!room.empty()) {
                const std::string path = "lib/traincost/" + room + "/" + word;
                if (list == "PRIVATE") {
                    listed.all.insert(path);
                } else {
                    listed.public_headers.insert(path + ".hpp");
                    listed.all.insert(path + ".hpp");
                }
                if (list == "NOUNS") {
                    listed.all.insert(path + ".cpp");
                }
            }
        }
    }
    // The rooms that are libraries of their own name their files.
    static const std::regex named("traincost/((?:serve|sheets)/[a-z_]+\\.[ch]pp)");
    const std::string text = read_file(SOURCE_FOLDER "/lib/CMakeLists.txt");
    for (std::sregex_iterator file(text.begin(), text.end(), named), end; file != end; ++file) {
        const std::string path = "lib/" + file->str();
        listed.all.insert(path);
        if (path.ends_with(".hpp")) {
            listed.public_headers.insert(path);
        }
    }
    for (const char* path :
         {"lib/traincost/serve/page_server.cpp", "lib/traincost/serve/page_server_absent.cpp",
          "lib/traincost/sheets/workbook_file.cpp", "lib/traincost/sheets/workbook_file_absent.cpp"}) {
        listed.all.insert(path);  // one of two, as the build has it
    }
    return listed;
}

}  // namespace traincost::test
