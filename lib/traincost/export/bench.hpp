// A PyTorch script that measures one job: `traincost export bench`. Its text is data (data/export); what is
// made here is the block of JSON in front of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/base/error.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Modes of torch.compile.
enum class CompileMode : std::uint8_t {
    standard,  ///< "default"
    reduce_overhead,
    max_autotune,
    max_autotune_no_cudagraphs
};
/// "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs".
std::span<const std::string_view> compile_mode_names();
/// `Error` of kind usage that suggests the nearest name.
CompileMode compile_mode_from(const std::string& name);

/// How a job is measured, and what of its stack is chosen otherwise.
struct BenchOptions {
    std::int64_t warmup = 5;                ///< steps that are not measured
    std::int64_t steps = 10;                ///< steps that are
    std::optional<double> gradient_clip{};  ///< largest norm of all gradients; absent: not clipped
    CompileMode compile_mode = CompileMode::standard;
    std::int64_t loss_chunks = 8;  ///< of a chunked loss
    std::optional<LossKernel> loss{};
    std::optional<OptimizerKernel> optimizer{};
    std::optional<std::int64_t> vocab_multiple{};  ///< the vocabulary is padded to it
    bool operator==(const BenchOptions&) const = default;
};

/// The job with its stack as the options change it: what is measured, and what is predicted for it.
Job benched_job(const Job& job, const BenchOptions& options);

/// What the script cannot do of a valid job, each with its flag and what is allowed; empty when it can.
std::vector<Problem> bench_problems(const Job& job, const BenchOptions& options);

/// The script. `Error` of kind usage that lists `bench_problems`.
std::string bench_script(const Job& job, const BenchOptions& options);

}  // namespace traincost
