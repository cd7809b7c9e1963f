// The answers of `timeline`, printed.
#pragma once

#include <optional>
#include <string>

#include "traincost/ask/questions/recording_question.hpp"
#include "traincost/ask/questions/timeline_question.hpp"
#include "traincost/report/printed_answer.hpp"

namespace traincost {

struct TimelineView {
    OutputWish output{};
    std::optional<int> width{};  ///< of the drawing in characters; absent: what the style's lines leave
};

/// A drawing's width in characters. `Error` of kind usage where it is not 10 to 1000.
int drawing_width_from(const std::string& text);

/// CSV holds the events alone.
std::string timeline_text(const TimelineAnswer& answer, const TimelineView& view, const TextStyle& style);
std::string timeline_text(const RecordingAnswer& answer, const TimelineView& view, const TextStyle& style);

/// The trace that Chrome and Perfetto open.
std::string trace_text(const TimelineAnswer& answer);

}  // namespace traincost
