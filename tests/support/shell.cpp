#include "shell.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace traincost::test {

namespace {

std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return result + "'";
}

}  // namespace

std::string shell_output(const std::string& command) {
    const std::string script =
        "PATH=" + quoted(PROGRAM_FOLDER) + ":\"$PATH\"; export PATH; unset TRAINCOST_DATA; " + command;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
        popen(("sh -c " + quoted(script) + " 2>&1").c_str(), "r"), pclose);
    if (!pipe) {
        throw std::runtime_error("no shell");
    }
    std::string output;
    std::array<char, 4096> buffer{};
    while (const std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
        output.append(buffer.data(), n);
    }
    return output;
}

}  // namespace traincost::test
