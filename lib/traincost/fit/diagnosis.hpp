// Why records of a source are not met: what it leaves unsaid, or what is not modelled.
#pragma once

#include <string>

namespace traincost {

struct Diagnosis {
    std::string source;   ///< of the records, as `SourcedRecord::source`
    std::string records;  ///< which of them, in words
    std::string cause;    ///< what is known of it
    std::string from;     ///< where that is from
};

}  // namespace traincost
