#include "traincost/import/logs/recordings/step_recording.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "traincost/base/error.hpp"
#include "traincost/base/scale.hpp"
#include "traincost/base/text.hpp"
#include "traincost/io/json.hpp"

namespace traincost {

namespace {

std::string trimmed_cell(std::string_view text) {
    constexpr std::string_view blank = " \t\r\"";
    const auto first = text.find_first_not_of(blank);
    if (first == text.npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(blank) - first + 1));
}

[[noreturn]] void fail(const std::string& file, std::size_t line, const std::string& what) {
    throw Error(ErrorKind::input, file + ":" + std::to_string(line) + ": " + what);
}

struct Row {
    std::string label;
    Seconds since;  ///< the row before
};

std::optional<Row> row_of(std::string_view line, const std::string& file, std::size_t number) {
    if (trimmed_cell(line).empty())
        return std::nullopt;
    const auto comma = line.find(',');
    if (comma == line.npos)
        fail(file, number, "expected a label, a comma and seconds");
    Row row{trimmed_cell(line.substr(0, comma)), {}};
    try {
        row.since = Seconds{parse_number(trimmed_cell(line.substr(comma + 1)), Range::not_negative)};
    } catch (const Error& error) {
        const char* const otherwise =
            number == 1 ? ", nor are the columns of a timeline named: stage, task, begin, end" : "";
        fail(file, number, std::string("seconds: ") + error.what() + otherwise);
    }
    return row;
}

/// "forward start" is the phase "forward".
std::string phase_of(const std::string& label) {
    constexpr std::string_view start = " start";
    return label.ends_with(start) ? label.substr(0, label.size() - start.size()) : label;
}

}  // namespace

RecordedStep step_of_phases(const std::vector<std::pair<std::string, Seconds>>& phases) {
    RecordedStep step{};
    for (const auto& [name, time] : phases) {
        step.spans.push_back({"step", name, step.total, step.total + time});
        step.total += time;
    }
    return step;
}

std::vector<RecordedStep> read_benchmark_csv(std::string_view text, const std::string& file) {
    std::vector<RecordedStep> steps;
    std::vector<std::pair<std::string, Seconds>> phases;
    std::string before;  // the label of the row before, within an iteration
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const auto end = text.find('\n');
        const auto row = row_of(text.substr(0, end), file, number);
        text = end == text.npos ? std::string_view{} : text.substr(end + 1);
        if (!row)
            continue;
        if (row->label == "iteration start") {
            phases.clear();  // an iteration that did not end is dropped
        } else if (!before.empty()) {
            // The first phase is what comes before the warm-up.
            phases.emplace_back(before == "iteration start" ? "start" : phase_of(before), row->since);
        }
        if (row->label == "iteration end") {
            if (!before.empty())
                steps.push_back(step_of_phases(phases));
            before.clear();
        } else if (!before.empty() || row->label == "iteration start") {
            before = row->label;
        }
    }
    if (steps.empty())
        throw Error(ErrorKind::input, file +
                                          ": no iteration from 'iteration start' to 'iteration end', and "
                                          "no columns task, begin and end in its first line");
    return steps;
}

namespace {

struct Slice {
    std::string lane;
    std::string name;
    double begin;
    double end;
};

/// The text of a member that may be a number or a string.
std::string id_of(const JsonValue* value) {
    if (value == nullptr)
        return "0";
    if (const auto* whole = std::get_if<std::int64_t>(&value->data))
        return std::to_string(*whole);
    if (const auto* name = std::get_if<std::string>(&value->data))
        return *name;
    return "0";
}

double number_or_zero(const JsonValue* value) {
    if (value == nullptr)
        return 0.0;
    if (const auto* whole = std::get_if<std::int64_t>(&value->data))
        return static_cast<double>(*whole);
    const auto* real = std::get_if<double>(&value->data);
    return real != nullptr ? *real : 0.0;
}

std::string text_or_empty(const JsonValue* value) {
    const auto* text = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
    return text == nullptr ? std::string() : *text;
}

/// All complete slices ("X") with the names of their threads.
std::vector<Slice> slices_of(const JsonValue::Array& events) {
    std::map<std::string, std::string> names;  // by process and thread; by process alone
    const auto thread = [](const JsonValue& event) {
        return id_of(event.find("pid")) + "/" + id_of(event.find("tid"));
    };
    for (const JsonValue& event : events) {
        const JsonValue* args = event.find("args");
        if (text_or_empty(event.find("ph")) != "M" || args == nullptr)
            continue;
        const std::string what = text_or_empty(event.find("name"));
        const std::string called = text_or_empty(args->find("name"));
        if (what == "thread_name")
            names[thread(event)] = called;
        if (what == "process_name")
            names[id_of(event.find("pid"))] = called;
    }
    const auto name_or = [&](const std::string& key) { return names.contains(key) ? names[key] : key; };
    std::vector<Slice> slices;
    for (const JsonValue& event : events) {
        if (text_or_empty(event.find("ph")) != "X")
            continue;
        const double begin = number_or_zero(event.find("ts")) * micro;
        const double time = number_or_zero(event.find("dur")) * micro;
        if (!std::isfinite(begin) || !(time >= 0.0))
            continue;
        const std::string key = thread(event);
        const std::string process = id_of(event.find("pid"));
        const std::string lane =
            names.contains(process) ? names[process] + ", " + name_or(key) : name_or(key);
        slices.push_back({lane, text_or_empty(event.find("name")), begin, begin + time});
    }
    return slices;
}

RecordedStep cut(const std::vector<Slice>& slices, double begin, double end) {
    RecordedStep step{{}, Seconds{end - begin}};
    for (const Slice& s : slices) {
        if (s.begin >= begin && s.end <= end && s.end > s.begin && !s.name.starts_with("ProfilerStep#"))
            step.spans.push_back({s.lane, s.name, Seconds{s.begin - begin}, Seconds{s.end - begin}});
    }
    std::stable_sort(step.spans.begin(), step.spans.end(), [](const RecordedSpan& a, const RecordedSpan& b) {
        return a.lane != b.lane ? a.lane < b.lane : a.begin < b.begin;
    });
    return step;
}

}  // namespace

std::vector<RecordedStep> read_chrome_trace(std::string_view text, const std::string& file) {
    const JsonDocument document = parse_json(text, file);
    const JsonValue* events =
        document.root.array() != nullptr ? &document.root : document.root.find("traceEvents");
    if (events == nullptr || events->array() == nullptr)
        throw Error(ErrorKind::input, file + ": no traceEvents");
    const std::vector<Slice> slices = slices_of(*events->array());
    if (slices.empty())
        throw Error(ErrorKind::input, file + ": no slice (an event with \"ph\": \"X\")");
    std::vector<RecordedStep> steps;
    for (const Slice& s : slices) {
        if (s.name.starts_with("ProfilerStep#"))
            steps.push_back(cut(slices, s.begin, s.end));
    }
    if (steps.empty()) {
        double begin = slices.front().begin;
        double end = slices.front().end;
        for (const Slice& s : slices) {
            begin = std::min(begin, s.begin);
            end = std::max(end, s.end);
        }
        steps.push_back(cut(slices, begin, end));
    }
    return steps;
}

std::size_t picked_step(const std::vector<RecordedStep>& steps, const std::string& which) {
    std::vector<std::size_t> order(steps.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return steps[a].total < steps[b].total; });
    if (which == "median")
        return order[(order.size() - 1) / 2];
    if (which == "slowest")
        return order.back();
    std::int64_t number = 0;
    try {
        number = parse_count(which, Range::positive);
    } catch (const Error&) {
        throw Error(ErrorKind::usage, "--iteration: unknown value '" + which + "'; allowed: 1 to " +
                                          std::to_string(steps.size()) + ", median, slowest");
    }
    if (number > std::ssize(steps)) {
        throw Error(ErrorKind::usage, "--iteration: " + which + "; the file has " +
                                          std::to_string(steps.size()) + " iterations");
    }
    return static_cast<std::size_t>(number) - 1;
}

}  // namespace traincost
