#include <cli/app.hpp>
#include <cli/context.hpp>
#include <cli/terminal.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <streambuf>

namespace {

// The standard output, buffered; remembers why a write failed, which std::cout does not.
class StandardOutput : public std::streambuf {
public:
    StandardOutput() {
        setp(buffer_.data(), buffer_.data() + buffer_.size());
    }
    // 0, or the errno of the first write that failed.
    int error() const {
        return error_;
    }

protected:
    int_type overflow(int_type c) override {
        if (sync() != 0) {
            return traits_type::eof();
        }
        if (!traits_type::eq_int_type(c, traits_type::eof())) {
            *pptr() = traits_type::to_char_type(c);
            pbump(1);
        }
        return traits_type::not_eof(c);
    }
    int sync() override {
        const auto size = static_cast<std::size_t>(pptr() - pbase());
        setp(buffer_.data(), buffer_.data() + buffer_.size());
        errno = 0;
        const bool written = std::fwrite(buffer_.data(), 1, size, stdout) == size && std::fflush(stdout) == 0;
        if (!written && error_ == 0) {
            error_ = errno != 0 ? errno : EIO;
        }
        return error_ == 0 ? 0 : -1;
    }

private:
    std::array<char, 1 << 16> buffer_;
    int error_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);
#endif
    StandardOutput output;
    std::ostream out(&output);
    const std::vector<std::string> args(argv + 1, argv + argc);
    const int exit_code =
        traincost::cli::run(args, std::cin, out, std::cerr, traincost::cli::style_of_standard_output());
    out.flush();
    if (output.error() == EPIPE) {
        return traincost::cli::exit_yes;  // `traincost list | head -1` has what it wants
    }
    if (output.error() != 0) {
        std::cerr << "traincost: error: standard output cannot be written\n";
        return traincost::cli::exit_internal;
    }
    return exit_code;
}
