// The bytes of a file or a pipe. Internal to io/; others call `read_text_file` of json.hpp.
#pragma once

#include <cstddef>
#include <string>

namespace traincost::io {

/// `Error` of kind input where the file is missing, a directory, unreadable or larger than `limit`, and for a
/// named pipe that nobody has opened for writing within a second.
std::string file_bytes(const std::string& path, std::size_t limit);

}  // namespace traincost::io
