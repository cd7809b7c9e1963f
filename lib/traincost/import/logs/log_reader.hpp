// Reads the log of a training run, of whichever framework printed it.
#pragma once

#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traincost/import/logs/training_log.hpp"

namespace traincost {

/// Reads one log or several parts of one, line by line, in bounded memory: some 20 MB.
class TrainingLogReader {
public:
    TrainingLogReader();
    ~TrainingLogReader();
    TrainingLogReader(const TrainingLogReader&) = delete;
    TrainingLogReader& operator=(const TrainingLogReader&) = delete;

    /// Reads to the end of the stream. A further call is a later part of the same run.
    void read(std::istream& in);

    /// What was read; nothing where no line of a known framework was. Call it once, at the end.
    std::optional<TrainingLog> finish();

    /// Lines read so far.
    std::int64_t lines() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The log in `in`; nothing where no line of a known framework is in it.
std::optional<TrainingLog> read_training_log(std::istream& in);

/// The log in files that are parts of one run, in this order. `Error` of kind input where one cannot be read
/// or where no framework is recognised.
TrainingLog read_training_logs(const std::vector<std::string>& files);

/// Whether the first lines of `text` look like those of a training log.
bool looks_like_training_log(std::string_view text);

}  // namespace traincost
