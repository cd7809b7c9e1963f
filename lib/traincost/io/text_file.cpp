#include "traincost/io/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <streambuf>
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
            fail(path, "is a pipe that nothing writes to");
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

/// What opens a file: it is not a directory, and a pipe does not wait for a writer.
int opened(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        fail(path, errno == ENOENT || errno == ENOTDIR
                       ? std::string("no such file")
                       : std::string("cannot be opened: ") + std::strerror(errno));
    }
    return fd;
}

struct stat status_of(const Descriptor& file, const std::string& path) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) {
        fail(path, std::string("cannot be opened: ") + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode)) {
        fail(path, "is a directory, not a file");
    }
    return status;
}

class FileBuffer : public std::streambuf {
public:
    explicit FileBuffer(const std::string& path)
        : path_(path), file_(opened(path)), pipe_(S_ISFIFO(status_of(file_, path).st_mode)), block_(block) {
        fill();
    }

protected:
    int_type underflow() override {
        if (gptr() == egptr())
            fill();
        return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
    }

private:
    void fill() {
        const std::size_t n = read_some(file_, path_, pipe_, begun_, block_.data(), block_.size());
        begun_ = begun_ || n > 0;
        setg(block_.data(), block_.data(), block_.data() + n);
    }

    static constexpr std::size_t block = std::size_t{1} << 18;
    std::string path_;
    Descriptor file_;
    bool pipe_;
    bool begun_ = false;
    std::vector<char> block_;
};

class FileStream : public std::istream {
public:
    explicit FileStream(const std::string& path) : std::istream(nullptr), buffer_(path) {
        rdbuf(&buffer_);
    }

private:
    FileBuffer buffer_;
};

}  // namespace

std::string file_bytes(const std::string& path, std::size_t limit) {
    const Descriptor file(opened(path));
    const struct stat status = status_of(file, path);
    const std::string too_large = "more than " + std::to_string(limit) + " bytes, the limit";
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

std::unique_ptr<std::istream> file_stream(const std::string& path) {
    return std::make_unique<FileStream>(path);
}

}  // namespace traincost::io
