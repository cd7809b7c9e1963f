// In place of workbook.cpp where the library that writes spreadsheets is not to be had.
#include "traincost/sheets/workbook_file.hpp"

#include "traincost/base/error.hpp"

namespace traincost {

void write_workbook(const std::string& /*file*/, const Workbook& /*workbook*/) {
    throw Error(ErrorKind::usage,
                "export sheet: this static build writes no spreadsheets; the packaged program does");
}

}  // namespace traincost
