// Headers are complete by themselves: what the consumer's build, which precompiles the standard headers,
// can't see.
#include "house/sources.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace traincost::test {
namespace {

/// Names of the standard library and the headers any of which is enough for them.
struct StandardNames {
    std::string_view names;
    std::string_view headers;
};

constexpr StandardNames homes[] = {
    {"string to_string", "string"},
    {"string_view", "string_view string"},
    {"vector", "vector"},
    {"array", "array"},
    {"span", "span"},
    {"list", "list"},
    {"map multimap", "map"},
    {"set", "set"},
    {"unordered_map", "unordered_map"},
    {"tuple", "tuple"},
    {"optional nullopt", "optional"},
    {"variant monostate holds_alternative get_if visit", "variant"},
    {"function equal_to", "functional"},
    {"less hash", "functional map set string"},
    {"unique_ptr shared_ptr make_unique make_shared", "memory"},
    {"int8_t int32_t int64_t uint8_t uint32_t uint64_t", "cstdint"},
    {"size_t ptrdiff_t", "cstddef string string_view vector array span"},
    {"pair", "utility map"},
    {"move forward exchange", "utility"},
    {"initializer_list", "initializer_list string vector"},
    {"max min clamp sort find copy copy_if any_of all_of", "algorithm"},
    {"accumulate", "numeric"},
    {"numeric_limits", "limits"},
    {"true_type false_type decay_t remove_const_t remove_reference_t enable_if_t is_same_v is_enum_v",
     "type_traits"},
    {"same_as integral floating_point", "concepts"},
    {"chrono", "chrono"},
    {"mutex once_flag lock_guard", "mutex"},
    {"shared_mutex", "shared_mutex"},
    {"condition_variable", "condition_variable"},
    {"atomic", "atomic"},
    {"istream", "istream iosfwd"},
    {"ostream", "ostream iosfwd"},
    {"to_chars from_chars to_chars_result from_chars_result", "charconv"},
    {"endian countr_zero", "bit"},
    {"isfinite isnan sqrt log exp pow", "cmath"},
    {"memcpy", "cstring"},
    {"runtime_error", "stdexcept"},
    {"exception_ptr", "exception"},
};

std::vector<std::string> words(std::string_view text) {
    std::istringstream in{std::string(text)};
    return {std::istream_iterator<std::string>(in), {}};
}

/// The headers of each name; those that no line names are nobody's to check.
std::map<std::string, std::vector<std::string>> headers_of_names() {
    std::map<std::string, std::vector<std::string>> headers;
    for (const StandardNames& line : homes) {
        for (const std::string& name : words(line.names)) {
            headers[name] = words(line.headers);
        }
    }
    return headers;
}

/// The names that follow `std::` in code without comments and literals.
std::set<std::string> standard_names(std::string_view code) {
    constexpr std::string_view prefix = "std::";
    std::set<std::string> names;
    for (std::size_t at = code.find(prefix); at != code.npos; at = code.find(prefix, at)) {
        at += prefix.size();
        std::size_t end = at;
        while (end < code.size() &&
               (std::isalnum(static_cast<unsigned char>(code[end])) != 0 || code[end] == '_')) {
            ++end;
        }
        names.emplace(code.substr(at, end - at));
    }
    return names;
}

/// All that a header includes, itself or through headers of this project.
std::set<std::string> included_by(const std::string& name, const std::map<std::string, SourceFile>& headers) {
    std::set<std::string> all;
    std::vector<std::string> open{name};
    while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        const auto known = headers.find(next);
        if (known == headers.end()) {
            continue;
        }
        for (std::string& include : includes_of(known->second.text)) {
            if (all.insert(include).second) {
                open.push_back(std::move(include));
            }
        }
    }
    return all;
}

}  // namespace

TEST_CASE("a header includes the standard headers of the names it uses", "[house]") {
    std::map<std::string, SourceFile> headers;
    for (SourceFile& file : source_files("lib", {".hpp"})) {
        const std::string name = file.path.substr(std::string_view("lib/").size());
        headers.emplace(name, std::move(file));
    }
    const std::map<std::string, std::vector<std::string>> homes_of = headers_of_names();
    for (const auto& [name, file] : headers) {
        const std::set<std::string> included = included_by(name, headers);
        for (const std::string& used : standard_names(code_of(file.text))) {
            const auto known = homes_of.find(used);
            if (known == homes_of.end()) {
                continue;
            }
            INFO(file.path << ": std::" << used << " is of <" << known->second.front() << ">");
            CHECK(std::any_of(known->second.begin(), known->second.end(),
                              [&](const std::string& home) { return included.contains(home); }));
        }
    }
}

}  // namespace traincost::test
