// A report as one self-contained page: no script, no request, light and dark, from a phone to a desktop.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "traincost/report/charts/chart.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// A drawing that is made already, an SVG document.
struct HtmlDrawing {
    std::string title;
    std::string svg;
};

/// Part of a page. Tables of `folded` are shown when their title is clicked.
struct HtmlSection {
    std::variant<Table, Chart, HtmlDrawing> content;
    bool folded = false;
};

struct HtmlPage {
    std::string title;    ///< what was asked: "llama-3.1-8b on 8 h100-sxm5-80gb"
    std::string verdict;  ///< the answer in a sentence
    Tone tone;            ///< of the verdict
    std::vector<HtmlSection> sections;
};

/// The page in HTML 5. Bars are drawn by the page and grow with it; lines are drawings.
std::string to_html(const HtmlPage& page);

}  // namespace traincost
