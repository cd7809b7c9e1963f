// One record of the catalogue, figure by figure.
#pragma once

#include <vector>

#include "traincost/ask/questions/catalogue_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// Every figure with its path, a stack's with its reason; prices, notes and sources where there are any.
std::vector<Table> record_tables(const ShowAnswer& answer, const Catalogue& catalogue);

/// {"kind", "record", "source_titles"}, a cluster's with "prices".
void write_json(JsonWriter& out, const ShowAnswer& answer, const Catalogue& catalogue);

}  // namespace traincost
