// Questions in JSON, answered in JSON.
#pragma once

#include <string>
#include <string_view>

namespace traincost {

/// The answer to a question as traincost.h describes both. Never throws for what the question says: an error
/// is an answer.
std::string answer_json(std::string_view question);

}  // namespace traincost
