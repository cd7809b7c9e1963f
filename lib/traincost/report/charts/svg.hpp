// Charts drawn as SVG: one self-contained document, no scripts, no fonts to load.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "traincost/report/charts/chart.hpp"

namespace traincost {

/// `charts` below each other. Series differ in colour and in marker, so that they also read in grey; every
/// marker and bar has a <title> with its exact values.
std::string svg(std::span<const Chart> charts);

/// `text` as XML content: & < > and quotes as entities, what XML 1.0 does not allow as a question mark.
std::string xml_text(std::string_view text);

}  // namespace traincost
