#include "traincost/sheets/sheet_reader.hpp"
#include "traincost/import/logs/sheet_archive.hpp"
#include "traincost/io/json.hpp"

#include <zlib.h>
#include <pugixml.hpp>

#include <optional>
#include <string_view>

namespace traincost {

namespace {

std::optional<std::string> inflated(std::string_view data, std::size_t size) {
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
        return std::nullopt;
    return out;
}

pugi::xml_document parsed(const SheetArchive& archive, const std::string& entry) {
    pugi::xml_document document;
    const std::string text = archive.contents(entry, inflated);
    if (!document.load_buffer(text.data(), text.size()))
        archive.fail(entry + " cannot be read");
    return document;
}

/// The entry that holds the sheet.
std::string entry_of(const SheetArchive& archive, const std::string& sheet) {
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
    const SheetArchive archive(file, read_text_file(file));
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

}  // namespace traincost
