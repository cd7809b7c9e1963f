#include "traincost/import/logs/lines/log_line.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "traincost/import/logs/lines/log_scan.hpp"

namespace traincost {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;
constexpr char escape = '\x1b';

/// The end of the escape sequence that begins at `at`.
std::size_t escape_end(std::string_view text, std::size_t at) {
    std::size_t i = at + 1;
    if (i >= text.size()) {
        return i;
    }
    if (text[i] == ']') {  // an operating system command: up to BEL or another escape
        while (i < text.size() && text[i] != '\a' && text[i] != escape) {
            ++i;
        }
        return std::min(i + 1, text.size());
    }
    if (text[i] != '[') {
        return i + 1;
    }
    for (++i; i < text.size(); ++i) {
        if (text[i] >= '@' && text[i] <= '~') {
            return i + 1;
        }
    }
    return i;
}

/// The end of a colour code whose escape character is lost, or `at` where there is none: "[", digits, "m".
std::size_t bare_colour_end(std::string_view text, std::size_t at) {
    std::size_t i = at + 1;
    while (i < text.size() && (is_decimal_digit(text[i]) || text[i] == ';')) {
        ++i;
    }
    return i < text.size() && text[i] == 'm' && i > at + 1 ? i + 1 : at;
}

/// Where `text` ends without the escape character of a colour code that follows, as JSON, shells and editors
/// write it.
std::size_t end_without_escape(std::string_view text) {
    constexpr std::array<std::string_view, 10> written = {
        "\\u001b", "\\u001B", "\\x1b",        "\\x1B",        "\\033",
        "\\e",     "^[",      "\xef\xbf\xbd", "\xe2\x86\x90", "\xe2\x90\x9b"};
    for (const std::string_view escaped : written) {
        if (text.ends_with(escaped)) {
            return text.size() - escaped.size();
        }
    }
    return text.size();
}

/// Makes blanks of the no-break spaces, of two bytes, that a text copied from a page has.
void loosen_blanks(char* text, std::size_t size) {
    constexpr char lead = '\xc2';
    constexpr char no_break = '\xa0';
    char* const end = text + size;
    for (char* at = text; at < end; ++at) {
        at = static_cast<char*>(std::memchr(at, lead, static_cast<std::size_t>(end - at)));
        if (at == nullptr) {
            return;
        }
        if (at + 1 < end && at[1] == no_break) {
            at[0] = at[1] = ' ';
        }
    }
}

constexpr std::uint8_t has_colour = 1;  ///< an escape character or a bracket
constexpr std::uint8_t has_junk = 2;

/// What a byte asks for.
constexpr std::array<std::uint8_t, 256> byte_marks = [] {
    std::array<std::uint8_t, 256> marks{};
    for (std::size_t c = 0; c < 0x20; ++c) {
        marks[c] = has_junk;
    }
    for (const char c : {'\t', '\a', '\b', '\f', '\v'}) {
        marks[static_cast<unsigned char>(c)] = 0;
    }
    marks[static_cast<unsigned char>(escape)] = has_colour;
    marks['['] = has_colour;
    return marks;
}();

bool is_junk(char c) {
    return byte_marks[static_cast<unsigned char>(c)] == has_junk;
}

constexpr std::uint64_t tops = 0x8080808080808080U;

/// The top bit of each of eight bytes that is nought.
std::uint64_t noughts(std::uint64_t bytes) {
    return ~(((bytes & eight_of(0x7f)) + eight_of(0x7f)) | bytes) & tops;
}

/// The top bits of those of eight bytes that are a control character, no tab, or an opening bracket.
std::uint64_t marked_of_eight(const char* text) {
    const std::uint64_t bytes = eight_at(text);
    const std::uint64_t controls = ~(((bytes & eight_of(0x7f)) + eight_of(0x60)) | bytes) & tops;
    const std::uint64_t tabs = controls == 0 ? 0 : noughts(bytes ^ eight_of('\t'));
    return (controls & ~tabs) | noughts(bytes ^ eight_of('['));
}

/// Which of eight bytes is the first whose top bit is set; one is.
std::size_t first_of_eight(std::uint64_t bits) {
    const int before =
        std::endian::native == std::endian::little ? std::countr_zero(bits) : std::countl_zero(bits);
    return static_cast<std::size_t>(before) / 8;
}

/// The next position from `from` where something has to be looked at; the size of `text` where nothing has.
std::size_t next_marked(std::string_view text, std::size_t from) {
    for (; from + 8 <= text.size(); from += 8) {
        if (const std::uint64_t marked = marked_of_eight(text.data() + from); marked != 0) {
            return from + first_of_eight(marked);
        }
    }
    while (from < text.size() && byte_marks[static_cast<unsigned char>(text[from])] == 0) {
        ++from;
    }
    return from;
}

/// The next position from `from` where something may have to be removed; the size of `text` where nothing
/// has.
std::size_t next_mark(std::string_view text, std::size_t from) {
    std::size_t at = next_marked(text, from);
    while (at < text.size() && text[at] != escape && text[at] != '[') {
        at = next_marked(text, at + 1);
    }
    return at;
}

}  // namespace

std::string_view without_colours(std::string_view text, std::string& scratch) {
    std::size_t kept = 0;
    bool changed = false;
    for (std::size_t at = next_mark(text, 0); at < text.size();) {
        const std::size_t end = text[at] == escape ? escape_end(text, at) : bare_colour_end(text, at);
        if (end == at) {
            at = next_mark(text, at + 1);
            continue;
        }
        if (!changed) {
            scratch.clear();
            changed = true;
        }
        const std::string_view before = text.substr(kept, at - kept);
        scratch.append(before.substr(0, text[at] == escape ? before.size() : end_without_escape(before)));
        kept = end;
        at = next_mark(text, end);
    }
    if (!changed) {
        return text;
    }
    scratch.append(text.substr(kept));
    return scratch;
}

LogLines::LogLines(std::istream& in) : in_(in), block_(block_bytes, '\0') {
}

bool LogLines::fill() {
    if (begin_ > 0) {
        std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    in_.read(block_.data() + end_, static_cast<std::streamsize>(block_.size() - end_));
    const auto got = static_cast<std::size_t>(in_.gcount());
    const std::size_t from = end_ - std::min<std::size_t>(end_, 1);  // a character may be cut in two
    end_ += got;
    loosen_blanks(block_.data() + from, end_ - from);
    bytes_ += static_cast<std::int64_t>(got);
    return got > 0;
}

std::string_view LogLines::ahead() {
    if (begin_ == end_) {
        fill();
    }
    return {block_.data() + begin_, end_ - begin_};
}

/// What a person sees of a line.
std::string_view LogLines::plain(std::string_view text, std::uint8_t marks) {
    if ((marks & has_junk) != 0) {
        std::string kept;
        std::copy_if(text.begin(), text.end(), std::back_inserter(kept), [](char c) { return !is_junk(c); });
        junk_ += static_cast<std::int64_t>(text.size() - kept.size());
        junk_line_ = junk_line_ == 0 ? number_ : junk_line_;
        std::string scratch;
        scratch_ = std::string(without_colours(kept, scratch));
        return scratch_;
    }
    return (marks & has_colour) != 0 ? without_colours(text, scratch_) : text;
}

/// Where the line that begins at `begin_` ends, at a line feed, at a carriage return, or at `end_`, and what
/// its bytes ask for: eight at a time where they ask for nothing.
std::size_t LogLines::line_end(std::uint8_t& marks) const {
    const std::string_view text(block_.data(), end_);
    std::size_t at = next_marked(text, begin_);
    while (at < end_ && text[at] != '\n' && text[at] != '\r') {
        marks |= byte_marks[static_cast<unsigned char>(text[at])];
        at = next_marked(text, at + 1);
    }
    return at;
}

bool LogLines::next(LogLine& line) {
    for (;;) {
        std::uint8_t marks = 0;
        std::size_t end = line_end(marks);
        const bool found = end < end_;
        if (!found && end_ - begin_ < block_.size()) {
            if (fill()) {
                continue;
            }
            end = end_;  // what is left was moved to the front
        }
        if (begin_ == end_) {
            return false;
        }
        const bool too_long = !found && end_ - begin_ == block_.size();
        const std::string_view text(block_.data() + begin_, end - begin_);
        const bool tail = skipping_;  // of a line whose beginning was read
        skipping_ = too_long;
        long_lines_ += too_long && !tail ? 1 : 0;
        line = {.number = number_,
                .text = tail ? std::string_view() : plain(text, marks),
                .ended = found || too_long};
        number_ += found && block_[end] == '\n' ? 1 : 0;
        begin_ = end + (found ? 1 : 0);
        if (!line.text.empty()) {
            return true;
        }
    }
}

}  // namespace traincost
