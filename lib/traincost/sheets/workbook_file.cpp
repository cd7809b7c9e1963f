#include "traincost/sheets/workbook_file.hpp"
#include "traincost/base/error.hpp"

#include <xlsxwriter.h>

#include <array>
#include <memory>
#include <type_traits>

namespace traincost {

namespace {

struct Closer {
    void operator()(lxw_workbook* book) const {
        workbook_close(book);
    }
};

/// A format of each kind, by CellFormat; null where nothing differs.
std::array<lxw_format*, 4> formats_of(lxw_workbook* book) {
    lxw_format* bold = workbook_add_format(book);
    format_set_bold(bold);
    lxw_format* grey = workbook_add_format(book);
    format_set_font_color(grey, 0x666666);
    lxw_format* input = workbook_add_format(book);
    format_set_bg_color(input, 0xFFF2CC);
    return {nullptr, bold, grey, input};
}

void write_cell(lxw_worksheet* sheet, const WorkbookCell& cell, lxw_format* format) {
    const auto row = static_cast<lxw_row_t>(cell.row);
    const auto column = static_cast<lxw_col_t>(cell.column);
    std::visit(
        [&](const auto& value) {
            using Value = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Value, std::string>)
                worksheet_write_string(sheet, row, column, value.c_str(), format);
            else if constexpr (std::is_same_v<Value, double>)
                worksheet_write_number(sheet, row, column, value, format);
            else
                worksheet_write_formula_num(sheet, row, column, value.formula.c_str(), format, value.result);
        },
        cell.value);
}

}  // namespace

void write_workbook(const std::string& file, const Workbook& workbook) {
    std::unique_ptr<lxw_workbook, Closer> book(workbook_new(file.c_str()));
    const Error unwritable(ErrorKind::input, "export sheet: " + file + " cannot be written");
    if (!book)
        throw unwritable;
    const std::array<lxw_format*, 4> formats = formats_of(book.get());
    for (const WorkbookSheet& sheet : workbook.sheets) {
        lxw_worksheet* written = workbook_add_worksheet(book.get(), sheet.name.c_str());
        lxw_col_t column = 0;
        for (const double width : sheet.widths) {
            worksheet_set_column(written, column, column, width, nullptr);
            ++column;
        }
        for (const WorkbookCell& cell : sheet.cells)
            write_cell(written, cell, formats[static_cast<std::size_t>(cell.format)]);
    }
    if (workbook_close(book.release()) != LXW_NO_ERROR)
        throw unwritable;
}

}  // namespace traincost
