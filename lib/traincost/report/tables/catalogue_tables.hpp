// The catalogue's records as rows of a table.
#pragma once

#include <vector>

#include "traincost/ask/questions/catalogue_question.hpp"
#include "traincost/io/json_writer.hpp"
#include "traincost/report/table.hpp"

namespace traincost {

/// A table a kind; of an unfiltered question of all kinds, how many records each has.
std::vector<Table> list_tables(const ListAnswer& answer, const Catalogue& catalogue);

/// {"models": [{"id", "aliases", "overridden"}]}, a kind a member.
void write_json(JsonWriter& out, const ListAnswer& answer, const Catalogue& catalogue);

}  // namespace traincost
