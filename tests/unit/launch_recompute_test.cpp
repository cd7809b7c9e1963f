// What launch files say of recomputation beside its kind, and the stack of those that name DeepEP.

#include "support/launch_reading.hpp"

#include <catch2/catch.hpp>
#include <traincost/import/launch_draft.hpp>

using namespace traincost;
using namespace traincost::test;

namespace {

LaunchReading of_megatron(const std::string& flags) {
    return said_in(
        "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 16 --hidden-size 64 \\\n"
        "  --num-attention-heads 4 --micro-batch-size 1 --global-batch-size 64 --bf16 \\\n"
        "  --seq-length 64 " +
        flags + "\n");
}

std::string recomputed(const LaunchReading& job) {
    return said(job, Fact::recompute) + " " + said(job, Fact::recompute_modules) + " " +
           said(job, Fact::recompute_layers);
}

}  // namespace

TEST_CASE("Megatron: modules and blocks that are recomputed", "[launch]") {
    CHECK(recomputed(of_megatron("--recompute-granularity selective --recompute-modules core_attn mlp")) ==
          "selective core_attn,mlp -");
    CHECK(recomputed(of_megatron("--recompute-granularity full --recompute-method block "
                                 "--recompute-num-layers 3")) == "full - 3");
    CHECK(recomputed(of_megatron("--recompute-granularity full --recompute-method block "
                                 "--recompute-num-layers 3 --pipeline-model-parallel-size 2 "
                                 "--num-layers-per-virtual-pipeline-stage 4")) == "full - 6");
    CHECK(recomputed(of_megatron("--recompute-granularity full --recompute-method uniform "
                                 "--recompute-num-layers 2")) == "full - -");
    CHECK(recomputed(of_megatron("--recompute-modules layernorm")) == "none - -");
    CHECK(recomputed(of_megatron("--recompute-activation-function")) == "selective activation -");
    const LaunchReading unknown =
        of_megatron("--recompute-granularity selective --recompute-modules core_attn shared_experts");
    CHECK(recomputed(unknown) == "selective core_attn -");
    CHECK(is_unread(unknown, "--recompute-modules"));
}

TEST_CASE("NeMo: blocks of a stage that are recomputed", "[launch]") {
    const LaunchReading job = said_in(
        "trainer: {num_nodes: 1, devices: 8, precision: bf16}\nmodel:\n  micro_batch_size: 1\n"
        "  global_batch_size: 8\n  encoder_seq_length: 64\n  num_layers: 16\n  hidden_size: 64\n"
        "  activations_checkpoint_granularity: full\n  activations_checkpoint_method: block\n"
        "  activations_checkpoint_num_layers: 2\n");
    CHECK(recomputed(job) == "full - 2");
}

TEST_CASE("Drafts hold the parts that are recomputed", "[launch]") {
    const Catalogue catalogue;
    const auto choice = [&](const std::string& flags) {
        return launch_draft(of_megatron(flags), catalogue).draft.recompute.value.value();
    };
    CHECK(choice("--recompute-granularity selective --recompute-modules mlp").modules.mlp);
    CHECK(choice("--recompute-granularity full --recompute-method block --recompute-num-layers 3").layers ==
          3);
}

TEST_CASE("Megatron: tokens go to their experts by DeepEP", "[launch]") {
    const Catalogue catalogue;
    const auto stack = [&](const std::string& flags) {
        return launch_draft(of_megatron(flags), catalogue).draft.stack.value.value();
    };
    const std::string plain = stack("--num-experts 8");
    CHECK(stack("--num-experts 8 --moe-token-dispatcher-type flex --moe-enable-deepep") == plain + "@deepep");
    CHECK(stack("--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend deepep") ==
          plain + "@deepep");
    CHECK(stack("--moe-token-dispatcher-type alltoall --moe-enable-deepep") == plain);
    CHECK(stack("--moe-token-dispatcher-type flex") == plain);
}
