// The answer to a question that has none.
#pragma once

#include <string>
#include <vector>

#include "traincost/base/error.hpp"

namespace traincost {

/// {"error": {"kind": "usage", "problems": [{"path": "--tp", "message": "…"}]}}; a message that begins with
/// its flag gives it to the path.
std::string error_answer(ErrorKind kind, const std::vector<Problem>& problems);

}  // namespace traincost
