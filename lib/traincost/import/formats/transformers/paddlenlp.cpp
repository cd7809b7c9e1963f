// PaddleNLP: the arguments of Hugging Face's trainer, with degrees, sharding and recomputation of its own.

#include <array>

#include "traincost/base/text.hpp"
#include "traincost/import/formats/format_facts.hpp"
#include "traincost/import/formats/formats.hpp"

namespace traincost {

int recognise_paddlenlp(const Setting& root) {
    const bool own = root.has_any({"tensor_parallel_degree", "pipeline_parallel_degree",
                                   "sharding_parallel_degree", "unified_checkpoint"}) ||
                     (root.has("recompute") && root.has("fp16_opt_level"));
    const int arguments = own ? recognise_hf_arguments(root) : 0;
    return arguments > 0 ? arguments + 10 : 0;
}

namespace {

/// "stage2", "stage1 offload".
void read_stages(const Setting& root, FactSheet& sheet) {
    const Setting* at = first_of(root, {"sharding"});
    if (at == nullptr || !at->is_scalar()) {
        return;
    }
    static constexpr std::array<std::string_view, 3> stages = {"stage1", "stage2", "stage3"};
    for (std::size_t i = 0; i < stages.size(); ++i) {
        if (at->text.find(stages[i]) != std::string::npos) {
            sheet.state(Fact::zero, static_cast<std::int64_t>(i) + 1, *at);
        }
    }
    if (at->text.find("offload") != std::string::npos) {
        sheet.state(Fact::offload, "cpu (optimizer)", *at);
    }
}

void read_recompute(const Setting& root, FactSheet& sheet) {
    const Setting* part = first_of(root, {"recompute_granularity"});
    const Setting* at = first_of(root, {"recompute", "use_recompute"});
    if (at == nullptr || !as_truth(*at)) {
        sheet.assume(Fact::recompute, "none", "recompute");
    } else if (!*as_truth(*at)) {
        sheet.state(Fact::recompute, "none", *at);
    } else {
        const bool core = part != nullptr && part->text == "core_attn";
        sheet.state(Fact::recompute, core ? "selective" : "full", core ? *part : *at);
    }
}

}  // namespace

void read_paddlenlp(const Setting& root, FactSheet& sheet) {
    // PaddleFormers calls them as Megatron does.
    sheet.whole(Fact::tp, root, {"tensor_parallel_degree", "tensor_model_parallel_size"});
    sheet.whole(Fact::pp, root, {"pipeline_parallel_degree", "pipeline_model_parallel_size"});
    sheet.whole(Fact::vp, root, {"virtual_pp_degree", "virtual_pipeline_model_parallel_size"});
    sheet.whole(Fact::cp, root, {"context_parallel_degree", "sep_parallel_degree", "context_parallel_size"});
    sheet.whole(Fact::ep, root, {"expert_parallel_degree", "expert_model_parallel_size"});
    sheet.word(Fact::attention, root, {"_attn_implementation"});
    for (const Fact fact : {Fact::tp, Fact::pp, Fact::cp}) {
        sheet.assume(fact, std::int64_t{1}, "PaddleNLP's " + std::string(fact_name(fact)));
    }
    if (const Setting* at = first_of(root, {"sequence_parallel"}); at != nullptr && as_truth(*at)) {
        state_sequence_parallel(*at, *as_truth(*at), sheet);
    }
    read_stages(root, sheet);
    read_recompute(root, sheet);
    if (is_on(root, "lora")) {
        sheet.whole(Fact::lora_rank, root, {"lora_rank"});
        sheet.assume(Fact::lora_rank, std::int64_t{8}, "lora_rank");
    } else {
        first_of(root, {"lora_rank"});
    }
    read_hf_arguments(root, sheet);
}

}  // namespace traincost
