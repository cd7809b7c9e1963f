// A file of data/bench/ that is no kernel's or network's: looked up by its id.
#pragma once

#include <string>
#include <string_view>

#include "traincost/io/catalogue.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

/// The bench file called `id`, the override folder's before the built-in one. `Error` of kind not_found where
/// there is none.
inline JsonDocument bench_file(const Catalogue& catalogue, std::string_view id) {
    for (const EmbeddedFile& file : catalogue.bench()) {
        if (file.id == id)
            return parse_json(file.text, "bench/" + std::string(id) + ".json");
    }
    throw Error(ErrorKind::not_found, "no data file named 'bench/" + std::string(id) + ".json'");
}

}  // namespace traincost
