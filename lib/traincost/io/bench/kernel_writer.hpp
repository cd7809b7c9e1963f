// Kernel and link data as the files that hold them: what `calibrate` writes for --data.
#pragma once

#include <string>

#include "traincost/io/bench/kernel_data.hpp"
#include "traincost/io/bench/network_data.hpp"

namespace traincost {

/// What `gemm_data_from_json` reads back, to four significant digits.
std::string gemm_data_json(const GemmData& data);

/// What `link_record_from_json` reads back, to four significant digits.
std::string link_record_json(const LinkRecord& record);

}  // namespace traincost
