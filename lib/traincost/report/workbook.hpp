// An estimate as a workbook whose formulas a spreadsheet program computes again: cells, not yet a file.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "traincost/cost/estimate.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

enum class CellFormat { plain, bold, grey, input };

std::string_view to_string(CellFormat format);

/// A formula as a spreadsheet program reads it, "=B1+B2", and what it results in.
struct CellFormula {
    std::string formula;
    double result;
};

struct WorkbookCell {
    int row;     ///< from 0
    int column;  ///< from 0
    std::variant<std::string, double, CellFormula> value;
    CellFormat format = CellFormat::plain;
};

struct WorkbookSheet {
    std::string name;
    std::vector<double> widths;  ///< of the first columns, in characters; the others are as wide as usual
    std::vector<WorkbookCell> cells;
};

struct Workbook {
    std::vector<WorkbookSheet> sheets;
};

/// The sheets Input, Memory, Step, Results and Output. Every term of memory and step is a live formula of the
/// symbols beside it; totals are sums of the terms, and rates and days follow from them. Output holds the
/// seconds of a timeline where 'timeline --from' looks for them.
Workbook workbook_of(const Job& job, const Estimate& estimate);

/// {"schema_version": 1, "sheets": [{"name", "widths", "cells": [{"row", "column", "format", "text" |
/// "number" | "formula" and "number"}]}]}: rows and columns from 0, formulas with their "=".
void write_json(JsonWriter& out, const Workbook& workbook);

}  // namespace traincost
