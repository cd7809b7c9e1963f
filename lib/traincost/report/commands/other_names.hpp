// Options by the names they have elsewhere: --batch-size, --seq-len, --fsdp.
#pragma once

#include <string>
#include <string_view>

namespace traincost {

/// "--global-batch" of "--batch-size", "--zero 3" of "--fsdp": what is said here, with a value where the name
/// alone says it; empty for other words. Case and underscores do not matter.
std::string option_meant_by(std::string_view word);

}  // namespace traincost
