#include <cli/sheet_reader.hpp>
#include <traincost/base/error.hpp>
#include <traincost/io/json.hpp>

#include <zlib.h>
#include <pugixml.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace traincost::cli {

namespace {

/// A file of a zip archive, by its central directory [APPNOTE 6.3.9, §4.3].
class Archive {
public:
    explicit Archive(const std::string& file) : file_(file), bytes_(read_text_file(file)) {
        constexpr std::size_t tail = 22;  // of an end record without a comment
        if (bytes_.size() < tail)
            fail("is no spreadsheet (.xlsx)");
        std::size_t end = bytes_.size() - tail;
        while (number(end, 4) != 0x06054b50U) {
            if (end == 0)
                fail("is no spreadsheet (.xlsx)");
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

    /// The contents of an entry.
    std::string contents(const std::string& name) const {
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
        const std::string_view data =
            text(local + 30 + number(local + 26, 2) + number(local + 28, 2), packed);
        return method == 0 ? std::string(data) : inflated(data, size);
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(ErrorKind::input, file_ + ": " + what);
    }

private:
    std::string_view text(std::size_t at, std::size_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at)
            fail("is damaged");
        return std::string_view(bytes_).substr(at, size);
    }

    /// A number of 2 or 4 bytes, the lowest first.
    std::uint32_t number(std::size_t at, std::size_t size) const {
        const std::string_view raw = text(at, size);
        std::uint32_t x = 0;
        for (std::size_t i = size; i-- > 0;)
            x = x << 8U | static_cast<unsigned char>(raw[i]);
        return x;
    }

    std::string inflated(std::string_view data, std::size_t size) const {
        std::string out(size, '\0');
        z_stream stream{};
        std::string in(data);
        stream.next_in = reinterpret_cast<Bytef*>(in.data());
        stream.avail_in = static_cast<uInt>(in.size());
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        const bool ready = inflateInit2(&stream, -MAX_WBITS) == Z_OK;
        const int end = ready ? inflate(&stream, Z_FINISH) : Z_DATA_ERROR;
        inflateEnd(&stream);
        if (end != Z_STREAM_END)
            fail("is damaged");
        return out;
    }

    std::string file_;
    std::string bytes_;
    std::map<std::string, std::size_t> entries_;
};

pugi::xml_document parsed(const Archive& archive, const std::string& entry) {
    pugi::xml_document document;
    const std::string text = archive.contents(entry);
    if (!document.load_buffer(text.data(), text.size()))
        archive.fail(entry + " cannot be read");
    return document;
}

/// The entry that holds the sheet.
std::string entry_of(const Archive& archive, const std::string& sheet) {
    const pugi::xml_document book = parsed(archive, "xl/workbook.xml");
    std::string names;
    for (const pugi::xml_node node : book.child("workbook").child("sheets").children("sheet")) {
        if (node.attribute("name").value() != sheet) {
            names += (names.empty() ? "" : ", ") + std::string(node.attribute("name").value());
            continue;
        }
        const pugi::xml_document links = parsed(archive, "xl/_rels/workbook.xml.rels");
        for (const pugi::xml_node link : links.child("Relationships").children("Relationship")) {
            if (std::string_view(link.attribute("Id").value()) != node.attribute("r:id").value())
                continue;
            const std::string target = link.attribute("Target").value();
            return target.starts_with('/') ? target.substr(1) : "xl/" + target;
        }
    }
    archive.fail("has no sheet '" + sheet + "'; sheets: " + names);
}

}  // namespace

std::map<std::string, double> sheet_numbers(const std::string& file, const std::string& sheet) {
    const Archive archive(file);
    const pugi::xml_document document = parsed(archive, entry_of(archive, sheet));
    std::map<std::string, double> numbers;
    for (const pugi::xml_node row : document.child("worksheet").child("sheetData").children("row")) {
        for (const pugi::xml_node cell : row.children("c")) {
            const std::string_view type = cell.attribute("t").value();
            if (cell.child("v") && (type.empty() || type == "n"))
                numbers[cell.attribute("r").value()] = cell.child("v").text().as_double();
        }
    }
    return numbers;
}

}  // namespace traincost::cli
