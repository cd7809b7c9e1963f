#include "traincost/report/commands/other_names.hpp"

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

struct OtherNames {
    std::string_view option;
    std::string_view names;  ///< between spaces
};

constexpr OtherNames other_names[] = {
    {"--global-batch",
     " batch batch-size bs gbs gbsz global-bs global-batch-size train-batch-size total-batch-size "},
    {"--micro-batch",
     " mbs mbsz micro-bs micro-batch-size microbatch microbatch-size per-device-batch-size "
     "per-device-train-batch-size per-gpu-batch-size train-micro-batch-size-per-gpu "
     "local-batch-size device-batch-size "},
    {"--accumulation",
     " ga gas grad-accum gradient-accumulation gradient-accumulation-steps grad-accum-steps "
     "accumulate-grad-batches accumulation-steps "},
    {"--seq",
     " sequence sequence-length seq-len seq-length seqlen seqlength context-length context-len "
     "context-window ctx ctx-len max-seq-len max-seq-length max-length max-model-len cutoff-len "
     "block-size "},
    {"--gpus",
     " n ngpu ngpus num-gpus n-gpus gpu-count num-devices devices world-size accelerators "
     "num-accelerators nodes num-nodes nnodes "},
    {"--gpu", " accelerator device hardware gpu-type gpu-model "},
    {"--params", " model model-size size num-params n-params parameters "},
    {"--flops", " compute compute-budget flop c "},
    {"--per-node", " gpus-per-node nproc-per-node gpu-per-node accelerators-per-node "},
    {"--model", " m model-name model-id model-name-or-path config "},
    {"--tp",
     " tensor-parallel tensor-parallel-size tensor-parallel-degree tensor-model-parallel-size "
     "tensor-parallelism tp-size tp-degree "},
    {"--pp",
     " pipeline-parallel pipeline-parallel-size pipeline-parallel-degree "
     "pipeline-model-parallel-size pipeline-parallelism pp-size pp-degree "},
    {"--dp", " data-parallel data-parallel-size data-parallel-degree data-parallelism dp-size dp-degree "},
    {"--cp",
     " context-parallel context-parallel-size context-parallel-degree context-parallelism cp-size "
     "cp-degree "},
    {"--ep",
     " expert-parallel expert-parallel-size expert-parallel-degree expert-model-parallel-size "
     "expert-parallelism ep-size ep-degree "},
    {"--etp", " expert-tensor-parallel expert-tensor-parallel-size "},
    {"--vp", " virtual-pipeline virtual-stages vpp virtual-pipeline-size "},
    {"--zero", " zero-stage sharding sharding-strategy "},
    {"--zero 3", " fsdp fsdp2 zero3 zero-3 full-shard "},
    {"--zero 2", " zero2 zero-2 "},
    {"--zero 1", " zero1 zero-1 distributed-optimizer use-distributed-optimizer "},
    {"--zero 0", " ddp zero0 zero-0 "},
    {"--hybrid-shard", " hsdp "},
    {"--sequence-parallel", " sp "},
    {"--precision", " dtype mixed-precision "},
    {"--precision bf16", " bf16 "},
    {"--precision fp16", " fp16 "},
    {"--precision fp8", " fp8 "},
    {"--precision fp32", " fp32 "},
    {"--recompute",
     " checkpointing activation-checkpointing gradient-checkpointing activation-recomputation "
     "recompute-granularity ac "},
    {"--optimizer", " optim opt "},
    {"--stack", " framework backend engine library "},
    {"--stack deepspeed", " deepspeed "},
    {"--tuning lora", " lora "},
    {"--tuning qlora", " qlora "},
    {"--tuning", " finetune fine-tune finetuning fine-tuning finetuning-type task "},
    {"--lora-rank", " rank r lora-r lora-dim "},
    {"--lora-targets", " target-modules lora-target lora-target-modules "},
    {"--tokens", " train-tokens total-tokens num-tokens training-tokens dataset-size "},
    {"--attention", " attn attn-implementation flash-attn flash-attention use-flash-attn "},
    {"--compile", " torch-compile "},
    {"--schedule", " pipeline-schedule "},
    {"--gpu-hour-price", " gpu-price hourly-price price-per-hour price-per-gpu-hour cost-per-hour "},
    {"--headroom", " margin memory-margin safety-margin "},
    {"--step-time", " step-seconds time-per-step iteration-time "},
    {"--output", " out output-file "},
};

}  // namespace

std::string option_meant_by(std::string_view word) {
    const std::size_t dashes = word.find_first_not_of('-');
    if (dashes == word.npos || dashes == 0) {
        return "";
    }
    std::string name = " " + lower(word.substr(dashes, word.find('=') - dashes)) + " ";
    for (char& c : name) {
        c = c == '_' ? '-' : c;
    }
    for (const OtherNames& row : other_names) {
        if (row.names.find(name) != row.names.npos) {
            return std::string(row.option);
        }
    }
    return "";
}

}  // namespace traincost
