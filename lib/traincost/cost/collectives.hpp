#pragma once

#include <cstdint>

namespace traincost {

enum class Collective : std::uint8_t {
    all_reduce,
    all_gather,
    reduce_scatter,
    all_to_all,
    send_recv,
    broadcast
};

}  // namespace traincost
