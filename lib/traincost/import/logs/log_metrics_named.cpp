// Steps whose values have names: in lines for people, and in JSON objects.

#include <algorithm>
#include <string>

#include "traincost/import/logs/lines/log_fields.hpp"
#include "traincost/import/logs/lines/log_members.hpp"
#include "traincost/import/logs/lines/log_place.hpp"
#include "traincost/import/logs/lines/log_plain_number.hpp"
#include "traincost/import/logs/lines/log_scan.hpp"
#include "traincost/import/logs/lines/log_unnamed.hpp"
#include "traincost/import/logs/log_metrics.hpp"

namespace traincost {

namespace {

using enum LogFact;

/// A number of a batch, where the batches of an epoch stand behind it.
constexpr LogColumn batch_of_epoch{.role = ColumnRole::iteration, .rank = 3};

/// Whether a line that says nothing of speed may be of an evaluation.
bool speaks_of_evaluation(std::string_view line) {
    for (const std::string_view word : {"eval", "Eval", "EVAL", "alid", "VALID", "test", "Test", "TEST"}) {
        if (holds(line, word)) {
            return !holds(line, "train") && !holds(line, "Train");
        }
    }
    return false;
}

/// Where columns are set off by tabs, blanks between them only align: "Time  0.37 ( 1.2)\tData  0.01 ( 0.2)".
std::string_view with_narrow_gaps(std::string_view text, std::string& scratch) {
    if (text.find('\t') == text.npos || text.find("  ") == text.npos) {
        return text;
    }
    scratch.clear();
    for (const char c : text) {
        if (c != ' ' || scratch.empty() || scratch.back() != ' ') {
            scratch += c;
        }
    }
    return scratch;
}

/// Whether the line begins with a number that nothing names, before a bar; `behind`: where the bar stands.
bool bare_step(std::string_view text, std::size_t& behind) {
    std::size_t at = 0;
    if (!whole_number_at(text, at)) {
        return false;
    }
    behind = std::min(text.find_first_not_of(' ', at), text.size());
    return behind < text.size() && text[behind] == '|';
}

}  // namespace

void LogMetrics::take(Gathered& values, std::string_view name, const LogColumn& what,
                      std::string_view value) {
    gather(values, name, what, value);
    if (what.role != ColumnRole::none) {
        taken_.push_back(value);
        taken_columns_.push_back(what);
    }
}

/// The shape among `shapes` that `line` has; null where it has none of them.
LogMetrics::KnownShape* LogMetrics::known_shape(std::string_view line, KnownShapes& shapes) {
    for (KnownShape& known : shapes) {
        if (known.shape.fits(line)) {
            return &known;
        }
    }
    return nullptr;
}

void LogMetrics::learn_shape(std::string_view line, const Gathered& values, bool own, KnownShapes& shapes) {
    KnownShape& known = shapes[next_shape_++ % shapes.size()];
    if (known.shape.learn(line, taken_)) {
        known.columns = taken_columns_;
        known.placed = values.placed;
        known.data_time = values.data_time;
        known.data_beside = values.data_beside;
        known.own = own;
    }
}

/// Gathers the values of a line of a known shape; false where its place in an epoch is none after all.
bool LogMetrics::gather_known(Gathered& values, std::string_view line, KnownShape& known) {
    if (known.placed) {
        const std::optional<EpochPlace> place = place_in_epoch(without_stamp(line));
        if (!place) {
            return false;
        }
        values.facts.iteration = place->iteration;
        values.iteration_rank = -1;
    }
    for (std::size_t i = 0; i < known.columns.size(); ++i) {
        const LogColumn& what = known.columns[i];
        const std::string_view value = known.shape.value(i);
        LogNumber number;
        if (is_number(what.role) && plain_number_at(value, 0, '\0', number) == value.size() &&
            number.end == value.size()) {
            if (!gather_plain(values, what, number)) {
                gather_number(values, what, value, &number);
            }
        } else {
            gather(values, {}, what, value);
        }
    }
    values.data_time = known.data_time;
    values.data_beside = known.data_beside;
    return true;
}

/// The named values of a line for people.
void LogMetrics::take_named(Gathered& values, std::string_view text) {
    bool epoch = false;
    std::size_t turn = 0;
    std::size_t behind = 0;
    const bool bare = !values.placed && bare_step(text, behind);
    if (bare) {  // "490 | loss 5.75 | … | 8060.5ms"
        take(values, "step", {.role = ColumnRole::iteration}, text.substr(0, behind));
        text.remove_prefix(behind);
    }
    for_each_field(text, [&](std::string_view name, std::string_view value) {
        const LogColumn& what = column_in_turn(name, turn++, spoken_, spoken_turn_);
        const bool counted = name == "Batch" || name == "batch";
        epoch |= what.role == ColumnRole::epoch;
        if (what.role == ColumnRole::none &&
            (value.find('/') != value.npos ? name.ends_with("atch") : counted && epoch)) {
            take(values, name, batch_of_epoch, value);  // "Batch 20/500", "Epoch 1 Batch 500"
        } else if (values.placed && name == "/s") {     // open_clip, timm
            take(values, name, {.role = ColumnRole::fact, .fact = samples_per_s}, value);
        } else if (what.role == ColumnRole::bare_time || (bare && name == "ms")) {
            const std::optional<LogNumber> time = number_at(value);
            const bool of_step = time && time->suffix == "ms";
            take(values, name,
                 of_step ? LogColumn{.role = ColumnRole::fact, .fact = step_time, .suffix = LogSuffix::time}
                         : what,
                 value);
        } else {
            take(values, name, what, value);
        }
    });
    take_unnamed(values, text);
}

/// What a line tells by units and places, where its names do not.
void LogMetrics::take_unnamed(Gathered& values, std::string_view text) {
    const std::size_t named = taken_.size();
    if (const auto time = values.facts.has(step_time) ? std::nullopt : time_of_step(text)) {
        take(values, "", {.role = ColumnRole::fact, .fact = step_time, .scale = time->scale}, time->value);
    }
    const bool counted = values.facts.iteration || values.facts.optimizer_step;
    if (const auto step = counted || !values.facts.is_timed() ? std::nullopt : bare_step_of(text)) {
        take(values, "", {.role = ColumnRole::iteration}, *step);
    }
    for (std::size_t i = named; i < taken_.size(); ++i) {  // into their places in the line
        for (std::size_t k = i; k > 0 && taken_[k].data() < taken_[k - 1].data(); --k) {
            std::swap(taken_[k], taken_[k - 1]);
            std::swap(taken_columns_[k], taken_columns_[k - 1]);
        }
    }
}

void LogMetrics::forget_named_shape() {
    if (learned_) {
        spoken_shapes_[*learned_].shape.clear();
        learned_.reset();
    }
}

const LogFacts* LogMetrics::known_values(std::string_view line) {
    KnownShape* const known = known_shape(line, spoken_shapes_);
    Gathered& values = gathered_;
    values.clear();
    return known != nullptr && gather_known(values, line, *known) && finish(values) ? &values.facts : nullptr;
}

std::optional<LogFacts> LogMetrics::named_values(std::string_view line, bool follows) {
    Gathered values;
    std::string scratch;
    std::string_view text = without_stamp(line);
    if (const std::optional<EpochPlace> place = place_in_epoch(text)) {
        values.facts.iteration = place->iteration;
        values.iteration_rank = -1;
        values.placed = true;
        text = with_narrow_gaps(text.substr(place->end), scratch);
    }
    taken_.clear();
    taken_columns_.clear();
    take_named(values, text);
    LogFacts& facts = values.facts;
    if (follows && !facts.has(loss) && facts.is_timed() && last_printed_ &&
        (!facts.iteration || *facts.iteration == *last_printed_)) {  // the rest of the step before
        facts.iteration = last_printed_;
        return finished(values);
    }
    const bool with_memory = facts.has(step_time) && (facts.has(allocated) || facts.has(reserved));
    const bool step = facts.has(loss) ? facts.is_timed() || !speaks_of_evaluation(line) : with_memory;
    if (!step) {
        return std::nullopt;
    }
    if (scratch.empty()) {
        learn_shape(line, values, true, spoken_shapes_);
        learned_ = (next_shape_ - 1) % spoken_shapes_.size();
    }
    return finished(values);
}

bool LogMetrics::take_object(std::string_view line, std::optional<LogFacts>& step) {
    Gathered values;
    if (KnownShape* const known = known_shape(line, object_shapes_)) {
        gather_known(values, line, *known);
        step = known->own ? finished(values) : std::nullopt;
        return known->own;
    }
    taken_.clear();
    taken_columns_.clear();
    bool others = false;
    bool trainer = false;
    bool measured = false;
    bool event = false;
    std::string said;  // {"name": "loss", "data": {"step": 1, "value": 3.9}}
    std::size_t place = 0;
    for_each_member(line, [&](std::string_view name, std::string_view value) {
        constexpr std::string_view enveloped = "value/";  // {"event": "STEP_END", "value": {"loss": 2.5}}
        event |= name == "event";
        constexpr std::string_view beside = "data/";
        name.remove_prefix(!said.empty() && name.starts_with(beside) ? beside.size() : 0);
        if (event && name.starts_with(enveloped)) {
            name.remove_prefix(enveloped.size());
        } else if (name == "name") {
            said = value;
        } else if (!said.empty() && name == "value") {
            take(values, said, column(said, known_), value);
            return;
        }
        const LogColumn& what = column_in_turn(name, place++, known_, known_turn_);
        trainer |= name == "learning_rate" || name == "grad_norm";
        others |= name == "tps_per_gpu" || name == "current_steps" || name == "global_step/max_steps";
        measured |= what.role == ColumnRole::clock ||
                    (what.role == ColumnRole::fact && what.fact != loss && !is_memory(what.fact));
        take(values, name, what, value);
    });
    const bool counted = values.facts.iteration || values.facts.optimizer_step;
    const bool own = counted && !others && (measured || !trainer || !values.epoch.has_value());
    learn_shape(line, values, own, object_shapes_);
    step = own ? finished(values) : std::nullopt;
    return own;
}

}  // namespace traincost
