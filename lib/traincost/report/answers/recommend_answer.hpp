// The answer of a search, printed.
#pragma once

#include <string>
#include <vector>

#include "traincost/ask/questions/recommend_question.hpp"
#include "traincost/fit/uncertainty.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/printed_answer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// As tables; why the neighbours of the first `explained` plans lose.
std::vector<Table> recommend_tables(const RecommendAnswer& answer, const Residuals& residuals,
                                    std::size_t explained);

/// How the answer is printed.
struct RecommendView {
    OutputWish output{};
    std::int64_t why = 1;  ///< plans whose neighbours are explained
};

/// In each form. Everything must live as long as what is returned.
PrintedAnswer printed_answer(const RecommendAnswer& answer, const RecommendView& view,
                             const Sources& sources);

/// Why there is no plan, a line each: clusters that were left out, or what the nearest configuration lacks.
std::vector<std::string> why_no_plan(const RecommendAnswer& answer);

/// One part of a search, for `merge`.
struct ShardAnswer {
    std::string text;
    bool interrupted;
};
/// Searches the question's shard; `arguments` are the command's. A part does not know whether the others find
/// nothing.
ShardAnswer searched_shard(const RecommendQuestion& question, const std::vector<std::string>& arguments,
                           const Sources& sources);

/// As one JSON object.
void write_json(JsonWriter& out, const RecommendAnswer& answer, const Residuals& residuals);

}  // namespace traincost
