// An answer in the form that is asked for: JSON, text, CSV, Markdown, a drawing, a page.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "traincost/io/json_writer.hpp"
#include "traincost/report/charts/html_page.hpp"
#include "traincost/report/render.hpp"

namespace traincost {

/// The form that is asked for.
struct OutputWish {
    bool json = false;
    bool svg = false;
    bool html = false;
    Format format = Format::table;  ///< where it is none of these
    std::string file{};             ///< of the page; empty: the standard output
};

/// How an answer is made into each form; only the one that is asked for is made.
struct PrintedAnswer {
    std::function<std::string()> json;
    std::function<std::vector<Table>()> tables;
    std::function<std::string()> svg{};  ///< of answers that are drawn
    std::function<HtmlPage()> page{};    ///< of answers that are sent
};

/// The answer's text. `Error` of kind usage where a file is named for anything but a page.
std::string printed(const PrintedAnswer& answer, const OutputWish& wish, const TextStyle& style);

/// What `write_json` writes of its arguments.
template <class... Parts>
std::string json_text(const Parts&... parts) {
    JsonWriter out;
    write_json(out, parts...);
    return out.text();
}

}  // namespace traincost
