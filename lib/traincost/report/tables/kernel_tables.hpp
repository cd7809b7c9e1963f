// Measured kernels beside their models, printed.
#pragma once

#include <vector>

#include "traincost/ask/measured/kernel_calibration.hpp"
#include "traincost/fit/kernels/kernel_errors.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// Products by accelerator and format, collectives by accelerator; a table of each kind that there is.
std::vector<Table> kernel_error_tables(const KernelErrors& errors);

/// The errors of points held out, before and after a fit; or those of accelerators left out.
std::vector<Table> kernel_calibration_tables(const KernelCalibrationAnswer& answer);

/// The fits as one JSON object; transfers have none.
void write_json(JsonWriter& out, const KernelCalibrationAnswer& answer);

}  // namespace traincost
