#include "traincost/report/tables/reading_tables.hpp"

#include "traincost/import/logs/training_log_json.hpp"
#include "traincost/import/reading_json.hpp"
#include "traincost/report/tables/estimate_tables.hpp"
#include "traincost/report/tables/training_log_tables.hpp"

namespace traincost {

namespace {

std::vector<Table> launch_tables(const LaunchReading& reading) {
    Table facts{.title = "Read as " + reading.format,
                .columns = {"fact", "value", "how", "where"},
                .rows = {},
                .remarks = {}};
    for (const auto& [fact, stated] : reading.facts) {
        facts.rows.push_back({text_cell(std::string(fact_name(fact))), text_cell(to_text(stated.value)),
                              text_cell(std::string(how_name(stated.how))), text_cell(stated.where)});
    }
    std::vector<Table> tables = {std::move(facts)};
    if (!reading.contradictions.empty()) {
        tables.push_back(remarks_table("Contradictions", reading.contradictions));
    }
    std::vector<std::string> matters;
    std::string ignored;
    for (const UnreadSetting& unread : reading.unread) {
        if (unread.matters) {
            matters.push_back(unread.where + " " + unread.key +
                              (unread.why.empty() ? "" : ": " + unread.why));
        } else {
            ignored += (ignored.empty() ? "" : ", ") + unread.key;
        }
    }
    if (!matters.empty()) {
        tables.push_back(remarks_table("Not understood; may affect memory or time", matters));
    }
    if (!ignored.empty()) {
        tables.push_back(remarks_table("Ignored", std::vector<std::string>{ignored}));
    }
    return tables;
}

}  // namespace

std::vector<Table> reading_tables(const Reading& reading, const std::string& name) {
    const auto* log = std::get_if<TrainingLog>(&reading);
    return log != nullptr ? tables_of(*log, name) : launch_tables(std::get<LaunchReading>(reading));
}

void write_json(JsonWriter& out, const Reading& reading) {
    std::visit([&](const auto& known) { write_json(out, known); }, reading);
}

}  // namespace traincost
