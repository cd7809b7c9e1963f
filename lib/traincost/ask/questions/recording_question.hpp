// `timeline --from`: a step that was recorded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "traincost/import/logs/recordings/recording_files.hpp"

namespace traincost {

struct RecordingQuestion {
    std::string file;                  ///< as `read_recording` takes it
    std::string iteration = "median";  ///< as `picked_step` takes it
};

struct RecordingAnswer {
    std::string file;
    std::vector<RecordedStep> steps;
    std::size_t picked;
};

/// `Error` where the file holds no steps, or not that one.
RecordingAnswer ask(const RecordingQuestion& question, const SheetNumbers& sheet);

}  // namespace traincost
