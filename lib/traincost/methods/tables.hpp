// Rows of the tables that published calculators have, looked up by name. Internal to methods/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

/// A name without what people leave out of it: case, spaces, hyphens.
inline std::string plain_name(std::string_view name) {
    std::string out;
    for (const char c : lower(name)) {
        if (c != ' ' && c != '-' && c != '_') {
            out += c;
        }
    }
    return out;
}

/// The row whose `name` that is. `Error` of kind not_found with the nearest and all names; `what` is said of
/// them: "GPU".
template <class Table>
const auto& method_row(const Table& table, std::string_view name, const std::string& what) {
    std::vector<std::string_view> names;
    std::string allowed;
    for (const auto& row : table) {
        if (plain_name(row.name) == plain_name(name)) {
            return row;
        }
        names.push_back(row.name);
        allowed += (allowed.empty() ? "" : ", ") + std::string(row.name);
    }
    throw Error(ErrorKind::not_found, "unknown " + what + " '" + std::string(name) +
                                          "' of this method; allowed: " + allowed +
                                          did_you_mean(name, names));
}

}  // namespace traincost
