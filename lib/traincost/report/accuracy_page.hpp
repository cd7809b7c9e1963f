// The page docs/accuracy.md.
#pragma once

#include <span>
#include <string>

#include "traincost/fit/diagnosis.hpp"
#include "traincost/fit/validate.hpp"

namespace traincost {

/// Errors by table, stack, accelerator and file, the worst records with what their sources leave open, what
/// is known of those that are not met, and what could not be evaluated, as one Markdown page.
std::string accuracy_page(const Validation& validation, std::span<const SourcedRecord> records,
                          std::span<const Diagnosis> diagnoses);

}  // namespace traincost
