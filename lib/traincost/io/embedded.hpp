// The data files built into the library.
#pragma once

#include <span>
#include <string_view>

namespace traincost {

/// One JSON or Python file of the `data/` folder, as it was when the library was built.
struct EmbeddedFile {
    std::string_view room;  ///< its folder below data/: "models", "accelerators", …
    std::string_view id;    ///< its name, without ".json"
    std::string_view text;  ///< its bytes; a zero byte follows the last
};

/// Every embedded file, sorted by (room, id). The memory is static and read-only.
std::span<const EmbeddedFile> embedded_files();

}  // namespace traincost
