// The page docs/accuracy.md.
#pragma once

#include <span>
#include <string>

#include "traincost/fit/diagnosis.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// Errors overall, by table of the field and by source, how honest probabilities are, the ten worst records,
/// and what is known of those that are not met, as one Markdown page.
std::string accuracy_page(const Validation& validation, std::span<const SourcedRecord> records,
                          std::span<const Diagnosis> diagnoses);

}  // namespace traincost
