// Rows of a log that make up one line together: broken by terminals, folded by people, drawn by notebooks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "traincost/import/logs/lines/log_line.hpp"

namespace traincost {

/// How many columns the terminal had that broke the lines of `text`, wherever a word or a number stood; 0:
/// none did. It is the length of the longest rows, where many end amid words and go on in more than one way,
/// or where terminals often have so many.
std::size_t columns_of_rows(std::string_view text);

/// Puts rows together that a terminal of so many columns broke.
class LogRowJoiner {
public:
    explicit LogRowJoiner(std::size_t columns) : columns_(columns) {
    }

    /// Takes a row; the line that it completes, or that it shows to be complete.
    std::optional<LogLine> take(const LogLine& row);

    /// The line that is still open, at the end.
    std::optional<LogLine> end();

private:
    void begin(const LogLine& row);
    bool continues(const LogLine& row) const;

    std::size_t columns_;
    std::string open_{};      ///< rows of a line, so far
    std::string whole_{};     ///< the line handed out
    std::int64_t first_ = 0;  ///< the number of its first row
    std::int64_t last_ = 0;   ///< the number of its last row
    std::size_t lost_ = 0;    ///< blanks that its last row lost at its end
    bool ended_ = true;
    bool full_ = false;  ///< its last row goes to the edge
};

/// What a launcher puts before each row: before the first name of a Megatron line, and before its own date.
std::string row_prefix(std::string_view line);

/// A further row without the launcher's prefix; nothing where it has another.
std::optional<std::string_view> without_prefix(std::string_view row, std::string_view prefix);

/// What stands behind the last bar of a line: a name whose value follows in the next row.
std::string open_field(std::string_view line);

/// "Epoch 3: 100%": the head of a progress bar whose counts stand in the next row, as notebooks show it.
bool is_head_of_bar(std::string_view line);

/// "311/311 [00:13<00:00, 23.54it/s, v_num=422]"
bool is_rest_of_bar(std::string_view line);

}  // namespace traincost
