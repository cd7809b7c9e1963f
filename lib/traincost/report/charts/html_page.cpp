#include "traincost/report/charts/html_page.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "traincost/base/text.hpp"
#include "traincost/base/version.hpp"
#include "traincost/report/charts/svg.hpp"

namespace traincost {

namespace {

constexpr const char* style = R"css(
:root { color-scheme: light dark; --paper: #ffffff; --ink: #222222; --soft: #5c5c5c; --line: #dddddd; --shade: #f5f5f3;
        --good: #00714f; --bad: #b3261e; --warning: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #17191c; --ink: #e6e6e6; --soft: #a5a5a5; --line: #3a3d41; --shade: #202327;
          --good: #4cc79b; --bad: #ff8a80; --warning: #f0b54a; }
  .drawing svg { filter: invert(0.9) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem 1rem 3rem; background: var(--paper); color: var(--ink);
       font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0 0 0.5rem; overflow-wrap: anywhere; }
h2, summary { font-size: 1.05rem; font-weight: 600; margin: 2rem 0 0.5rem; }
summary { cursor: pointer; margin: 1rem 0 0.5rem; }
.verdict { font-size: 1.1rem; border-left: 0.3rem solid var(--tone); padding: 0.5rem 0.8rem; margin: 1rem 0;
           background: var(--shade); }
.good { --tone: var(--good); color: var(--good); } .bad { --tone: var(--bad); color: var(--bad); }
.warning { --tone: var(--warning); color: var(--warning); } .plain { --tone: var(--line); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 1.2rem 0.3rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 500; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
p { margin: 0.4rem 0; color: var(--soft); font-size: 0.9rem; max-width: 60rem; }
.bar { margin: 0.7rem 0; } .bar > div:first-child { display: flex; justify-content: space-between; gap: 1rem; font-size: 0.9rem; }
.track { position: relative; display: flex; height: 1.6rem; background: var(--shade); border: 1px solid var(--line); }
.track i { display: block; height: 100%; border-right: 1px solid var(--paper); }
.track b { position: absolute; top: -0.25rem; bottom: -0.25rem; border-left: 2px dashed var(--ink); }
ul { list-style: none; display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; padding: 0; margin: 0.6rem 0; font-size: 0.85rem; }
li i { display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.4rem; }
.drawing { overflow-x: auto; } .drawing svg { max-width: none; height: auto; min-width: 44rem; width: 100%; }
footer { margin-top: 3rem; color: var(--soft); font-size: 0.8rem; }
)css";

/// Okabe and Ito's colours, as in the charts.
constexpr std::array<const char*, 12> page_colours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#7F7F7F", "#F0E442",
                                                      "#8F3F00", "#8A4A6C", "#9A6A00", "#B8B8B8"};

const char* colour_of(std::size_t i) {
    return page_colours[i % page_colours.size()];
}

const char* class_of(Tone tone) {
    switch (tone) {
        case Tone::good:
            return "good";
        case Tone::bad:
            return "bad";
        case Tone::warning:
            return "warning";
        case Tone::plain:
        case Tone::heading:
            break;
    }
    return "plain";
}

/// A share of a bar, in percent.
std::string percent(double value, double whole) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f%%", finite(whole > 0.0 ? 100.0 * value / whole : 0.0));
    return text.data();
}

void add_heading(std::string& out, const std::string& title, bool folded) {
    if (folded)
        out += "<details><summary>" + xml_text(title) + "</summary>\n";
    else if (!title.empty())
        out += "<h2>" + xml_text(title) + "</h2>\n";
}

void add_remarks(std::string& out, const std::vector<std::string>& remarks) {
    for (const std::string& remark : remarks)
        out += "<p>" + xml_text(remark) + "</p>\n";
}

std::string cell_text(const Cell& cell, const char* element) {
    std::string kind = cell.number ? "number" : "";
    if (cell.tone != Tone::plain && cell.tone != Tone::heading)
        kind += std::string(kind.empty() ? "" : " ") + class_of(cell.tone);
    return std::string("<") + element + (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" +
           xml_text(cell.text) + "</" + element + ">";
}

/// Whether the first cell of the column that says something is a number.
bool of_numbers(const Table& table, std::size_t column) {
    for (const std::vector<Cell>& row : table.rows) {
        if (column < row.size() && row[column] != empty_cell())
            return row[column].number;
    }
    return false;
}

void add(std::string& out, const Table& table, bool folded) {
    add_heading(out, table.title, folded);
    if (!table.rows.empty()) {
        out += "<div class=\"wide\"><table>\n";
        if (!table.columns.empty()) {
            out += "<tr>";
            for (std::size_t c = 0; c < table.columns.size(); ++c)
                out += std::string(of_numbers(table, c) ? "<th class=\"number\">" : "<th>") +
                       xml_text(table.columns[c]) + "</th>";
            out += "</tr>\n";
        }
        for (const std::vector<Cell>& row : table.rows) {
            out += "<tr>";
            for (std::size_t c = 0; c < row.size(); ++c)
                out += cell_text(row[c], table.columns.empty() && c == 0 && row.size() > 1 ? "th" : "td");
            out += "</tr>\n";
        }
        out += "</table></div>\n";
    }
    add_remarks(out, table.remarks);
    out += folded ? "</details>\n" : "";
}

void add_bar(std::string& out, const BarChart& chart, std::size_t i, double whole) {
    double sum = 0.0;
    std::string parts;
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
        const double value = chart.parts[p].values[i];
        if (value <= 0.0)
            continue;
        sum += value;
        parts += "<i style=\"width:" + percent(value, whole) + ";background:" + colour_of(p) + "\" title=\"" +
                 xml_text(chart.parts[p].name + ": " + to_significant(value)) + "\"></i>";
    }
    for (const ChartRule& rule : chart.rules)
        parts += "<b style=\"left:" + percent(rule.at, whole) + "\" title=\"" +
                 xml_text(rule.name + ": " + to_significant(rule.at)) + "\"></b>";
    out += "<div class=\"bar\"><div><span>" + xml_text(chart.names[i]) + "</span><span class=\"number\">" +
           xml_text(to_significant(sum)) + "</span></div><div class=\"track\">" + parts + "</div></div>\n";
}

void add(std::string& out, const BarChart& chart) {
    add_heading(out, chart.title + ", " + chart.label, false);
    std::vector<double> sums(chart.names.size(), 0.0);
    double whole = 0.0;
    for (const BarPart& part : chart.parts) {
        for (std::size_t i = 0; i < sums.size(); ++i)
            whole = std::max(whole, sums[i] += part.values[i]);
    }
    std::string legend;
    for (const ChartRule& rule : chart.rules) {
        whole = std::max(whole, rule.at * 1.02);  // the rule is seen beside the end
        legend += "<li>dashed: " + xml_text(rule.name + ", " + to_significant(rule.at)) + "</li>";
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
        add_bar(out, chart, i, whole);
    out += "<ul>";
    for (std::size_t p = 0; p < chart.parts.size(); ++p) {
        const std::vector<double>& values = chart.parts[p].values;
        const double most = values.empty() ? 0.0 : *std::max_element(values.begin(), values.end());
        if (most > 0.0)
            out += "<li><i style=\"background:" + std::string(colour_of(p)) + "\"></i>" +
                   xml_text(chart.parts[p].name + (values.size() == 1 ? " " + to_significant(most) : "")) +
                   "</li>";
    }
    out += legend + "</ul>\n";
    add_remarks(out, chart.remarks);
}

void add_drawing(std::string& out, const std::string& document) {
    const auto begin = document.find("<svg");
    out += "<div class=\"drawing\">" + document.substr(begin == document.npos ? 0 : begin) + "</div>\n";
}

void add(std::string& out, const HtmlSection& section) {
    if (const auto* table = std::get_if<Table>(&section.content)) {
        add(out, *table, section.folded);
    } else if (const auto* drawing = std::get_if<HtmlDrawing>(&section.content)) {
        add_heading(out, drawing->title, false);
        add_drawing(out, drawing->svg);
    } else {
        const Chart& chart = std::get<Chart>(section.content);
        if (const auto* bars = std::get_if<BarChart>(&chart))
            add(out, *bars);
        else
            add_drawing(out, svg({&chart, 1}));
    }
}

}  // namespace

std::string to_html(const HtmlPage& page) {
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
        xml_text(page.title) + "</title>\n<style>" + style + "</style>\n</head>\n<body>\n<h1>" +
        xml_text(page.title) + "</h1>\n<div class=\"verdict " + class_of(page.tone) + "\">" +
        xml_text(page.verdict) + "</div>\n";
    for (const HtmlSection& section : page.sections)
        add(out, section);
    return out + "<footer>traincost " + xml_text(std::string(version())) + "</footer>\n</body>\n</html>\n";
}

}  // namespace traincost
