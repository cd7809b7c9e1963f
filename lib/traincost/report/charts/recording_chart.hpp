// A recorded step drawn in time, alone or with others on one scale.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "traincost/import/logs/recordings/step_recording.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// A step and what it is called.
struct NamedRecording {
    std::string name;
    RecordedStep step;
};

/// A row a lane, `columns` characters for the longest step: the first letter of a phase over its time,
/// capitals and small letters in turn where equal phases follow each other.
Table recording_table(std::span<const NamedRecording> steps, int columns);

/// Phases by name: how often, their time together, and its share.
Table phase_table(const RecordedStep& step);

/// The same as one SVG document, stacked on one scale.
std::string recording_svg(std::span<const NamedRecording> steps);

}  // namespace traincost
