#include "traincost/fit/records/record_counts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace traincost {

RunRecord completed(const RunRecord& stated, const RecordCatalogue& catalogue,
                    std::vector<std::string>& assumptions) {
    RunRecord record = stated;
    RecordRun& run = record.run;
    run.stack = catalogue.stack(run.stack).id;
    RecordParallel& p = run.parallel;
    const std::int64_t others = std::max<std::int64_t>(1, p.tp * p.pp * p.cp);
    if (p.dp <= 1 && record.cluster.accelerators > others && record.cluster.accelerators % others == 0) {
        p.dp = record.cluster.accelerators / others;
        assumptions.push_back("run.parallel.dp is not stated: " + std::to_string(p.dp) +
                              ", all accelerators that tp, pp and cp leave");
    }
    const std::int64_t dp = std::max<std::int64_t>(1, p.dp);
    const std::int64_t passes = run.accumulation.value_or(0);
    if (run.global_batch <= 0 && run.micro_batch > 0 && passes > 0) {
        run.global_batch = run.micro_batch * dp * passes;
        assumptions.push_back("run.global_batch is not stated: micro-batch, dp and accumulation give " +
                              std::to_string(run.global_batch));
    } else if (run.micro_batch <= 0 && run.global_batch > 0 && passes > 0 &&
               run.global_batch % (dp * passes) == 0) {
        run.micro_batch = run.global_batch / (dp * passes);
        assumptions.push_back("run.micro_batch is not stated: global batch, dp and accumulation give " +
                              std::to_string(run.micro_batch));
    }
    return record;
}

std::string missing_count(const RunRecord& r) {
    const std::array<std::pair<std::string_view, std::int64_t>, 9> counts = {{
        {"model.layers", r.model.layers},
        {"model.hidden", r.model.hidden},
        {"model.heads", r.model.heads},
        {"model.vocab", r.model.vocab},
        {"cluster.accelerators", r.cluster.accelerators},
        {"run.sequence", r.run.sequence},
        {"run.micro_batch", r.run.micro_batch},
        {"run.global_batch", r.run.global_batch},
        {"run.parallel.dp", r.run.parallel.dp},
    }};
    for (const auto& [name, value] : counts) {
        if (value <= 0)
            return std::string(name) + " is not stated";
    }
    return {};
}

std::string impossible_degree(const RunRecord& r) {
    const RecordParallel& p = r.run.parallel;
    const std::array<std::pair<std::string_view, std::int64_t>, 4> degrees = {{
        {"tp", p.tp},
        {"pp", p.pp},
        {"cp", p.cp},
        {"ep", p.ep},
    }};
    for (const auto& [name, value] : degrees) {
        if (value < 1 || value > std::max<std::int64_t>(1, r.cluster.accelerators))
            return "run.parallel." + std::string(name) + " is " + std::to_string(value) +
                   "; must be between 1 and the number of accelerators";
    }
    return {};
}

}  // namespace traincost
