// `validate`: predictions held against measured runs, or models against measured kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "traincost/ask/measured/remark.hpp"
#include "traincost/ask/sources.hpp"
#include "traincost/fit/diagnosis.hpp"
#include "traincost/fit/kernels/kernel_errors.hpp"
#include "traincost/fit/left_out.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// What of a validation of runs is shown; words that are empty were not said.
struct ValidationView {
    bool json = false;
    bool rows = false;
    std::int64_t worst = 0;                ///< records with the largest errors; 0: none
    std::string group{};                   ///< "table", "source", "stack" or "accelerator"
    std::string report{};                  ///< "markdown"
    std::vector<std::string> residuals{};  ///< keys of records
};

struct ValidateQuestion {
    std::vector<std::string> files;
    std::string accelerator{};           ///< of kernels
    std::string metric{};                ///< the only one; empty: all
    std::vector<std::string> filters{};  ///< "KEY=VALUE"
    std::vector<std::string> leave{};    ///< "source", "stack", "accelerator", "settings"
    bool new_residuals = false;          ///< intervals from these records, whose table the answer holds
    ValidationView view{};
};

/// Rows that pass the filters.
struct ValidatedRuns {
    std::vector<SourcedRecord> records;
    Validation validation;
    std::optional<Metric> metric;
    std::vector<Diagnosis> diagnoses;  ///< where a report is asked for
};

/// Runs whose source has no say in their intervals.
struct ValidatedLeftOut {
    LeftOutKinds kinds;
    std::vector<LeftOutCoverage> coverage;
    std::optional<std::vector<LeftOutCoverage>> unstated;  ///< without their settings
    std::optional<std::vector<LeftOutMedians>> medians;    ///< without their source in any fit
};

struct ValidateAnswer {
    std::variant<ValidatedRuns, ValidatedLeftOut, KernelErrors> found;
    std::string residuals{};  ///< the table made anew, JSON; empty: not asked for
};

/// `Error` of kind usage where a word is not known or options exclude one another; of kind input where a file
/// cannot be read.
ValidateAnswer ask(const ValidateQuestion& question, const Sources& sources, const TakeRemark& remark);

}  // namespace traincost
