#include "traincost/report/methods/method_form.hpp"

#include <array>

#include "traincost/base/text.hpp"
#include "traincost/report/methods/forms.hpp"
#include "traincost/report/render.hpp"

namespace traincost {

namespace {

constexpr std::array<Method, 8> all_methods = {
    {{"fast-llm", "Fast_LLM's pre-train sheet, and its post-train TFLOPS", fast_llm_form},
     {"iiis", "The IIIS-Turing LLM Training Calculator", iiis_form},
     {"iiis-sheet", "Spreadsheet of the IIIS-Turing calculator, cell by cell", iiis_sheet_form},
     {"chinchilla-grid", "Compute-Optimal-Model-Estimator's size, tokens and loss", chinchilla_form},
     {"lightning", "Lightning-LLM-Training-Test's report, training days and forward-only TFLOP/s",
      lightning_form},
     {"llm-bench", "llm-train-bench's FLOPs per token, tokens/s and MFU", llm_bench_form},
     {"flagperf", "FlagPerf's tokens/s per GPU and 6N MFU", flagperf_form},
     {"six-nd", "Compute of a run by 6ND, and its days", six_nd_form}}};

void write_rows(JsonWriter& out, const Table& table) {
    out.begin_array();
    for (const std::vector<Cell>& row : table.rows) {
        out.begin_object();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string& exact = row[i].exact.empty() ? row[i].text : row[i].exact;
            out.key(table.columns[i]);
            if (row[i].number) {
                out.value(parse_number(exact));
            } else {
                out.value(exact);
            }
        }
        out.end_object();
    }
    out.end_array();
}

}  // namespace

void MethodForm::add_text(std::string flag, std::string& target, std::string type, std::string help) {
    fields.push_back({std::move(flag), std::move(type), std::move(help),
                      [&target](const std::string& text) { target = text; }});
}

void MethodForm::add_switch(std::string flag, bool& target, std::string help) {
    fields.push_back({std::move(flag), {}, std::move(help), [&target](const std::string& text) {
                          target = text == "true";
                      }});
}

std::span<const Method> methods() {
    return all_methods;
}

std::string method_names() {
    std::string names;
    for (const Method& method : all_methods) {
        names += (names.empty() ? "" : ", ") + std::string(method.name);
    }
    return names;
}

const Method& method_named(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Method& method : all_methods) {
        if (method.name == name) {
            return method;
        }
        names.push_back(method.name);
    }
    throw Error(ErrorKind::usage, "unknown value '" + std::string(name) + "'; allowed: " + method_names() +
                                      did_you_mean(name, names));
}

std::string render(const MethodAnswer& answer, Format format, const TextStyle& style) {
    const std::span<const Table> tables = answer.tables;
    if (answer.original.empty() || format != Format::table) {
        return render(tables, format, style);
    }
    const std::span<const Table> others = tables.subspan(answer.in_original);
    return others.empty() ? answer.original : answer.original + '\n' + render(others, format, style);
}

void write_json(JsonWriter& out, const Table& table) {
    out.begin_object().member("title", table.title).key("rows");
    write_rows(out, table);
    out.array("remarks", table.remarks).end_object();
}

std::string json_of(const MethodAnswer& answer) {
    if (!answer.json.empty()) {
        return answer.json;
    }
    JsonWriter out;
    out.begin_object().member("schema_version", 1).key("tables").begin_array();
    for (const Table& table : answer.tables) {
        write_json(out, table);
    }
    out.end_array().end_object();
    return out.text();
}

}  // namespace traincost
