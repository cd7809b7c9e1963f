// A training log's text, as the tests of its reader read it.
#pragma once

#include <traincost/import/logs/log_reader.hpp>
#include <traincost/import/logs/training_log.hpp>

#include <catch2/catch.hpp>

#include <optional>
#include <sstream>
#include <string>

namespace traincost::test {

inline constexpr double MiB = 1024.0 * 1024.0;
inline constexpr double GiB = 1024.0 * MiB;

/// What is read of a text that is a log.
inline TrainingLog read_lines(const std::string& text) {
    std::istringstream in(text);
    const std::optional<TrainingLog> log = read_training_log(in);
    REQUIRE(log);
    return *log;
}

}  // namespace traincost::test
