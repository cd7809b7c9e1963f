#pragma once

#include "traincost/base/quantity.hpp"
#include "traincost/cost/ops.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

enum class Pass : std::uint8_t { forward, backward };

/// Time of one list of operators in one pass, by what takes it. `host` is launch time that the device does
/// not hide.
struct PassTime {
    Seconds gemm;
    Seconds attention;
    Seconds memory;
    Seconds tensor;   ///< exposed tensor-parallel communication
    Seconds context;  ///< exposed context-parallel communication
    Seconds expert;   ///< exposed expert-parallel communication
    Seconds host;

    Seconds device() const {
        return gemm + attention + memory + tensor + context + expert;
    }
    Seconds total() const {
        return device() + host;
    }
    PassTime& operator+=(const PassTime& o);
    PassTime operator*(double factor) const;
};

/// Time of `ops` in `pass`; `selective_only` sums the operators selective recompute runs again (forward pass
/// only).
PassTime pass_time(const OpList& ops, Pass pass, const Job& job, bool selective_only = false);

/// Time of one operator in one pass, communication not overlapped.
Seconds operator_time(const Operator& op, Pass pass, const Job& job);

/// Time to move `bytes` through device memory at the accelerator's achieved bandwidth.
Seconds memory_time(Bytes bytes, const Job& job);

}  // namespace traincost
