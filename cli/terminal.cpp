#include <cli/terminal.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace traincost::cli {

namespace {

constexpr std::size_t narrowest = 80;
constexpr std::size_t widest = 1000;

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::optional<std::size_t> terminal_columns() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return std::nullopt;
    }
    return size.ws_col;
}

}  // namespace

std::optional<std::size_t> stated_columns(std::string_view text) {
    std::size_t columns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
    if (error != std::errc{} || end != text.data() + text.size() || columns == 0) {
        return std::nullopt;
    }
    return std::clamp(columns, narrowest, widest);
}

TextStyle style_of_standard_output() {
    TextStyle style;
    if (const auto stated = stated_columns(environment("COLUMNS"))) {
        style.width = *stated;
    } else if (const auto columns = terminal_columns()) {
        style.width = std::clamp(*columns, narrowest, widest);
    }
    style.color =
        isatty(STDOUT_FILENO) != 0 && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
    return style;
}

}  // namespace traincost::cli
