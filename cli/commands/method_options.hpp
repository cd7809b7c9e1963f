// What the flags of published calculators have in common.
#pragma once

#include <cli/output_options.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/methods/printed.hpp>
#include <traincost/report/table.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace traincost {
class JsonWriter;
}

namespace traincost::cli {

struct Context;

inline std::int64_t positive_count(const std::string& text) {
    return parse_count(text, Range::positive);
}

inline double positive_number(const std::string& text) {
    return parse_number(text, Range::positive);
}

/// "7B", "124.4M": parameters, as a real number.
inline double positive_parameters(const std::string& text) {
    return static_cast<double>(parse_count(text, Range::positive));
}

/// Copies what was given over a default.
template <class T, class U>
void take(const std::optional<T>& given, U& field) {
    if (given) {
        field = *given;
    }
}

/// A number as the calculator prints it, and as a program wants it.
inline Cell printed_cell(double x, int digits) {
    return {.text = python_round_text(x, digits), .exact = to_exact(x), .number = true};
}

/// An `Error` that names every flag that was not given.
inline void require_all(std::initializer_list<std::pair<const char*, bool>> flags) {
    std::vector<Problem> missing;
    for (const auto& [name, given] : flags) {
        if (!given) {
            missing.push_back({name, "is missing"});
        }
    }
    if (!missing.empty()) {
        throw Error(ErrorKind::usage, std::move(missing));
    }
}

/// An `Error` that names every flag that was given, though it means nothing `where`.
inline void refuse_all(const std::string& where, std::initializer_list<std::pair<const char*, bool>> flags) {
    std::vector<Problem> refused;
    for (const auto& [name, given] : flags) {
        if (given) {
            refused.push_back({name, "means nothing " + where});
        }
    }
    if (!refused.empty()) {
        throw Error(ErrorKind::usage, std::move(refused));
    }
}

/// Tables in the format asked for; as JSON, rows are objects whose members are the columns.
void print_tables(const std::vector<Table>& tables, const OutputFlags& output, Context& context);

/// A table as an object: title, rows, remarks.
void write_table(JsonWriter& out, const Table& table);

void add_fast_llm(CLI::App& parent, Context& context);
void add_iiis(CLI::App& parent, Context& context);
void add_flagperf(CLI::App& parent, Context& context);
void add_iiis_sheet(CLI::App& parent, Context& context);
void add_lightning(CLI::App& parent, Context& context);
void add_llm_bench(CLI::App& parent, Context& context);
void add_six_nd(CLI::App& parent, Context& context);
void add_chinchilla(CLI::App& parent, Context& context);

}  // namespace traincost::cli
