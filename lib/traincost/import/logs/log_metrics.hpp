// Files of metrics beside logs: tables with a line of names (CSV, tab-separated, HTML cells of a notebook)
// and JSON objects, one a line.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traincost/import/logs/lines/log_columns.hpp"
#include "traincost/import/logs/lines/log_facts.hpp"
#include "traincost/import/logs/lines/log_shape.hpp"
#include "traincost/import/logs/training_log.hpp"

namespace traincost {

/// Reads rows by the names of their columns.
class LogMetrics {
public:
    /// Whether the line names the columns of a table of training steps; its rows are expected from then on.
    bool take_header(std::string_view line);
    bool has_columns() const {
        return !columns_.empty();
    }
    /// The line without what the launcher put before the names; nothing where it has another prefix.
    std::string_view bare_row(std::string_view line) const;
    /// Whether the line is a row of the table.
    bool is_row(std::string_view line) const;
    /// Whether the line is a row of numbers, with nothing before it, and nothing else is open.
    bool is_bare_row(std::string_view line) const;
    /// The step of a row, without an iteration where it only says something of the run; nothing for a row of
    /// validation. Where the line is not `ended`, its last value may lack digits and is left out.
    /// What it points to stands until the next line.
    const LogFacts* row(std::string_view line, bool ended);

    /// Whether the line is a JSON object of an iteration that is not of a form which frameworks print under
    /// names of their own; `step`: its step, nothing where it is of validation. Names may be nested.
    bool take_object(std::string_view line, std::optional<LogFacts>& step);

    /// Takes a row of an object of many rows; the text of the object where the row ends it.
    std::optional<std::string> take_row_of_object(std::string_view line);

    /// The step of a line for people whose fields have names: "step 10/100 | loss: 2.5 | dt: 85.2ms"; nothing
    /// where it has no iteration or no loss, nor time and memory instead. A line that `follows` such a step
    /// may say how long it took.
    std::optional<LogFacts> named_values(std::string_view line, bool follows);

    /// The step of a line that has the shape of one whose named values were read; nothing where it has
    /// another. What it points to stands until the next line.
    const LogFacts* known_values(std::string_view line);
    /// Lines of the shape that was read last are to be read in full.
    void forget_named_shape();

    /// Whether the line begins a block of values, one a line: "[step=10/739328]".
    bool begin_block(std::string_view line);
    bool in_block() const {
        return block_.has_value();
    }
    /// Whether the line is a value of the block, which it then has: "train/CrossEntropyLoss=10.9".
    bool take_of_block(std::string_view line);
    /// The step of the block that ends.
    std::optional<LogFacts> end_block();

    /// Whether no table, object or block is open, so that a line stands for itself.
    bool is_idle() const {
        return !in_block() && !in_cells_ && columns_.empty() && object_.empty();
    }
    /// How many shapes of lines were learned.
    std::size_t shapes() const {
        return next_shape_;
    }

    /// Begins a table whose cells stand in HTML, and takes its lines up to the end.
    void begin_cells();
    bool in_cells() const {
        return in_cells_;
    }
    /// Rows that end in this line.
    std::vector<LogFacts> take_cells(std::string_view line);

    /// Who writes such names; nothing where nobody known does.
    std::optional<LogFramework> framework() const;

private:
    /// The values of one step while they are gathered.
    struct Gathered {
        LogFacts facts{};
        int iteration_rank = 100;
        int clock_rank = 100;
        std::optional<std::int64_t> epoch{};
        std::optional<double> clock{};
        double clock_digit = 0;  ///< what its last digit is, in seconds
        std::optional<std::string> bare_time{};
        std::optional<std::string> bare_memory{};
        bool data_time = false;
        bool data_beside = false;
        bool placed = false;  ///< its iteration is a place in an epoch
        bool other_part = false;
        std::array<std::int8_t, log_fact_count> ranks{};

        /// As new, but for values that nothing says are known.
        void clear();
    };
    struct NameHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view name) const {
            return std::hash<std::string_view>{}(name);
        }
    };
    using Columns = std::unordered_map<std::string, LogColumn, NameHash, std::equal_to<>>;
    /// A name, and what it means: in `Columns`, where it stays.
    using Named = const Columns::value_type*;
    /// Lines of one shape, and what their values mean.
    struct KnownShape {
        LogShape shape{};
        std::vector<LogColumn> columns{};
        bool placed = false;  ///< its first value is a place in an epoch
        bool data_time = false;
        bool data_beside = false;
        bool own = false;  ///< of an object: not of a form which frameworks print
    };
    using KnownShapes = std::array<KnownShape, 4>;
    KnownShape* known_shape(std::string_view line, KnownShapes& shapes);
    void learn_shape(std::string_view line, const Gathered& values, bool own, KnownShapes& shapes);
    bool gather_known(Gathered& values, std::string_view line, KnownShape& known);
    void take_named(Gathered& values, std::string_view text);
    void take_unnamed(Gathered& values, std::string_view text);
    void take(Gathered& values, std::string_view name, const LogColumn& column, std::string_view value);
    const LogColumn& column(std::string_view name, Columns& known);
    const LogColumn& column_in_turn(std::string_view name, std::size_t place, Columns& known,
                                    std::vector<Named>& turn);
    void gather(Gathered& values, std::string_view name, const LogColumn& column, std::string_view value);
    void gather_number(Gathered& values, const LogColumn& column, std::string_view value, LogNumber* number);
    static void gather_count(Gathered& values, const LogColumn& column, std::string_view value,
                             const LogNumber* number);
    static bool gather_plain(Gathered& values, const LogColumn& column, const LogNumber& number);
    /// Whether a step says more than its memory, batch and clock.
    static bool is_of_training(const LogFacts& facts);
    std::size_t take_bare_cell(Gathered& values, std::string_view line, std::size_t begin, std::size_t i,
                               bool ended);
    std::size_t take_bare_cells(Gathered& values, std::string_view line, bool ended);
    std::size_t take_quoted_cells(Gathered& values, std::string_view line, bool ended);
    static void take_bare_time(Gathered& values);
    std::optional<LogFacts> finished(Gathered& values);
    /// Whether it says something; its facts are then whole.
    bool finish(Gathered& values);
    void set_clocked(LogFacts& facts, const Gathered& values);
    void name_columns(const std::vector<std::string>& names);

    Columns known_;                   ///< of names of columns and members
    Columns spoken_;                  ///< of names in lines for people
    std::vector<Named> known_turn_;   ///< names in the order of the last object
    std::vector<Named> spoken_turn_;  ///< and of the last line
    LogColumn unknown_{};
    KnownShapes spoken_shapes_{};           ///< of the last lines for people
    KnownShapes object_shapes_{};           ///< of the last objects
    std::size_t next_shape_ = 0;            ///< to be learned anew
    std::optional<std::size_t> learned_{};  ///< which of a line for people was learned last
    std::vector<std::string_view> taken_;   ///< values of the line that is read, where they mean something
    std::vector<LogColumn> taken_columns_;
    std::optional<Gathered> block_{};
    Gathered gathered_{};  ///< of one line after another: clearing it costs less than making it
    char separator_ = ',';
    std::string launcher_;  ///< its prefix before each row
    std::vector<std::string> names_;
    std::vector<LogColumn> columns_;
    std::vector<std::size_t> said_;  ///< which columns say something
    bool data_time_column_ = false;
    bool apart_ = false;  ///< a row has an iteration, but nothing of training: it is of validation

    std::string object_;  ///< its rows so far; empty where none is open
    int depth_ = 0;

    bool in_cells_ = false;
    bool notebook_ = false;  ///< the names stood in HTML cells, as the Trainer shows them
    std::vector<std::string> cells_;
    std::int64_t rows_ = 0;

    std::int64_t base_ = 0;  ///< iterations of the epochs before, where each begins again
    std::optional<std::int64_t> last_epoch_{};
    std::optional<std::int64_t> last_printed_{};
    std::optional<std::int64_t> clock_iteration_{};
    double last_clock_ = 0;
    double clock_digit_ = 0;
    bool clock_falls_ = false;
};

}  // namespace traincost
