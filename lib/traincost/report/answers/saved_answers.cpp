#include "traincost/report/answers/saved_answers.hpp"

#include <algorithm>
#include <cmath>

#include "traincost/ask/resolve.hpp"
#include "traincost/base/text.hpp"
#include "traincost/cost/estimate.hpp"
#include "traincost/io/json.hpp"
#include "traincost/io/json_writer.hpp"

namespace traincost {

namespace {

constexpr const char* parameters_figure = "parameters";
constexpr const char* memory_figure = "memory per GPU";
constexpr const char* iteration_figure = "iteration";
constexpr const char* total_figure = "whole run";
constexpr const char* gpus_figure = "GPUs";
constexpr const char* rate_figure = "tokens/s";
constexpr const char* mfu_figure = "MFU";
constexpr const char* cost_figure = "cost";

/// The number at a path of keys; nothing where there is none.
std::optional<double> saved_number_at(const JsonValue& root, std::initializer_list<std::string_view> path) {
    const JsonValue* at = &root;
    for (const std::string_view key : path) {
        at = at->find(key);
        if (at == nullptr) {
            return std::nullopt;
        }
    }
    if (const auto* whole = std::get_if<std::int64_t>(&at->data)) {
        return static_cast<double>(*whole);
    }
    const auto* real = std::get_if<double>(&at->data);
    return real != nullptr ? std::optional(*real) : std::nullopt;
}

template <class Make>
void add_figure(SavedAnswer& a, const std::string& name, const std::optional<double>& value, Make make) {
    if (value) {
        a.figures.emplace_back(name, make(*value));
    }
}

Cell saved_bytes_cell(double x) {
    return cell(Bytes{x});
}
Cell saved_time_cell(double x) {
    return cell(Seconds{x});
}

/// Warm-up, micro-batches, cool-down, and what comes once.
RecordedStep saved_step_of(double warmup, double m, double forward, double backward, double cooldown,
                           const std::vector<std::pair<std::string, Seconds>>& rest) {
    constexpr double most = 100000.0;
    std::vector<std::pair<std::string, Seconds>> phases = {{"warmup", Seconds{warmup}}};
    for (int i = 0; i < static_cast<int>(std::min(m, most)); ++i) {
        phases.emplace_back("forward", Seconds{forward});
        phases.emplace_back("backward", Seconds{backward});
    }
    phases.emplace_back("cooldown", Seconds{cooldown});
    phases.insert(phases.end(), rest.begin(), rest.end());
    return step_of_phases(phases);
}

void read_iiis(const JsonValue& root, SavedAnswer& a) {
    add_figure(a, parameters_figure, saved_number_at(root, {"parameter", "total_parameters"}),
               short_count_cell);
    add_figure(a, memory_figure, saved_number_at(root, {"memory_usage", "overall_usage"}), saved_bytes_cell);
    add_figure(a, iteration_figure, saved_number_at(root, {"timeline", "per_iter_training_time"}),
               saved_time_cell);
    add_figure(a, total_figure, saved_number_at(root, {"total_time", "total_training_time"}),
               saved_time_cell);
    add_figure(a, gpus_figure, saved_number_at(root, {"total_time", "totoal_number_of_gpus"}), number_cell);
    const auto time = [&](const char* key) { return saved_number_at(root, {"timeline", key}).value_or(0.0); };
    a.step = saved_step_of(time("warmup_time"),
                           saved_number_at(root, {"computation", "num_microbatches"}).value_or(0.0),
                           time("forward_time"), time("backward_time"), time("cooldown_time"),
                           {{"allreduce", Seconds{time("allreduce_time")}}});
}

void read_fast_llm(const JsonValue& root, SavedAnswer& a) {
    constexpr double giga = 1e9;
    constexpr double day = 86400.0;
    const auto scaled = [](std::optional<double> x, double by) { return x ? std::optional(*x * by) : x; };
    add_figure(a, parameters_figure, scaled(saved_number_at(root, {"model_size_B"}), giga), short_count_cell);
    const JsonValue* plans = root.find("plans");
    if (plans != nullptr && plans->array() != nullptr && !plans->array()->empty()) {
        const JsonValue& plan = plans->array()->front();
        add_figure(a, memory_figure, scaled(saved_number_at(plan, {"train_GB"}), giga), saved_bytes_cell);
        add_figure(a, total_figure, scaled(saved_number_at(plan, {"days"}), day), saved_time_cell);
    }
}

/// Rows of a name and a number, as methods print their tables.
void read_tables(const JsonValue& tables, SavedAnswer& a) {
    for (const JsonValue& table : *tables.array()) {
        const JsonValue* rows = table.find("rows");
        if (rows == nullptr || rows->array() == nullptr) {
            continue;
        }
        for (const JsonValue& row : *rows->array()) {
            if (row.object() == nullptr || row.object()->size() < 2) {
                continue;
            }
            const auto* name = std::get_if<std::string>(&row.object()->front().value.data);
            const JsonMember& value = (*row.object())[1];
            const auto number = saved_number_at(row, {value.key});
            if (name != nullptr && number) {
                a.figures.emplace_back(
                    *name,
                    Cell{.text = to_significant(*number, 6), .exact = to_exact(*number), .number = true});
            }
        }
    }
}

Cell saved_dollars_cell(double x) {
    return cell(Dollars{x});
}

/// The command whose answer it is, by what only that answer says; nothing of a job, an estimate or a method.
std::string saved_command(const JsonValue& root) {
    const JsonValue* kind = root.find("kind");
    const auto* name = kind == nullptr ? nullptr : std::get_if<std::string>(&kind->data);
    if (name != nullptr && *name == "log") {
        return *name;
    }
    constexpr std::pair<std::string_view, const char*> marks[] = {
        {"rate_from", "days"}, {"memory_by_zero", "plan"}, {"pareto", "recommend"}, {"laws", "scale"}};
    for (const auto& [member, command] : marks) {
        if (root.find(member) != nullptr) {
            return command;
        }
    }
    return {};
}

void read_days(const JsonValue& root, SavedAnswer& a) {
    add_figure(a, total_figure, saved_number_at(root, {"time_s"}), saved_time_cell);
    add_figure(a, rate_figure, saved_number_at(root, {"tokens_per_s"}), short_count_cell);
    add_figure(a, mfu_figure, saved_number_at(root, {"mfu"}), share_cell);
    add_figure(a, cost_figure, saved_number_at(root, {"cost_USD"}), saved_dollars_cell);
}

/// The first of its plans, the best.
const JsonValue* saved_best_plan(const JsonValue& root, SavedAnswer& a) {
    const JsonValue* plans = root.find("plans");
    a.yes = plans != nullptr && plans->array() != nullptr && !plans->array()->empty();
    return a.yes ? &plans->array()->front() : nullptr;
}

std::optional<double> saved_days(const JsonValue& root, std::initializer_list<std::string_view> path) {
    constexpr double day = 86400.0;
    const auto days = saved_number_at(root, path);
    return days ? std::optional(*days * day) : days;
}

void read_plan(const JsonValue& root, SavedAnswer& a) {
    add_figure(a, parameters_figure, saved_number_at(root, {"params", "total"}), short_count_cell);
    if (const JsonValue* plan = saved_best_plan(root, a)) {
        add_figure(a, memory_figure, saved_number_at(*plan, {"device_bytes"}), saved_bytes_cell);
        add_figure(a, iteration_figure, saved_number_at(*plan, {"step_time_s"}), saved_time_cell);
        add_figure(a, total_figure, saved_days(*plan, {"days"}), saved_time_cell);
        add_figure(a, rate_figure, saved_number_at(*plan, {"tokens_per_s"}), short_count_cell);
        add_figure(a, mfu_figure, saved_number_at(*plan, {"mfu"}), share_cell);
        add_figure(a, cost_figure, saved_number_at(*plan, {"usd"}), saved_dollars_cell);
    }
    add_figure(a, gpus_figure, saved_number_at(root, {"input", "cluster", "accelerators"}), number_cell);
}

void read_recommend(const JsonValue& root, SavedAnswer& a) {
    if (const JsonValue* plan = saved_best_plan(root, a)) {
        add_figure(a, parameters_figure, saved_number_at(*plan, {"params", "total"}), short_count_cell);
        add_figure(a, memory_figure, saved_number_at(*plan, {"totals", "memory_bytes"}), saved_bytes_cell);
        add_figure(a, iteration_figure, saved_number_at(*plan, {"totals", "step_s"}), saved_time_cell);
        add_figure(a, total_figure, saved_days(*plan, {"totals", "days"}), saved_time_cell);
        add_figure(a, rate_figure, saved_number_at(*plan, {"throughput", "tokens_per_s"}), short_count_cell);
        add_figure(a, mfu_figure, saved_number_at(*plan, {"throughput", "mfu"}), share_cell);
        add_figure(a, cost_figure, saved_number_at(*plan, {"totals", "usd"}), saved_dollars_cell);
        add_figure(a, gpus_figure, saved_number_at(*plan, {"input", "cluster", "accelerators"}), number_cell);
    }
}

/// Each law's optimum.
void read_scale(const JsonValue& root, SavedAnswer& a) {
    const JsonValue* laws = root.find("laws");
    if (laws == nullptr || laws->array() == nullptr) {
        return;
    }
    for (const JsonValue& law : *laws->array()) {
        const JsonValue* name = law.find("name");
        const auto* text = name == nullptr ? nullptr : std::get_if<std::string>(&name->data);
        const std::string of = text == nullptr ? "" : ", " + *text;
        add_figure(a, "parameters" + of, saved_number_at(law, {"parameters"}), short_count_cell);
        add_figure(a, "tokens" + of, saved_number_at(law, {"tokens"}), short_count_cell);
        add_figure(a, "loss" + of, saved_number_at(law, {"loss"}), number_cell);
    }
}

void read_log(const JsonValue& root, SavedAnswer& a) {
    add_figure(a, memory_figure, saved_number_at(root, {"peak_memory_bytes"}), saved_bytes_cell);
    add_figure(a, iteration_figure, saved_number_at(root, {"step_time_s"}), saved_time_cell);
    add_figure(a, rate_figure, saved_number_at(root, {"tokens_per_s"}), short_count_cell);
    add_figure(a, gpus_figure, saved_number_at(root, {"accelerators"}), number_cell);
    add_figure(a, "loss", saved_number_at(root, {"loss_last"}), number_cell);
}

SavedAnswer saved_of_command(const std::string& command, const std::string& file, const JsonValue& root) {
    SavedAnswer a{.name = file, .kind = command, .figures = {}, .step = {}};
    if (command == "days") {
        read_days(root, a);
    } else if (command == "plan") {
        read_plan(root, a);
    } else if (command == "recommend") {
        read_recommend(root, a);
    } else if (command == "scale") {
        read_scale(root, a);
    } else {
        read_log(root, a);
    }
    const JsonValue* plans = root.find("plans");
    const bool none_fits = plans != nullptr && plans->array() != nullptr && plans->array()->empty();
    if (a.figures.empty() && !none_fits)
        throw Error(ErrorKind::input,
                    file + ": a saved answer of " + command + " without any of its figures");
    return a;
}

SavedAnswer saved_estimate(const std::string& file, const Sources& sources) {
    const ResolvedJob resolved = resolve(draft_from_file(file, sources), sources);
    const Estimate e = estimate(resolved.job);
    const StepTime& step = e.step;
    PassTime backward = step.parts.backward;
    backward += step.parts.again;
    const Seconds f = step.parts.forward.total();
    const Seconds b = backward.total();
    const double share = f / (f + b);
    const Seconds bubble = step[StepTerm::bubble];
    SavedAnswer a{.name = file, .kind = "estimate", .figures = {}, .step = {}};
    add_figure(a, parameters_figure, static_cast<double>(e.parameters.total), short_count_cell);
    add_figure(a, memory_figure, e.stages[static_cast<std::size_t>(e.peak_stage)].device.value(),
               saved_bytes_cell);
    add_figure(a, iteration_figure, step.total.value(), saved_time_cell);
    if (e.training) {
        add_figure(a, total_figure, e.training->time.value(), saved_time_cell);
    }
    add_figure(a, rate_figure, e.throughput.tokens_per_s, short_count_cell);
    add_figure(a, mfu_figure, e.throughput.mfu, share_cell);
    add_figure(a, gpus_figure, static_cast<double>(resolved.job.cluster.accelerators), number_cell);
    std::vector<std::pair<std::string, Seconds>> rest;
    for (const StepTerm term : {StepTerm::pipeline_transfer, StepTerm::data_parallel, StepTerm::offload,
                                StepTerm::optimizer, StepTerm::fixed, StepTerm::allocator}) {
        if (step[term].value() > 0.0) {
            rest.emplace_back(to_string(term), step[term]);
        }
    }
    a.step = saved_step_of(bubble.value() * share, step.parts.micro_batches, f.value(), b.value(),
                           bubble.value() * (1.0 - share), rest);
    a.yes = e.fits;
    return a;
}

std::vector<NamedRecording> saved_steps_of(const std::vector<SavedAnswer>& answers) {
    std::vector<NamedRecording> steps;
    for (const SavedAnswer& a : answers) {
        if (a.step) {
            steps.push_back({a.name, *a.step});
        }
    }
    return steps;
}

}  // namespace

bool is_other_answer(const std::string& file) {
    if (file == "-") {
        return false;
    }
    if (is_recording(file)) {
        return true;
    }
    if (!file.ends_with(".json")) {
        return false;
    }
    const JsonDocument document = read_json_file(file);
    return !saved_command(document.root).empty() || document.root.find("method") != nullptr ||
           document.root.find("tables") != nullptr;
}

SavedAnswer read_saved_answer(const std::string& file, const Sources& sources, const SheetNumbers& sheets) {
    if (!is_other_answer(file)) {
        return saved_estimate(file, sources);
    }
    if (is_recording(file)) {
        const std::vector<RecordedStep> steps = read_recording(file, sheets);
        SavedAnswer a{
            .name = file, .kind = "recording", .figures = {}, .step = steps[picked_step(steps, "median")]};
        add_figure(a, iteration_figure, a.step->total.value(), saved_time_cell);
        return a;
    }
    const JsonDocument document = read_json_file(file);
    if (const std::string command = saved_command(document.root); !command.empty()) {
        return saved_of_command(command, file, document.root);
    }
    const JsonValue* method = document.root.find("method");
    const auto* name = method == nullptr ? nullptr : std::get_if<std::string>(&method->data);
    SavedAnswer a{
        .name = file, .kind = "method" + (name == nullptr ? "" : " " + *name), .figures = {}, .step = {}};
    const JsonValue* tables = document.root.find("tables");
    if (name != nullptr && *name == "iiis") {
        read_iiis(document.root, a);
    } else if (name != nullptr && *name == "fast-llm") {
        read_fast_llm(document.root, a);
    } else if (tables != nullptr && tables->array() != nullptr) {
        read_tables(*tables, a);
    } else {
        for (const JsonMember& member : *document.root.object()) {
            const auto number = saved_number_at(document.root, {member.key});
            if (number && member.key != "schema_version") {
                a.figures.emplace_back(member.key, number_cell(*number));
            }
        }
    }
    return a;
}

std::vector<Table> saved_answer_tables(const std::vector<SavedAnswer>& answers, int columns) {
    Table table{.title = "Answers", .columns = {""}, .rows = {{text_cell("kind")}}, .remarks = {}};
    std::vector<std::string> names;
    for (const SavedAnswer& a : answers) {
        table.columns.push_back(a.name);
        table.rows.front().push_back(text_cell(a.kind));
        for (const auto& [name, value] : a.figures) {
            if (std::find(names.begin(), names.end(), name) == names.end()) {
                names.push_back(name);
            }
        }
    }
    for (const std::string& name : names) {
        std::vector<Cell> row = {text_cell(name)};
        for (const SavedAnswer& a : answers) {
            const auto at = std::find_if(a.figures.begin(), a.figures.end(),
                                         [&](const auto& f) { return f.first == name; });
            row.push_back(at == a.figures.end() ? empty_cell() : at->second);
        }
        table.rows.push_back(std::move(row));
    }
    std::vector<Table> tables = {std::move(table)};
    const std::vector<NamedRecording> steps = saved_steps_of(answers);
    if (!steps.empty()) {
        tables.push_back(recording_table(steps, columns));
        tables.back().title = "Steps on one scale";
    }
    return tables;
}

std::string saved_answer_svg(const std::vector<SavedAnswer>& answers) {
    return recording_svg(saved_steps_of(answers));
}

std::string saved_answer_json(const std::vector<SavedAnswer>& answers) {
    JsonWriter out;
    out.begin_object().member("schema_version", 1).key("answers").begin_array();
    for (const SavedAnswer& a : answers) {
        out.begin_object().member("name", a.name).member("kind", a.kind).key("figures").begin_object();
        for (const auto& [name, value] : a.figures) {
            out.member(name, parse_number(value.exact.empty() ? value.text : value.exact));
        }
        out.end_object();
        if (a.step) {
            out.member("step_s", a.step->total);
        }
        out.end_object();
    }
    return out.end_array().end_object().text();
}

}  // namespace traincost
