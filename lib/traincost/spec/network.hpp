#pragma once

#include <cstdint>

#include "traincost/base/quantity.hpp"

namespace traincost {

/// How accelerators are joined: a scale-up domain inside, a fabric between domains. (Replaced by the
/// collective model's own.)
struct Network {
    std::int64_t domain_size;
    bool operator==(const Network&) const = default;
};

}  // namespace traincost
