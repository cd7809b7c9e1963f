#include "traincost/fit/records/record_choices.hpp"

#include "traincost/base/text.hpp"
#include "traincost/fit/records/record_words.hpp"
#include "traincost/spec/names.hpp"

namespace traincost {

namespace {

/// The words of a list as the source writes it: ["blocks", "loss"], or blocks,loss.
std::vector<std::string> words_of(std::string_view list) {
    std::vector<std::string> words;
    for (std::string word : split(std::string(list), ',')) {
        std::erase_if(word, [](char c) { return c == '[' || c == ']' || c == '"' || c == ' ' || c == '\n'; });
        if (!word.empty())
            words.push_back(std::move(word));
    }
    return words;
}

class Choices {
public:
    Choices(const RunRecord& record, RunSpec& run, std::vector<std::string>& assumptions)
        : record_(record), in_(record.run), run_(run), assumptions_(assumptions) {
    }

    void set() {
        set_loss();
        set_compiled_parts();
        set_reshard();
        set_optimizer();
        set_fp8_scaling();
        if (const auto type = data_type_from(in_.reduce_dtype))
            run_.precision.reduce = *type;
        if (in_.packed_length)
            run_.packed_length = in_.packed_length;
        if (in_.padded_length)
            run_.padded_length = in_.padded_length;
        run_.mlp_tiles = in_.mlp_tiles.value_or(run_.mlp_tiles);
        run_.offload_activations = in_.offload_activations.value_or(run_.offload_activations);
        if (in_.expandable_segments)
            run_.expandable_segments = in_.expandable_segments;
        if (in_.dropout)
            run_.dropout = in_.dropout;
        run_.expert_imbalance = in_.expert_imbalance.value_or(run_.expert_imbalance);
        run_.expert_one_hot = in_.expert_one_hot.value_or(run_.expert_one_hot);
    }

private:
    std::string extra(std::string_view key) const {
        return record_.extra_text(key).value_or("");
    }

    /// A word of a field that names none of its values is not lost.
    void say_unknown(std::string_view field, const std::string& word) {
        if (!word.empty())
            assumptions_.push_back(std::string(field) + " '" + word + "' is not known: the stack's is taken");
    }

    void set_loss() {
        if (const auto loss = value_of<LossKernel>(in_.loss))
            run_.loss = *loss;
        else
            say_unknown("loss", in_.loss);
        run_.loss_chunks = in_.loss_chunks;
        if (!run_.loss_chunks)
            run_.loss_chunks = number_after(extra("loss_chunks"), "");
    }

    void set_compiled_parts() {
        const std::vector<std::string> words =
            in_.compiled_parts.empty() ? words_of(extra("compiled")) : in_.compiled_parts;
        if (words.empty())
            return;
        CompiledParts parts;
        for (const std::string& word : words) {
            if (word == "blocks" || word == "model") {
                parts.attention = parts.mlp = parts.norms = true;
            } else if (const auto part = compiled_part(word)) {
                parts.*part = true;
            } else if (word != "nothing") {
                assumptions_.push_back("compiled part '" + word + "' is taken as not compiled");
            }
        }
        run_.compiled_parts = parts;
    }

    void set_reshard() {
        if (const auto reshard = value_of<Reshard>(in_.reshard)) {
            run_.reshard = *reshard;
            run_.kept_blocks = in_.kept_blocks.value_or(1);
            return;
        }
        say_unknown("reshard", in_.reshard);
        const std::string words = extra("reshard");
        if (says(words, "never")) {
            run_.reshard = Reshard::never;
        } else if (says(words, "all but the last")) {
            run_.reshard = Reshard::last_kept;
            run_.kept_blocks = number_after(words, "the last ").value_or(1);
        }
    }

    /// What is known, else the value that the field names, else the one that the source's own words do.
    template <class Enum>
    static std::optional<Enum> named(std::string_view field, std::string_view words,
                                     std::optional<Enum> known) {
        for (const std::string_view text : {field, words}) {
            for (const std::string_view name : enum_names<Enum>()) {
                if (!known && says(text, name))
                    known = value_of<Enum>(name);
            }
        }
        return known;
    }

    /// "rowwise_with_gw_hp" is rowwise; recipes of other formats, as "mxfp8_rceil", say nothing of it.
    void set_fp8_scaling() {
        if (run_.precision.gemm != DataType::fp8)
            return;
        const std::optional<Fp8Scaling> of_recipe =
            named(in_.fp8_scaling, extra("low_precision_recipe"), run_.fp8_scaling);
        run_.fp8_scaling = of_recipe ? of_recipe : scaling_in(in_.precision_note);
    }

    /// What a note on the precision calls it.
    static std::optional<Fp8Scaling> scaling_in(std::string_view note) {
        if (says_any(note, {"rowwise", "row-wise", "per-row"}))
            return Fp8Scaling::rowwise;
        if (says_any(note, {"blockwise", "block-wise", "per-block", "subchannel"}))
            return Fp8Scaling::blockwise;
        if (says_any(note, {"tensorwise", "tensor-wise", "per-tensor"}))
            return Fp8Scaling::tensorwise;
        return std::nullopt;
    }

    void set_optimizer() {
        const std::string words = extra("optimizer_implementation");
        run_.optimizer_in_backward =
            in_.optimizer_in_backward.value_or(run_.optimizer_in_backward || says(words, "in backward"));
        run_.optimizer_kernel = named(in_.optimizer_kernel, words, run_.optimizer_kernel);
    }

    const RunRecord& record_;
    const RecordRun& in_;
    RunSpec& run_;
    std::vector<std::string>& assumptions_;
};

}  // namespace

void set_stated_choices(const RunRecord& record, RunSpec& run, std::vector<std::string>& assumptions) {
    Choices(record, run, assumptions).set();
}

}  // namespace traincost
