// The bytes of a file or a pipe. Texts are read by `read_text_file` of json.hpp; training logs as a stream.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>

namespace traincost::io {

/// `Error` of kind input where the file is missing, a directory, unreadable or larger than `limit`, and for a
/// named pipe that nobody has opened for writing within a second.
std::string file_bytes(const std::string& path, std::size_t limit);

/// The same bytes one block after the other, however many. `Error` as above, when it is opened; a stream that
/// cannot be read further is bad.
std::unique_ptr<std::istream> file_stream(const std::string& path);

}  // namespace traincost::io
