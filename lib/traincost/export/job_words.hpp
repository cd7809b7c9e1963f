// A job in the words of a draft, and the account of which of them a launch file says.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/export/exporters.hpp"
#include "traincost/spec/draft/job_draft.hpp"
#include "traincost/spec/job.hpp"

namespace traincost {

/// Everything that is said of the run and the hardware of a job.
JobDraft draft_of(const Job& job);

/// What a format is: its name, what readers recognise its files as, and which of tp, pp and cp it has.
struct FormatTraits {
    std::string_view name;
    std::string_view read_as;
    std::string_view degrees;
};

/// A job while its files are written: each of its fields is said, or is left out for a reason.
class JobWords {
public:
    JobWords(const FormatTraits& format, const Job& job, std::string_view checkpoint);

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
    /// Transformers' name of it: PyTorch's own choice of kernel unless flash-attn's is asked for. Says
    /// "attention", and the generation where the name does.
    std::string_view attention_implementation();
    double dropout() const;
    bool is_tuned() const {
        return job_.run.tuning == Tuning::lora || job_.run.tuning == Tuning::qlora;
    }
    /// "bf16", "fp16" or "fp32": the format pointwise operators run in.
    std::string_view compute_word() const;
    /// Products run in 8 bits.
    bool is_fp8() const;
    /// Data-parallel ranks of the files: those of the job, times the degrees that the format does not have.
    std::int64_t ranks() const {
        return parallel().dp * lost_;
    }
    /// Micro-batches a rank of the files runs a step.
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
    /// The framework's pipeline runs `does`, which readers of its files leave to the stack.
    void say_schedule(Schedule does, std::string_view why);
    /// `word` is what the files say of precision, as readers take it.
    void say_precision(std::string_view word, std::string_view recipe_read = {});
    /// The files say the sequence, the micro-batch and whole micro-batches of every rank.
    void say_batch();
    /// The framework has none of these: vp, ep.
    void without(std::initializer_list<std::string_view> degrees);

    /// What is set and was not said, each with its reason.
    std::vector<UnsaidField> left_out() const;

private:
    FormatTraits format_;
    const Job& job_;
    std::string checkpoint_;
    std::int64_t lost_ = 1;
    std::set<std::string, std::less<>> said_{};
    std::vector<UnsaidField> reasons_{};
};

}  // namespace traincost
