// A job in the words of a draft, and the account of which of them a launch file says.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/export/exporters.hpp"
#include "traincost/spec/job.hpp"
#include "traincost/spec/job_draft.hpp"

namespace traincost {

/// Everything that is said of the run and the hardware of a job.
JobDraft draft_of(const Job& job);

/// A job while its files are written: each of its fields is said, or is left out for a reason.
class JobWords {
public:
    /// `read_as` is what the files are recognised as.
    JobWords(std::string_view format, std::string_view read_as, const Job& job, std::string_view checkpoint);

    const Job& job() const {
        return job_;
    }
    const RunSpec& run() const {
        return job_.run;
    }
    const Parallelism& parallel() const {
        return job_.run.parallel;
    }
    const ModelSpec& model() const {
        return job_.model;
    }
    /// What a hub calls the model; the job's name where nobody knows.
    const std::string& checkpoint() const {
        return checkpoint_;
    }

    // What is in force where the run leaves it to its stack.
    bool compiled() const;
    bool sequence_parallel() const;
    AttentionKernel attention() const;
    bool is_tuned() const {
        return job_.run.tuning == Tuning::lora || job_.run.tuning == Tuning::qlora;
    }
    /// "bf16", "fp16" or "fp32": the format pointwise operators run in.
    std::string_view compute_word() const;
    /// Products run in 8 bits.
    bool is_fp8() const;
    /// Micro-batches a rank runs a step.
    std::int64_t accumulation() const;
    /// Sequences of a step that whole micro-batches of every rank make.
    std::int64_t whole_batch() const;
    std::int64_t nodes() const;
    std::int64_t processes_per_node() const;

    /// The files say these fields.
    void said(std::initializer_list<std::string_view> fields);
    /// The framework does so without a word: `same` where that is what the job has.
    void fixed(std::string_view field, bool same, std::string_view why);
    void unsaid(std::string_view field, std::string_view why);
    /// `word` is what the files say of precision, as readers take it.
    void say_precision(std::string_view word);
    /// The files say the sequence, the micro-batch and whole micro-batches of every rank.
    void say_batch();
    /// Nothing runs in parallel but data.
    void only_data_parallel(std::string_view framework);

    /// What is set and was not said, each with its reason.
    std::vector<UnsaidField> left_out() const;

private:
    std::string_view format_;
    const Job& job_;
    std::string checkpoint_;
    std::set<std::string, std::less<>> said_{};
    std::vector<UnsaidField> reasons_{};
};

}  // namespace traincost
