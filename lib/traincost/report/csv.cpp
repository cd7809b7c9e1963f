#include "traincost/report/csv.hpp"

namespace traincost {

namespace {

std::string quoted(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == text.npos) {
        return std::string(text);
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    return out + '"';
}

std::string value_of(const Cell& cell) {
    if (cell == empty_cell()) {
        return "";
    }
    return cell.exact.empty() ? cell.text : cell.exact;
}

/// The unit that all cells of a column share; empty where there is none or they differ.
std::string column_unit(const Table& table, std::size_t column) {
    std::string unit;
    for (const std::vector<Cell>& row : table.rows) {
        if (column >= row.size() || row[column] == empty_cell()) {
            continue;
        }
        if (row[column].unit.empty() || (!unit.empty() && unit != row[column].unit)) {
            return "";
        }
        unit = row[column].unit;
    }
    return unit;
}

std::string one_table(const Table& table) {
    std::string out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const std::string unit = column_unit(table, c);
        out += (c == 0 ? "" : ",") + quoted(table.columns[c] + (unit.empty() ? "" : " [" + unit + "]"));
    }
    out += '\n';
    for (const std::vector<Cell>& row : table.rows) {
        for (std::size_t c = 0; c < table.columns.size(); ++c) {
            out += (c == 0 ? "" : ",") + (c < row.size() ? quoted(value_of(row[c])) : std::string());
        }
        out += '\n';
    }
    return out;
}

}  // namespace

std::string to_csv(std::span<const Table> tables) {
    if (tables.size() == 1 && !tables.front().columns.empty()) {
        return one_table(tables.front());
    }
    std::string out = "table,row,column,value,unit\n";
    for (const Table& table : tables) {
        for (const std::vector<Cell>& row : table.rows) {
            for (std::size_t c = 1; c < row.size(); ++c) {
                const std::string column = c < table.columns.size() ? table.columns[c] : "";
                out += quoted(table.title) + ',' + quoted(value_of(row.front())) + ',' + quoted(column) +
                       ',' + quoted(value_of(row[c])) + ',' + quoted(row[c].unit) + '\n';
            }
        }
    }
    return out;
}

}  // namespace traincost
