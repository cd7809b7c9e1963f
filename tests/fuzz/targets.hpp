// What the fuzzers feed their bytes to: every reader of a file or of a flag's text, and behind it what the
// program does with what was read.
#pragma once

#include <span>
#include <string_view>

namespace fuzz {

/// One reader. Bytes it refuses are refused by an `Error` that says whose fault it is; whatever it accepts
/// must be costed, written and read back without a defect.
struct Target {
    std::string_view name;
    void (*run)(std::string_view bytes);
};

std::span<const Target> targets();

/// Runs a target; throws where it shows a defect: an `Error` of kind internal, or any other exception.
void run(const Target& target, std::string_view bytes);

}  // namespace fuzz
