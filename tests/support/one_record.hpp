// A run record that describes a job, to be changed by the tests of what records say.
#pragma once

#include <string>

#include <traincost/fit/records/record_job.hpp>
#include <traincost/io/catalogue.hpp>
#include <traincost/io/record_catalogue.hpp>
#include <traincost/io/records.hpp>

namespace one_record {

/// A line of a record file: Llama 2 7B on eight H100.
inline std::string line(const std::string& id, const std::string& measured = R"({"step_time_s":1.5})",
                        const std::string& run_extra = "") {
    return R"({"schema":"run-record/1","id":")" + id +
           R"(","task":"pretrain","quality":"A","model":{"name":"Llama-2-7B","family":"llama2","layers":32,"hidden":4096,)"
           R"("heads":32,"kv_heads":32,"head_dim":128,"ffn":11008,"gated_mlp":true,"vocab":32000,"tied_embeddings":false,)"
           R"("positional":"rope","attention":"mha","moe":null,"mla":null},"cluster":{"accelerator":"h100-sxm5-80gb",)"
           R"("accelerators":8,"per_node":8},"run":{"stack":"nemo","precision":"bf16-mixed","optimizer":"adamw",)"
           R"("sequence":4096,"micro_batch":1,"global_batch":128)" +
           run_extra +
           R"(,"parallel":{"tp":2,"pp":1,"vp":1,"dp":4,"cp":1,"ep":1,"zero":1},"recompute":null},"measured":)" +
           measured + R"(,"assumed":["x"],"extra":{"rank":8,"list":[1,2]}})" + "\n";
}

/// A record to change, and where what it names is looked up.
struct OneRecord {
    const traincost::Catalogue catalogue;
    const traincost::RecordCatalogue look_up = traincost::record_catalogue(catalogue);
    traincost::RunRecord record = traincost::records_from_text(line("a-1"), "file.jsonl").records[0];

    /// Of the record as it is now, which describes one.
    traincost::Job described() const {
        return traincost::job_of(record, look_up).job.value();
    }
};

}  // namespace one_record
