#include <cli/page_output.hpp>

#include <traincost/base/error.hpp>

#include <fstream>
#include <ostream>

namespace traincost::cli {

bool page_wanted(const OutputFlags& flags) {
    if (!flags.html && !flags.file.empty()) {
        throw Error(ErrorKind::usage, "--output: is for --format html; write other formats with '> FILE'");
    }
    return flags.html;
}

void write_page(const HtmlPage& page, const OutputFlags& flags, Context& context) {
    const std::string text = to_html(page);
    if (flags.file.empty() || flags.file == "-") {
        context.out << text;
        return;
    }
    std::ofstream out(flags.file, std::ios::binary);
    out << text;
    out.flush();
    if (!out) {
        throw Error(ErrorKind::input, "--output: " + flags.file + " cannot be written");
    }
    context.out << flags.file << ": " << (text.size() + 1023) / 1024 << " KiB\n";
}

}  // namespace traincost::cli
