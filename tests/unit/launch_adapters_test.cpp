// Which matrices carry adapters, their dropout, and whether examples are packed: by each trainer's words.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/import/launch_draft.hpp>
#include <traincost/spec/draft/job_values.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

const std::string axolotl =
    "base_model: acme/m-1b\nadapter: lora\nlora_r: 16\nmicro_batch_size: 2\nsequence_len: 1024\n"
    "gradient_accumulation_steps: 8\ndatasets:\n  - path: a/b\n";

}  // namespace

TEST_CASE("adapters: matrices by name, by a switch, and all of them", "[launch]") {
    const std::string listed = "lora_target_modules: [q_proj, k_proj, v_proj, o_proj]\nlora_dropout: 0.05\n";
    CHECK(said(said_in(axolotl + listed), Fact::lora_targets) == "q,k,v,o");
    CHECK(said(said_in(axolotl + listed), Fact::lora_dropout) == "0.05");
    CHECK(said(said_in(axolotl + "lora_target_linear: true\n"), Fact::lora_targets) == "q,k,v,o,mlp");
    CHECK(said(said_in(axolotl), Fact::lora_targets) == "-");
    const std::string factory =
        "model_name_or_path: acme/m-1b\nfinetuning_type: lora\nlora_rank: 8\ncutoff_len: 2048\n"
        "per_device_train_batch_size: 1\n";
    CHECK(said(said_in(factory + "lora_target: q_proj,v_proj\n"), Fact::lora_targets) == "q,v");
    CHECK(said(said_in(factory + "lora_target: all\n"), Fact::lora_targets) == "q,k,v,o,mlp");
    const std::string tune =
        "model:\n  _component_: torchtune.models.llama3_1.lora_llama3_1_8b\n  lora_rank: 8\n"
        "  lora_attn_modules: ['q_proj', 'v_proj', 'output_proj']\n  apply_lora_to_mlp: True\n"
        "  lora_dropout: 0.0\noptimizer:\n  _component_: torch.optim.AdamW\nbatch_size: 2\n"
        "tokenizer:\n  _component_: torchtune.models.llama3.llama3_tokenizer\n  max_seq_len: 512\n"
        "loss:\n  _component_: torch.nn.CrossEntropyLoss\n";
    CHECK(said(said_in(tune), Fact::lora_targets) == "q,v,o,mlp");
    CHECK(said(said_in(tune), Fact::lora_dropout) == "0");
}

TEST_CASE("adapters: what is not modelled is said, not guessed", "[launch]") {
    const LaunchReading part = said_in(axolotl + "lora_target_modules: [q_proj, gate_proj]\n");
    CHECK(said(part, Fact::lora_targets) == "-");
    CHECK(is_unread(part, "lora_target_modules"));
    const LaunchReading other = said_in(axolotl + "lora_target_modules: [q_proj, router]\n");
    CHECK(said(other, Fact::lora_targets) == "-");
    CHECK(is_unread(other, "lora_target_modules"));
}

TEST_CASE("adapters: of a program, also where their rank is yet to be given", "[launch]") {
    const auto of_rank = [](const std::string& rank) {
        return said_in(
            "from trl import SFTTrainer, SFTConfig\nfrom peft import LoraConfig\n"
            "peft = LoraConfig(r=" +
            rank +
            ", lora_dropout=0.1, target_modules=['q_proj', 'v_proj', 'lm_head'])\n"
            "args = SFTConfig(per_device_train_batch_size=1, packing=True, max_length=512)\n"
            "trainer = SFTTrainer(model='acme/m-1b', args=args, peft_config=peft)\ntrainer.train()\n");
    };
    CHECK(said(of_rank("8"), Fact::lora_targets) == "q,v,head");
    CHECK(said(of_rank("8"), Fact::packing) == "packed");
    const LaunchReading open = of_rank("config['r']");
    CHECK(said(open, Fact::lora_rank) == "-");
    CHECK(said(open, Fact::lora_targets) == "q,v,head");
    CHECK(said(open, Fact::lora_dropout) == "0.1");
}

TEST_CASE("adapters: in a table of their own, and QLoRA's by its name", "[launch]") {
    const std::string text =
        "model:\n  name: acme/m-1b\n  attention: sdpa\n  use_qlora: true\ntraining:\n  batch_size: 4\n"
        "  learning_rate: 2.0e-5\nlora:\n  r: 8\n  alpha: 16\n  dropout: 0.05\n"
        "  target_modules: [q_proj, v_proj]\n";
    const LaunchReading job = said_in(text);
    CHECK(said(job, Fact::model) == "acme/m-1b");
    CHECK(said(job, Fact::attention) == "sdpa");
    CHECK(said(job, Fact::quantization) == "nf4");
    CHECK(said(job, Fact::lora_rank) == "8");
    CHECK(said(job, Fact::lora_dropout) == "0.05");
    CHECK(said(job, Fact::micro_batch) == "-");  // a GPU's, or a whole step's
    std::string off = text;
    off.replace(off.find("true"), 4, "false");
    CHECK(said(said_in(off), Fact::quantization) == "-");
}

TEST_CASE("packing: examples share a sequence, or are padded to it", "[launch]") {
    CHECK(said(said_in(axolotl + "sample_packing: true\n"), Fact::packing) == "packed");
    CHECK(said(said_in(axolotl + "sample_packing: false\n"), Fact::packing) == "padded");
    CHECK(said(said_in(axolotl), Fact::packing) == "-");
    CHECK_FALSE(is_unread(said_in(axolotl + "sample_packing: true\n"), "sample_packing"));
    const LaunchReading trl = said_in(
        "trl sft --model_name_or_path acme/m-1b --per_device_train_batch_size 2 --max_length 512 "
        "--packing\n");
    CHECK(said(trl, Fact::packing) == "packed");
}

TEST_CASE("adapters become a draft's", "[launch][draft]") {
    static const Catalogue catalogue;
    const LaunchDraft read = launch_draft(
        said_in(axolotl + "lora_target_modules: [q_proj, v_proj]\nlora_dropout: 0.05\n"), catalogue);
    CHECK(read.draft.adapter_dropout.value == Approx(0.05));
    CHECK(read.draft.lora_targets.value == adapter_targets("q,v"));
}

TEST_CASE("Megatron-Bridge: a recipe as it stands has a stack of its own", "[launch][draft]") {
    static const Catalogue catalogue;
    const auto stack_of = [](const std::string& command) {
        return launch_draft(said_in(command), catalogue).draft.stack.value;
    };
    const std::string recipe =
        "torchrun --nproc-per-node=8 scripts/training/run_recipe.py --recipe qwen3_8b_pretrain_config \\\n"
        "  train.global_batch_size=8 train.micro_batch_size=1 model.seq_length=1024";
    CHECK(stack_of(recipe + "\n") == "megatron-bridge@recipes");
    CHECK(stack_of(recipe + " comm_overlap.tp_comm_overlap=true\n") == "megatron-bridge");
    CHECK(stack_of("python scripts/performance/setup_experiment.py --model_recipe_name qwen3_8b \\\n"
                   "  --num_gpus 8 --compute_dtype bf16 --gpus_per_node 8\n") == "megatron-bridge");
}
