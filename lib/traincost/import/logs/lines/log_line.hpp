// The lines of a log: read in blocks, so that a file of any size takes the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

namespace traincost {

/// One line, or one repaint of a progress bar, as a person sees it: without line end, colour codes and NUL
/// bytes, with blanks for those that pages keep together.
struct LogLine {
    std::int64_t number = 0;  ///< counted from 1 by line feeds; repaints of one line share its number
    std::string_view text{};  ///< valid until the next line is read
    bool ended = true;        ///< false: the file ends here without a line end, so the line may be cut off
};

/// Reads a stream line by line. Line feeds and carriage returns both end a line. Memory: one block of 1 MiB.
class LogLines {
public:
    explicit LogLines(std::istream& in);

    /// The next line that is not empty; false at the end of the stream.
    bool next(LogLine& line);

    /// What stands ahead in memory: at the beginning, the first block.
    std::string_view ahead();

    /// Bytes read so far.
    std::int64_t bytes() const {
        return bytes_;
    }
    /// Bytes that are no text: control characters other than tabs, line ends and colour codes.
    std::int64_t junk_bytes() const {
        return junk_;
    }
    /// The first line with such bytes; 0: none.
    std::int64_t junk_line() const {
        return junk_line_;
    }
    /// Lines longer than a block, of which only the beginning was read.
    std::int64_t long_lines() const {
        return long_lines_;
    }

private:
    bool fill();
    std::size_t line_end(std::uint8_t& marks) const;
    std::string_view plain(std::string_view text, std::uint8_t marks);

    std::istream& in_;
    std::string block_;
    std::size_t begin_ = 0;  ///< of what is not read yet
    std::size_t end_ = 0;
    std::string scratch_;  ///< a line without its colour codes
    std::int64_t number_ = 1;
    std::int64_t bytes_ = 0;
    std::int64_t junk_ = 0;
    std::int64_t junk_line_ = 0;
    std::int64_t long_lines_ = 0;
    bool skipping_ = false;  ///< inside a line longer than a block
};

/// `text` without ANSI escape sequences, also where the escape character itself was lost on the way ("[32m").
/// Writes into `scratch` only where there is something to remove.
std::string_view without_colours(std::string_view text, std::string& scratch);

}  // namespace traincost
