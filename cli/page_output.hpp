// --format html -o FILE.
#pragma once

#include <cli/context.hpp>
#include <cli/output_options.hpp>
#include <traincost/report/charts/html_page.hpp>

namespace traincost::cli {

/// Whether a page is asked for; `Error` where a file is named for anything else.
bool page_wanted(const OutputFlags& flags);

/// Writes the page to the file of -o, or to the standard output.
void write_page(const HtmlPage& page, const OutputFlags& flags, Context& context);

}  // namespace traincost::cli
