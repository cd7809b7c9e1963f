#include "traincost/io/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "traincost/base/error.hpp"

namespace traincost::io {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& message) {
    throw Error(ErrorKind::input, std::vector<Problem>{{.path = path, .message = message}});
}

/// Closes its file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    int get() const {
        return fd_;
    }

private:
    int fd_;
};

/// Reads up to `size` bytes; 0 at the end. A pipe is waited for while somebody may write into it: for a
/// second where nobody has yet, for ever where somebody has.
std::size_t read_some(const Descriptor& file, const std::string& path, bool pipe, bool begun, char* to,
                      std::size_t size) {
    constexpr int step_ms = 10;
    constexpr int patience_ms = 1000;
    for (int waited_ms = 0;;) {
        const ssize_t n = ::read(file.get(), to, size);
        if (n > 0 || (n == 0 && (!pipe || begun))) {
            return static_cast<std::size_t>(n);
        }
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno != EAGAIN) {
            fail(path, std::string("cannot be read: ") + std::strerror(errno));
        }
        if (n == 0 && waited_ms >= patience_ms) {
            fail(path, "is a pipe that nobody writes into");
        }
        // An open writer that is silent (n < 0) is waited for by poll; an absent one by the clock.
        pollfd wait{.fd = file.get(), .events = POLLIN, .revents = 0};
        ::poll(&wait, 1, n < 0 ? -1 : step_ms);
        if (n == 0) {
            if ((wait.revents & POLLHUP) != 0) {
                ::poll(nullptr, 0, step_ms);
            }
            waited_ms += step_ms;
        }
    }
}

}  // namespace

std::string file_bytes(const std::string& path, std::size_t limit) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (file.get() < 0) {
        fail(path, errno == ENOENT || errno == ENOTDIR
                       ? std::string("no such file")
                       : std::string("cannot be opened: ") + std::strerror(errno));
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        fail(path, std::string("cannot be opened: ") + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        fail(path, "is a directory; a file is expected");
    }
    const std::string too_large =
        "more than " + std::to_string(limit) + " bytes, which is the most that is read";
    std::string text;
    constexpr std::size_t block = std::size_t{1} << 16;
    if (S_ISREG(status.st_mode)) {
        if (status.st_size > 0 && static_cast<std::size_t>(status.st_size) > limit) {
            fail(path, too_large);
        }
        text.reserve(static_cast<std::size_t>(status.st_size) + block);
    }
    const bool pipe = S_ISFIFO(status.st_mode);
    for (std::size_t size = 0;;) {
        text.resize(size + block);
        const std::size_t n = read_some(file, path, pipe, size > 0, text.data() + size, block);
        size += n;
        if (size > limit) {
            fail(path, too_large);
        }
        if (n == 0) {
            text.resize(size);
            return text;
        }
    }
}

}  // namespace traincost::io
