#include "fuzz/targets.hpp"

#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

#include <traincost/ask/questions/search_dimensions.hpp>
#include <traincost/base/error.hpp>
#include <traincost/base/text.hpp>
#include <traincost/cost/estimate.hpp>
#include <traincost/import/hf/hf_config.hpp>
#include <traincost/import/importers.hpp>
#include <traincost/import/logs/log_reader.hpp>
#include <traincost/import/logs/training_log_json.hpp>
#include <traincost/io/answers/shard_json.hpp>
#include <traincost/io/answers/sweep_json.hpp>
#include <traincost/io/bench/accelerator_kernels.hpp>
#include <traincost/io/bench/diagnoses_json.hpp>
#include <traincost/io/bench/failure_data.hpp>
#include <traincost/io/bench/grid_data.hpp>
#include <traincost/io/bench/kernel_points.hpp>
#include <traincost/io/bench/network_data.hpp>
#include <traincost/io/bench/record_groups_data.hpp>
#include <traincost/io/bench/residuals_json.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/cluster_build.hpp>
#include <traincost/io/json_writer.hpp>
#include <traincost/io/record_catalogue.hpp>
#include <traincost/io/records.hpp>
#include <traincost/io/specs/accelerator_json.hpp>
#include <traincost/io/specs/cluster_json.hpp>
#include <traincost/io/specs/job_json.hpp>
#include <traincost/io/specs/model_json.hpp>
#include <traincost/io/specs/operation_json.hpp>
#include <traincost/io/specs/stack_json.hpp>
#include <traincost/plan/operation.hpp>
#include <traincost/plan/sweep.hpp>
#include <traincost/spec/draft/job_values.hpp>

namespace fuzz {

using namespace traincost;

namespace {

const Catalogue& catalogue() {
    static const Catalogue all;
    return all;
}

void require(bool holds, const std::string& what) {
    if (!holds)
        throw std::logic_error(what);
}

void require_finite(double x, std::string_view what) {
    require(std::isfinite(x) && x >= 0.0, std::string(what) + " is " + std::to_string(x));
}

/// A plain job that parts read from a file replace.
const Job& plain_job() {
    static const Job job = [] {
        RunSpec run{};
        run.sequence = 1024;
        run.micro_batch = 1;
        run.global_batch = 16;
        run.precision_name = "bf16-mixed";
        run.precision = *precision_from(run.precision_name);
        run.parallel.dp = 16;
        run.tokens = 1e9;
        return Job{catalogue().model("gpt2-124m"), catalogue().cluster("dgx-h100", 16).spec,
                   catalogue().stack("megatron-core"), run};
    }();
    return job;
}

/// A job that is valid must have an answer, whose every number is one.
void cost(const Job& job, const Operation& operation = {}) {
    if (!validate(job).empty())
        return;
    const Estimate e = estimate(job);
    for (const StageMemory& stage : e.stages) {
        for (int t = 0; t < memory_term_count; ++t)
            require_finite(stage.terms[static_cast<std::size_t>(t)].value(),
                           to_string(static_cast<MemoryTerm>(t)));
        require_finite(stage.device.value(), "device memory");
    }
    for (int t = 0; t < step_term_count; ++t)
        require_finite(e.step.terms[static_cast<std::size_t>(t)].value(),
                       to_string(static_cast<StepTerm>(t)));
    require_finite(e.throughput.mfu, "MFU");
    const Bill b = bill(job, e, operation);
    if (b.totals)
        require_finite(b.totals->time.value(), "training time");
    if (b.co2_kg)
        require_finite(*b.co2_kg, "CO2");
}

JsonDocument parsed(std::string_view bytes) {
    return parse_json(bytes, "input");
}

/// What was read must be written so that it is read back equal.
template <class T, class Read>
void round_trip(const T& spec, Read read) {
    JsonWriter out;
    write_json(out, spec);
    const JsonDocument again = parse_json(out.text(), "written");
    require(read(JsonNode(again)) == spec, "written and read back it differs");
}

void model(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    Job job = plain_job();
    job.model = model_from_json(JsonNode(document));
    round_trip(job.model, model_from_json);
    cost(job);
}

void config(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    if (!is_hf_config(document))
        return;
    Job job = plain_job();
    job.model = read_hf_config(document).model;
    round_trip(job.model, model_from_json);
    cost(job);
}

void job(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    const JobDraft file = job_draft_from_json(JsonNode(document), catalogue());
    Job job = plain_job();
    if (file.model_spec)
        job.model = *file.model_spec;
    else if (file.model)
        job.model = catalogue().model(*file.model);
    if (file.stack_spec)
        job.stack = *file.stack_spec;
    else if (file.stack)
        job.stack = catalogue().stack(*file.stack);
    apply(file, job.run);
    const std::int64_t accelerators = file.gpus.value_or(16);
    const std::string cluster = file.cluster.value_or("dgx-h100");
    job.cluster = catalogue().cluster(cluster, accelerators, file.per_node.value).spec;
    if (file.accelerator_spec)
        job.cluster.accelerator = *file.accelerator_spec;
    if (!file.dp)
        job.run.parallel.dp = accelerators;
    const Operation operation = operation_of(file);
    cost(job, operation);
    JsonWriter out;
    write_json(out, job, operation);
    const JsonDocument again = parse_json(out.text(), "written");
    const JobDraft read = job_draft_from_json(JsonNode(again), catalogue());
    RunSpec run{};
    apply(read, run);
    require(read.model_spec.value == job.model && read.stack_spec.value == job.stack && run == job.run &&
                operation_of(read) == operation,
            "written and read back it differs");
}

void accelerator(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    Job job = plain_job();
    job.cluster.accelerator = accelerator_from_json(JsonNode(document));
    job.cluster.kernels = kernel_models_of(job.cluster.accelerator);
    JsonWriter out;
    write_json(out, job.cluster.accelerator);
    const JsonDocument again = parse_json(out.text(), "written");
    accelerator_from_json(JsonNode(again));
    cost(job);
}

void cluster(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    const ClusterRecord record = cluster_record_from_json(JsonNode(document));
    Job job = plain_job();
    const std::string accelerator = record.accelerator.value_or("h100-sxm5-80gb");
    if (!catalogue().find(Room::accelerators, accelerator))
        return;
    job.cluster =
        build_cluster(record, catalogue().accelerator(accelerator), {}, 16, std::nullopt, catalogue().bench())
            .spec;
    cost(job);
    job.run.parallel = {.tp = 4, .pp = 2, .dp = 2, .sequence_parallel = {}};
    cost(job);
}

void stack(std::string_view bytes) {
    Job job = plain_job();
    job.stack = catalogue().stack_from(parsed(bytes));
    round_trip(job.stack, stack_from_json);
    cost(job);
    job.run.parallel = {.tp = 2, .pp = 2, .dp = 4, .zero = 1, .sequence_parallel = {}};
    cost(job);
    job.run.parallel = {.dp = 16, .zero = 3, .sequence_parallel = {}};
    cost(job);
}

void price(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    Job job = plain_job();
    job.cluster.prices = prices_from_json(JsonNode(document));
    cost(job);
}

void operation(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    const Operation given = operation_from_json(JsonNode(document));
    round_trip(given, operation_from_json);
    Job job = plain_job();
    if (const auto operated_cluster = operated(job.cluster, given))
        job.cluster = *operated_cluster;
    cost(job, given);
}

void kernel_data(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    const JsonValue* schema = document.root.find("schema");
    const auto* name = schema == nullptr ? nullptr : std::get_if<std::string>(&schema->data);
    if (name == nullptr)
        return;
    Job job = plain_job();
    const JsonNode node(document);
    if (*name == "gemm/1")
        add(gemm_data_from_json(node), job.cluster.kernels);
    else if (*name == "attention/1")
        add(attention_data_from_json(node), job.cluster.kernels);
    else if (*name == "memory/1")
        add(bandwidth_data_from_json(node), job.cluster.kernels);
    else if (*name == "network/1")
        job.cluster.network.scale_up.curves = link_record_from_json(node).curves;
    cost(job);
}

void tables(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    const JsonNode node(document);
    for (const auto read : {+[](const JsonNode& n) { failure_data_from_json(n); },
                            +[](const JsonNode& n) { grid_intensities_from_json(n); },
                            +[](const JsonNode& n) { diagnoses_from_json(n); },
                            +[](const JsonNode& n) { record_groups_from_json(n); },
                            +[](const JsonNode& n) { residuals_from_json(n); }}) {
        try {
            read(node);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal)
                throw;
        }
    }
}

void records(std::string_view bytes) {
    static const RecordCatalogue look_up = record_catalogue(catalogue());
    for (const RunRecord& record : records_from_text(bytes, "input").records) {
        if (const auto job = job_of(record, look_up).job)
            cost(*job);
    }
}

void kernel_points(std::string_view bytes) {
    kernel_file_from_text(std::string(bytes), "input");
}

void launch(std::string_view bytes) {
    const LaunchFile file{"input", std::string(bytes)};
    read_launch_files({&file, 1});
}

void training_log(std::string_view bytes) {
    std::istringstream in{std::string(bytes)};
    if (const std::optional<TrainingLog> read = read_training_log(in)) {
        JsonWriter out;
        write_json(out, *read);  // refuses what is not finite
        parse_json(out.text(), "written");
    }
}

void shard(std::string_view bytes) {
    const JsonDocument document = parsed(bytes);
    if (is_sweep(document)) {
        merged_sweep({document});
        return;
    }
    const ShardFile file = shard_from_json(JsonNode(document));
    merge_shards({file}, {"input"}, 10);
}

/// Calls each parser with the text; all but a defect is refused.
template <class... Parse>
void each_of(std::string_view bytes, Parse... parse) {
    const auto one = [&](auto parser) {
        try {
            parser(std::string(bytes));
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal)
                throw;
        }
    };
    (one(parse), ...);
}

void numbers(std::string_view bytes) {
    each_of(
        bytes, [](const std::string& t) { require(std::isfinite(parse_number(t)), "not finite"); },
        [](const std::string& t) { count_text(static_cast<double>(parse_count(t))); },
        [](const std::string& t) { to_text(parse_bytes(t)); },
        [](const std::string& t) { to_text(parse_byte_rate(t)); },
        [](const std::string& t) { to_text(parse_flop_rate(t)); },
        [](const std::string& t) { to_text(parse_duration(t)); },
        [](const std::string& t) { to_text(parse_dollars(t)); },
        [](const std::string& t) { percent_text(parse_fraction(t)); });
}

void ranges(std::string_view bytes) {
    each_of(
        bytes, [](const std::string& t) { number_choice(t); },
        [](const std::string& t) { recompute_choice(t); },
        [](const std::string& t) {
            sweep_combinations({sweep_axis(t), sweep_axis("tp=1,2")});
        });
}

constexpr std::array<Target, 17> all_targets = {{{"model", model},
                                                 {"config", config},
                                                 {"job", job},
                                                 {"accelerator", accelerator},
                                                 {"cluster", cluster},
                                                 {"stack", stack},
                                                 {"price", price},
                                                 {"operation", operation},
                                                 {"kernel_data", kernel_data},
                                                 {"kernel_points", kernel_points},
                                                 {"tables", tables},
                                                 {"records", records},
                                                 {"launch", launch},
                                                 {"log", training_log},
                                                 {"shard", shard},
                                                 {"numbers", numbers},
                                                 {"ranges", ranges}}};

}  // namespace

std::span<const Target> targets() {
    return all_targets;
}

void run(const Target& target, std::string_view bytes) {
    try {
        target.run(bytes);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal)
            throw;
    }
}

}  // namespace fuzz
