#include "traincost/import/logs/sheet_archive.hpp"

#include <utility>

#include "traincost/base/error.hpp"

namespace traincost {

SheetArchive::SheetArchive(std::string file, std::string bytes)
    : file_(std::move(file)), bytes_(std::move(bytes)) {
    constexpr std::size_t tail = 22;  // of an end record without a comment
    if (bytes_.size() < tail)
        fail("is not a spreadsheet (.xlsx)");
    std::size_t end = bytes_.size() - tail;
    while (number(end, 4) != 0x06054b50U) {
        if (end == 0)
            fail("is not a spreadsheet (.xlsx)");
        --end;
    }
    std::size_t at = number(end + 16, 4);
    for (std::uint32_t i = number(end + 10, 2); i > 0; --i) {
        if (number(at, 4) != 0x02014b50U)
            fail("is damaged");
        const std::size_t name = number(at + 28, 2);
        entries_[std::string(text(at + 46, name))] = at;
        at += 46 + name + number(at + 30, 2) + number(at + 32, 2);
    }
}

std::string SheetArchive::contents(const std::string& name, const Inflate& inflate) const {
    const auto found = entries_.find(name);
    if (found == entries_.end())
        fail("has no " + name);
    const std::size_t at = found->second;
    const std::uint32_t method = number(at + 10, 2);
    const std::size_t packed = number(at + 20, 4);
    const std::size_t size = number(at + 24, 4);
    const std::size_t local = number(at + 42, 4);
    constexpr std::size_t largest = std::size_t{64} << 20;
    if (size > largest)
        fail("has a sheet of more than 64 MiB");
    const std::string_view data = text(local + 30 + number(local + 26, 2) + number(local + 28, 2), packed);
    if (method == 0)
        return std::string(data);
    std::optional<std::string> unpacked = inflate(data, size);
    if (!unpacked)
        fail("is damaged");
    return std::move(*unpacked);
}

void SheetArchive::fail(const std::string& what) const {
    throw Error(ErrorKind::input, file_ + ": " + what);
}

std::string_view SheetArchive::text(std::size_t at, std::size_t size) const {
    if (at > bytes_.size() || size > bytes_.size() - at)
        fail("is damaged");
    return std::string_view(bytes_).substr(at, size);
}

/// A number of 2 or 4 bytes, the lowest first.
std::uint32_t SheetArchive::number(std::size_t at, std::size_t size) const {
    const std::string_view raw = text(at, size);
    std::uint32_t x = 0;
    for (std::size_t i = size; i-- > 0;)
        x = x << 8U | static_cast<unsigned char>(raw[i]);
    return x;
}

}  // namespace traincost
