// The answer of `validate`, printed.
#pragma once

#include <string>

#include "traincost/ask/measured/validate_question.hpp"
#include "traincost/report/render.hpp"

namespace traincost {

/// As the view asks for. `format` is a name of `format_names`, looked at where tables are printed; `Error` of
/// kind usage where it is none.
std::string validate_text(const ValidateAnswer& answer, const ValidationView& view, const std::string& format,
                          const TextStyle& style);

}  // namespace traincost
