// The page docs/accuracy.md.
#pragma once

#include <span>
#include <string>

#include "traincost/fit/validate.hpp"

namespace traincost {

/// Errors by table, stack, accelerator and file, the worst records with what their sources leave open, and
/// what could not be evaluated, as one Markdown page.
std::string accuracy_page(const Validation& validation, std::span<const SourcedRecord> records);

}  // namespace traincost
