// Training logs: one small log of each framework, in its own words, and what happens to logs on their way.

#include <traincost/import/logs/lines/log_line.hpp>
#include <traincost/import/logs/lines/log_scan.hpp>
#include <traincost/import/logs/log_reader.hpp>
#include <traincost/import/logs/log_series.hpp>
#include <traincost/import/logs/training_log.hpp>
#include <traincost/import/logs/training_log_json.hpp>
#include <traincost/io/json_writer.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <cmath>
#include <sstream>
#include <string>

using namespace traincost;
using namespace traincost::test;

namespace {

std::string oddities(const TrainingLog& log) {
    std::string all;
    for (const LogOddity& oddity : log.oddities) {
        all += to_string(oddity) + "\n";
    }
    return all;
}

std::string megatron(int iteration, double ms, const std::string& loss = "2.500000E+00") {
    return " [2026-01-02 03:04:05] iteration " + std::to_string(iteration) +
           "/    1000 | consumed samples:         1600 | elapsed time per iteration (ms): " +
           std::to_string(ms) +
           " | throughput per GPU (TFLOP/s/GPU): 401.5 | learning rate: 1.000000E-04 | global batch size:    "
           "64 | "
           "lm loss: " +
           loss +
           " | loss scale: 1.0 | number of skipped iterations:   0 | number of nan iterations:   0 |\n";
}

// What a log must be read as; NaN and 0 iterations: nothing.
struct Case {
    std::string name;
    std::string text;
    LogFramework framework;
    std::int64_t iterations;
    double step_time;
    double tokens_per_s;
    double tokens_per_s_per_gpu;
    double samples_per_s;
    double tflops;
    double loss;
    double memory;
};

constexpr double none = 0;

std::vector<Case> cases() {
    using enum LogFramework;
    return {
        {"Megatron-LM: memory once, in MiB; a skipped iteration has no loss",
         megatron(10, 9000) +
             "[Rank 0] (after 10 iterations) memory (MB) | allocated: 100.5 | max allocated: 200.5 | "
             "reserved: "
             "250.0 | max reserved: 300.0\n" +
             megatron(20, 1000) + megatron(30, 1010) + megatron(40, 1020),
         megatron_lm, 4, 1.01, none, none, none, 401.5, 2.5, 300 * MiB},
        {"Megatron-Bridge: the rate stands in a line before",
         "job/0 Step Time : 9.09s GPU utilization: 663.5MODEL_TFLOP/s/GPU\n"
         "job/0  [2026-01-01 00:00:00] iteration 7/ 50 | consumed samples: 9 | elapsed time per iteration "
         "(ms): "
         "9089.0 | lm loss: 8.0E+00 | load_balancing_loss: 1.0E+00 |\n",
         megatron_lm, 1, 9.089, none, none, none, 663.5, 8.0, none},
        {"Megatron-DeepSpeed: the timer's memory, the iteration's times",
         "[2024-01-01 00:00:01,1] [INFO] [timer.py:260:stop] epoch=0/micro_step=9/global_step=9, "
         "RunningAvgSamplesPerSec=58.7, CurrSamplesPerSec=61.3, MemAllocated=6.01GB, MaxMemAllocated=19.5GB\n"
         " iteration        9/  1000 | consumed samples: 5 | consumed tokens: 9 | elapsed time per iteration "
         "(ms): "
         "14287.5 | lm loss: 5.9E+00 | actual seqlen:  4096 | samples per second: 53.75 | tokens per gpu per "
         "second (tgs): 1146.7 | TFLOPs: 69.85 |\n",
         megatron_deepspeed, 1, 14.2875, none, 1146.7, 53.75, 69.85, 5.9, 19.5 * GiB},
        {"Megatron-DeepSpeed with names of one word each",
         "[2024-01-01][INFO][training_log:661] -  iteration=       1/  635 | consumed_samples=  768 | "
         "consumed_tokens= 3145 | elapsed_time_per_iteration_ms=29570.0 | lm loss=11.25 | actual_seqlen= "
         "4096 | "
         "number_of_skipped_iterations=  0 | samples_per_second=25.972 | "
         "tokens_per_gpu_per_second_tgs=4432.5 | "
         "[LM]TFLOPs=20.30 | [DS]TFLOPs=26.18 |\n",
         megatron_deepspeed, 1, 29.57, none, 4432.5, 25.972, 20.3, 11.25, none},
        {"GPT-NeoX: its second line repeats the first",
         "after 10 iterations memory (MB) | allocated: 1.0 | max allocated: 2.0 | reserved: 3.0 | max "
         "reserved: 4.5\n"
         " samples/sec: 51.5 | iteration       10/      50 | elapsed time per iteration (ms): 9870.5 | "
         "learning "
         "rate: 1.0E-04 | approx flops per GPU: 150.3TFLOPS | lm_loss: 7.125E+00 |\n"
         "steps: 10 loss: 7.1250 iter time (s): 9.870 samples/sec: 51.500\n",
         gpt_neox, 1, 9.8705, none, none, 51.5, 150.3, 7.125, 4.5 * MiB},
        {"Primus: current and mean, colours without their escape character, every line twice",
         "[[32m20260101 00:00:00[0m][[36mrank-7/8[0m] [1m[-trainer.py:1] : iteration 9/ 50 | elapsed time "
         "per "
         "iteration (ms): 13107.0/13341.7 | hip mem usage/free/total/usage_ratio: 153.5GB/102.5GB/256GB/60% "
         "| "
         "throughput per GPU (TFLOP/s/GPU): 579.1/569.3 | tokens per GPU (tokens/s/GPU): 10000.5/9831.0 | lm "
         "loss: "
         "4.0E-03 |[0m\n"
         "[[32m20260101 00:00:00[0m][[36mrank-7/8[0m] [1m[-trainer.py:1] : iteration 9/ 50 | elapsed time "
         "per "
         "iteration (ms): 13107.0/13341.7 | lm loss: 4.0E-03 |[0m\n",
         primus, 1, 13.107, none, 10000.5, none, 579.1, 0.004, 153.5 * GiB},
        {"DeepSpeed: rates of all, no loss, no time",
         "[d] [INFO] [timer.py:215:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=20.0, "
         "CurrSamplesPerSec=21.5, MemAllocated=0.07GB, MaxMemAllocated=1.5GB\n"
         "MA 0.36 GB         Max_MA 0.36 GB         CA 0.61 GB         Max_CA 2 GB \n",
         deepspeed, 1, none, none, none, 21.5, none, none, 2 * GiB},
        {"torchtitan: commas, colours, the first step compiles",
         "[rank0]:[titan] d - root - INFO - \x1b[31mstep:  1  \x1b[32mloss:  8.1661  \x1b[36mmemory:  "
         "2.25GiB(3.1%)  "
         "\x1b[34mtps: 3,502  \x1b[35mtflops: 1.90  \x1b[36mmfu: 0.19%\x1b[39m\n"
         "[rank0]:[titan] d - root - INFO - \x1b[31mstep:  2  \x1b[32mloss:  6.5  \x1b[36mmemory:  "
         "2.5GiB(3.1%)  "
         "\x1b[34mtps: 177,138  \x1b[35mtflops: 96.25  \x1b[36mmfu: 9.7%\x1b[39m\n",
         torchtitan, 2, none, none, 177138, none, 96.25, 6.5, 2.5 * GiB},
        {"nanotron: suffixes of three digits, memory on lines of its own",
         "d [INFO|DP=0|PP=0|TP=0]:  Memory usage: 64.15MiB. Peak allocated 309.29MiB. Peak reserved: "
         "496.00MiB\n"
         "d [INFO|DP=0|PP=0|TP=0]: iteration: 31 / 1500 | consumed_tokens: 480B | "
         "elapsed_time_per_iteration_ms: "
         "8.79K | tokens_per_sec: 182K | tokens_per_sec_per_gpu: 699 | global_batch_size: 1.6M | lm_loss: "
         "2.25 | "
         "model_tflops_per_gpu: 15.4 | eta: 131 days, 1:45:39\n",
         nanotron, 1, 8.79, 182000, 699, none, 15.4, 2.25, 496 * MiB},
        {"Hugging Face: lines with a loss, rates of the summary",
         "\r  1%|1         | 1/264 [00:05<26:15,  5.97s/it]{'loss': 1.25, 'grad_norm': 1.5, 'epoch': 0.5}\n"
         "{'eval_loss': 0.5, 'eval_samples_per_second': 576.2, 'epoch': 1.0}\n"
         "{'loss': '0.75', 'grad_norm': '0.14', 'epoch': '1.0'}\n"
         "{'train_runtime': '1575', 'train_samples_per_second': '1.333', 'train_steps_per_second': '0.168', "
         "'train_loss': '0.2854', 'epoch': '1'}\n",
         hf_trainer, 2, none, none, none, 1.333, none, 0.75, none},
        {"axolotl: the Trainer's lines with memory in them",
         "[INFO] [axolotl.train] Starting trainer...\n"
         "{'loss': 0.5, 'memory/max_active (GiB)': 2.5, 'memory/max_allocated (GiB)': 2.5, "
         "'memory/device_reserved "
         "(GiB)': 4.5, 'epoch': 0.13}\n",
         axolotl, 1, none, none, none, none, none, 0.5, 4.5 * GiB},
        {"axolotl: its names of memory alone tell it from the Trainer",
         "{'loss': 4.75, 'memory/max_mem_active(gib)': 25.5, 'memory/device_mem_reserved(gib)': 30.5, "
         "'epoch': 1.0}\n",
         axolotl, 1, none, none, none, none, none, 4.75, 30.5 * GiB},
        {"LLaMA-Factory's file: differences of the elapsed time",
         "{\"current_steps\": 5, \"total_steps\": 93, \"loss\": 5.5, \"elapsed_time\": \"0:02:03\", "
         "\"throughput\": "
         "13061.0}\n"
         "{\"current_steps\": 10, \"total_steps\": 93, \"loss\": 4.5, \"elapsed_time\": \"0:04:03\", "
         "\"throughput\": 13174.0}\n",
         llama_factory, 2, 24.0, 13174, none, none, none, 4.5, none},
        {"LLaMA-Factory on the console: its own line and the Trainer's are one",
         "[INFO|d] llamafactory.train.callbacks:143 >> {'loss': 3.2374, 'epoch': 0.37, 'throughput': 82.25}\n"
         "{'loss': 3.2374, 'grad_norm': 12.0, 'epoch': 0.37}\n",
         llama_factory, 1, none, 82.25, none, none, none, 3.2374, none},
        {"Composer: a block a batch, memory in decimal GB",
         "[batch=1/20]:\n\t Train time/batch: 0\n\t Train memory/peak_reserved_mem: 3.25\n\t Train "
         "loss/train/total: 5.5\n[batch=2/20]:\n\t Train memory/peak_allocated_mem: 3.1\n\t Train "
         "loss/train/total: "
         "5.25\n\t Train throughput/samples_per_sec: 0.5\n\t Train throughput/tokens_per_sec: 2048.0\n\t "
         "Train "
         "throughput/device/tokens_per_sec: 256.0\n",
         llm_foundry, 2, none, 2048, 256, 0.5, none, 5.25, 3.25e9},
        {"NeMo 1: one line repainted",
         "Epoch 0: :   7%|#   | 1/15 [00:49<07:13, reduced_train_loss=11.50, global_step=0.000, "
         "train_step_timing in "
         "s=49.50]\rEpoch 0: :  13%|#   | 2/15 [01:01<07:13, reduced_train_loss=11.25, global_step=1.000, "
         "train_step_timing in s=12.50]\n",
         nemo, 2, 12.5, none, none, none, none, 11.25, none},
        {"NeMo 2: the iteration begins again with every epoch",
         "Training epoch 0, iteration 1/1 | global_batch_size: 4 | global_step: 1 | peak_memory_usage: "
         "70833405952 "
         "| reduced_train_loss: 3.5 | train_step_timing in s: 2.5 | tokens_per_sec_per_gpu: 1.0e+04 | "
         "TFLOPS_per_GPU: 4.5e+02\n"
         "Training epoch 1, iteration 0/1 | global_batch_size: 4 | global_step: 2 | reduced_train_loss: 3.25 "
         "| "
         "train_step_timing in s: 2.25\n",
         nemo, 2, 2.25, none, 1e4, none, 450, 3.25, 70833405952.0},
        {"Lightning: the bar's own rate",
         "Epoch 0:   5%|5   | 3/58 [00:08<02:28,  2.69s/it, v_num=10, train_loss_step=0.952]\n", lightning, 1,
         2.69, none, none, none, none, 0.952, none},
        {"MaxText: steps printed before they ran",
         "\tUsing (GB) 44.5 / 95.74 (46.6%) on TPU_0(process=0,(0,0,0,0))\n"
         "completed step: 0, seconds: 56.7, TFLOP/s/device: 29.7, Tokens/s/device: 577.2, total_weights: 2, "
         "loss: 12.5\n"
         "completed step: 1, seconds: 0.002, TFLOP/s/device: 900000.0, Tokens/s/device: 9e6, total_weights: "
         "2, loss: "
         "12.25\n"
         "completed step: 2, seconds: 1.5, TFLOP/s/device: 100.5, Tokens/s/device: 500.5, total_weights: 2, "
         "loss: 12.0\n"
         "completed step: 3, seconds: 1.5, TFLOP/s/device: 100.5, Tokens/s/device: 500.5, total_weights: 2, "
         "loss: 11.5\n",
         maxtext, 4, 1.5, none, 500.5, none, 100.5, 11.5, 44.5 * GiB},
        {"LitGPT: memory in decimal GB",
         "Epoch 1 | iter 7 step 7 | loss train: 10.5, val: n/a | iter time: 362.5 ms (step) remaining time: "
         "0:01:02\n"
         "Memory used: 21.50 GB\n",
         litgpt, 1, 0.3625, none, none, none, none, 10.5, 21.5e9},
        {"nanoGPT: the evaluation is inside the time",
         "step 0: train loss 4.19, val loss 4.20\niter 0: loss 4.2163, time 40632.86ms, mfu -100.00%\n"
         "iter 10: loss 3.4410, time 1970.5ms, mfu 0.19%\nstep 20: train loss 2.3, val loss 2.4\nsaving "
         "checkpoint to "
         "out\niter 20: loss 2.5, time 56530.17ms, mfu 0.16%\n",
         nanogpt, 3, 1.9705, none, none, none, none, 2.5, none},
        {"torchtune: the largest of three peaks, in GiB",
         "Step 1 | loss:2.25 lr:5e-07 tokens_per_second_per_gpu:27.5 peak_memory_active:4.2 "
         "peak_memory_alloc:4.5 "
         "peak_memory_reserved:5.25\n",
         torchtune, 1, none, none, 27.5, none, none, 2.25, 5.25 * GiB},
        {"torchtune's bar: the first step loads and compiles",
         "1|1|Loss: 2.5:   1%|1         | 1/100 [00:06<09:54,  6.0s/it]\r1|2|Loss: 2.25:   2%|2         | "
         "2/100 [00:09<05:03,  3.1s/it]\r1|3|Loss: 2.125:   3%|3         | 3/100 [00:12<04:51,  3.0s/it]\r"
         "1|4|Loss: 2.0:   4%|4         | 4/100 [00:15<05:07,  3.2s/it]\n",
         torchtune, 4, 3.1, none, none, none, none, 2.0, none},
        {"Megatron before DeepSpeed's rates: seconds, not milliseconds",
         " iteration       45/  114442 | consumed samples: 11520 | elapsed time per iteration (s): 3.21 | "
         "global batch size:   256 | lm loss: 9.1E+00 | samples per second: 79.75 | TFLOPs: 140.5 |\n"
         " iteration       46/  114442 | consumed samples: 11776 | elapsed time per iteration (s): 3.22 | "
         "global batch size:   256 | lm loss: 9.0E+00 | samples per second: 79.5 | TFLOPs: 140.0 |\n",
         megatron_deepspeed, 2, 3.215, none, none, 79.625, 140.25, 9.0, none},
        {"Megatron-LM with further losses: the language model's counts, memory of the fullest rank",
         "[Rank 0] (after 1 iterations) memory (MB) | allocated: 1.5 | max reserved: 51234.0\n"
         "[Rank 8] (after 1 iterations) memory (MB) | allocated: 1.5 | max reserved: 52234.0\n"
         " [2025-03-01 12:00:02.123456] iteration        2/  500000 | elapsed time per iteration (ms): "
         "5400.0 | throughput per GPU (TFLOP/s/GPU): 412.0 | lm loss: 1.1E+01 | z_loss: 1.2E-02 | "
         "mtp_1 loss: 9.9E+00 | load_balancing_loss: 1.01E+00 | number of nan iterations:   0 |\n",
         megatron_lm, 1, 5.4, none, none, none, 412, 11.0, 52234 * MiB},
        {"Composer until 0.12: bytes, and the allocated ones are a sum of all that ever were",
         "[batch=3/90]:\n\t Train memory/allocated_mem: 9095214455296\n\t Train memory/active_mem: "
         "4314857984\n\t Train memory/reserved_mem: 40017854464\n\t Train loss/train/total: 9.5\n",
         llm_foundry, 1, none, none, none, none, none, 9.5, 40017854464.0},
        {"torchtune's oldest: bytes", "Step 33 | loss:1.5 lr:9.9e-05 gpu_resources:17593466880\n", torchtune,
         1, none, none, none, none, none, 1.5, 17593466880.0},
        {"XTuner: MiB without a unit, a rate of one accelerator",
         "04/12 11:57:11 - mmengine - INFO - Iter(train) [ 720/768]  lr: 2.1e-06  eta: 18 days, 0:00:27  "
         "time: 0.7225 "
         " data_time: 0.0059  memory: 5661  loss: 0.25  tflops: 34.5  tokens_per_sec: 1012.5\n",
         xtuner, 1, 0.7225, none, 1012.5, none, 34.5, 0.25, 5661 * MiB},
        {"XTuner 1: a line a rank",
         "[RANK 1] Epoch 1 Step 7/100 data_time: 0.01 lr: 0.00001 time: 5.25 total_loss: 2.5 max_memory: "
         "60.50 GB "
         "reserved_memory: 70.5 GB tgs: 6500.5 eta: 0:1:2\n"
         "[RANK 0] Epoch 1 Step 7/100 data_time: 0.01 lr: 0.00001 time: 5.30 total_loss: 2.5 max_memory: "
         "60.75 GB "
         "reserved_memory: 71.5 GB tgs: 6490.5 eta: 0:1:2\n",
         xtuner, 1, 5.25, none, 6500.5, none, none, 2.5, 71.5 * GiB},
        {"nanochat: tokens of all",
         "step 00010/01500 (0.67%) | loss: 3.25 | lrm: 1.00 | dt: 50.0ms | tok/sec: 10,240 | mfu: 10.00\n"
         "Peak memory usage: 75422.5MiB\n",
         nanochat, 1, 0.05, 10240, none, none, none, 3.25, 75422.5 * MiB},
        {"modded-nanogpt: a running mean, NaN at first",
         "step:0/1500 val_loss:10.8 train_time:77ms step_avg:nanms\nstep:1/1500 train_loss:10.7 "
         "train_time:150ms "
         "step_avg:nanms\nstep:12/1500 train_loss:9.75 train_time:1642ms step_avg:141.5ms\n"
         "peak memory allocated: 31155 MiB reserved: 46000 MiB\n",
         nanogpt, 3, 0.1415, none, none, none, none, 9.75, 46000 * MiB},
        {"Megatron of 2019: no colons, memory that is called cached",
         " iteration      100/  320000 | elapsed time per iteration (ms): 928.5 | learning rate 1.500E-04 | "
         "lm loss 6.5E+00 | loss scale 262144.0 |\n"
         "after 100 iterations memory (MB) | allocated: 40.5 | max allocated: 100.5 | cached: 120.0 | max "
         "cached: 125.5\n"
         " iteration      200/  320000 | elapsed time per iteration (ms): 528.5 | learning rate 1.500E-04 | "
         "lm loss 6.25E+00 | loss scale 262144.0 |\n",
         megatron_lm, 2, 0.5285, none, none, none, none, 6.25, 125.5 * MiB},
        {"Megatron on Trainium: a bare throughput is sequences a second, because batch and time say so",
         "iteration     48/   1000 | consumed samples: 3072 | elapsed time per iteration (ms): 8000.0 | "
         "global "
         "batch size:    64 | lm loss: 3.5E+00 | grad norm: 0.5 | throughput: 8.010\n",
         megatron_lm, 1, 8.0, none, none, 8.01, none, 3.5, none},
        {"Megatron: another bare throughput is nobody knows what",
         "iteration     48/   1000 | consumed samples: 3072 | elapsed time per iteration (ms): 8000.0 | "
         "global "
         "batch size:    64 | lm loss: 3.5E+00 | grad norm: 0.5 | throughput: 401.5\n",
         megatron_lm, 1, 8.0, none, none, none, none, 3.5, none},
        {"Megatron with a token throughput of its own is no Primus",
         "iteration 4/6 | elapsed time per iteration (ms): 113993.5 | token throughput per GPU "
         "(tokens/s/GPU): 1149.5 | lm loss: 1.5E+00 |\n",
         megatron_lm, 1, 113.9935, none, 1149.5, none, none, 1.5, none},
        {"DeepSpeed's pipeline engine: time and loss",
         "[d] [INFO] [engine.py:1] steps: 10 loss: 3.25 iter time (s): 9.5 samples/sec: 1.5\n"
         "steps: 20 loss: 2.75 iter time (s): 1.25 samples/sec: 12.5\n",
         deepspeed, 2, 1.25, none, none, 12.5, none, 2.75, none},
        {"Lightning's bar is repainted: the last loss of a step counts",
         "Epoch 0:  11%|#   | 2/18 [00:11<01:33,  5.5s/it, loss=10.5, v_num=1]\r"
         "Epoch 0:  11%|#   | 2/18 [00:11<01:33,  5.5s/it, loss=10.25, v_num=1]\n",
         lightning, 1, 5.5, none, none, none, none, 10.25, none},
        {"NeMo's bar with its carriage returns written out",
         "^MEpoch 0: :  60%|# | 6/10 [4:26<2:56, v_num=0, reduced_train_loss=0.5, train_step_timing in "
         "s=2.5]^MEpoch 0: :  70%|# | 7/10 [4:28<2:54, v_num=0, reduced_train_loss=0.25, train_step_timing "
         "in "
         "s=2.5]\n",
         nemo, 2, 2.5, none, none, none, none, 0.25, none},
        {"GPT-NeoX that counts tokens too",
         " samples/sec: 10.125 | iteration      100/    1000 | elapsed time per iteration (ms): 1234.5 | "
         "approx "
         "flops per GPU: 101.5TFLOPS | tokens/s/gpu: 12,345.5 | lm_loss: 3.5E+00 |\n",
         gpt_neox, 1, 1.2345, none, 12345.5, 10.125, 101.5, 3.5, none},
        {"Lightning's other bar",
         "Epoch 0/2  \u2501\u2501\u2501\u2501 50/100 0:00:10 \u2022 0:00:09 0.50it/s v_num: 0.000 "
         "train_loss: "
         "2.5\n",
         lightning, 1, 2.0, none, none, none, none, 2.5, none},
        {"Composer's bar",
         "Epoch     0 train   1%|3  | 25/4800 [01:23<4:25:00, 3.5s/ba, loss/train=7.25]\r"
         "Epoch     0 train   1%|3  | 26/4800 [01:26<4:25:00, 3.5s/ba, loss/train=7.0]\n",
         llm_foundry, 2, 3.5, none, none, none, none, 7.0, none},
        {"NeMo Automodel: no colons, the rate of all and of one",
         "2026-01-01 00:00:00 | INFO | root | step 9 | epoch 0 | loss 0.75 | grad_norm 1.5 | lr 1.00e-05 | "
         "mem "
         "24.5 GiB | tps 11200.0(1400.0/gpu) | num_label_tokens 21541\n",
         nemo, 1, none, 11200, 1400, none, none, 0.75, 24.5 * GiB},
        {"LitGPT's newer summary",
         "Epoch 1 | iter 7 step 7 | loss train: 10.5, val: n/a | iter time: 362.5 ms (step)\n"
         "| Memory Usage\n| - Memory Used   : 9.25 GB\n",
         litgpt, 1, 0.3625, none, none, none, none, 10.5, 9.25e9},
        {"XTuner by epochs: two blanks, and the batch begins again",
         "05/24 - mmengine - INFO - Epoch(train)  [1][  10/1051]  lr: 9.0e-09  time: 1.5  data_time: 0.5  "
         "memory: 17929  loss: 7.5\n"
         "05/24 - mmengine - INFO - Epoch(train)  [2][  10/1051]  lr: 9.0e-09  time: 1.5  data_time: 0.5  "
         "memory: 18350  loss: 7.25\n",
         xtuner, 2, 1.5, none, none, none, none, 7.25, 18350 * MiB},
        {"MLPerf: progress in samples",
         "0: :::MLLOG {\"namespace\": \"\", \"key\": \"tracked_stats\", \"value\": {\"throughput\": 30.5}, "
         "\"metadata\": {\"file\": \"x.py\", \"lineno\": 350, \"step\": 172032}}\n",
         mlperf, 1, none, none, none, 30.5, none, none, none},
    };
}

void check(const std::optional<double>& read, double expected, const char* what) {
    INFO(what);
    if (expected == none) {
        CHECK_FALSE(read);
    } else {
        REQUIRE(read);
        CHECK(*read == Approx(expected).epsilon(1e-9));
    }
}

template <class T>
std::optional<double> value_of(const std::optional<T>& x) {
    return x ? std::optional(x->value()) : std::nullopt;
}

void check_case(const Case& c, const TrainingLog& log) {
    INFO(c.name);
    REQUIRE(log.framework);
    CHECK(to_string(*log.framework) == to_string(c.framework));
    CHECK(log.iterations == c.iterations);
    check(value_of(log.step_time), c.step_time, "step time");
    check(log.tokens_per_s, c.tokens_per_s, "tokens/s");
    check(log.tokens_per_s_per_gpu, c.tokens_per_s_per_gpu, "tokens/s/GPU");
    check(log.samples_per_s, c.samples_per_s, "samples/s");
    check(log.tflops_per_gpu, c.tflops, "TFLOP/s");
    check(log.loss_last, c.loss, "loss");
    check(value_of(log.peak_memory), c.memory, "memory");
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

}  // namespace

TEST_CASE("each framework's log is recognised by what it prints, and read in its units", "[logs]") {
    for (const Case& c : cases()) {
        check_case(c, read_lines(c.text));
    }
}

TEST_CASE("line ends of other systems, lost final line ends and NUL bytes change nothing", "[logs]") {
    for (const Case& c : cases()) {
        check_case(c, read_lines(replaced(c.text, "\n", "\r\n")));
        check_case(c, read_lines(c.text.substr(0, c.text.size() - 1)));
        std::string wide = "\xff\xfe";  // as PowerShell writes
        for (const char byte : c.text) {
            wide += byte;
            wide += '\0';
        }
        check_case(c, read_lines(wide));
    }
}

TEST_CASE("what other lines say changes nothing", "[logs]") {
    const std::string noise =
        "WARNING: steps: 12 loss 3 memory: none time: never\n[ERROR] iteration loop: step = 5\n{'config': "
        "{'loss': "
        "'ce'}}\nloading 100%|##| 5/5 [00:01<00:00, 3.2it/s]\n";
    for (const Case& c : cases()) {
        check_case(c, read_lines(noise + c.text + noise));
    }
}

TEST_CASE("the median leaves out the first iteration and what stands next to an evaluation", "[logs]") {
    const TrainingLog log = read_lines(megatron(1, 50000) + megatron(2, 1000) +
                                       " validation loss at iteration 2 | lm loss "
                                       "value: 6.9E+00 |\n" +
                                       megatron(3, 7000) + megatron(4, 1010) +
                                       "  successfully saved checkpoint at iteration 4\n" +
                                       megatron(5, 8000) + megatron(6, 1020));
    CHECK(log.step_time->value() == Approx(1.010));
    CHECK(log.spread->slow == 2);
    CHECK(log.spread->slowest.value() == Approx(8.0));
    CHECK_THAT(oddities(log), Catch::Contains("line 1: warm-up: iteration 1 takes 50.0 s"));
}

TEST_CASE("a log that begins in the middle of a run keeps its first line, unless it is slow", "[logs]") {
    CHECK(read_lines(megatron(501, 1000) + megatron(502, 1100)).step_time->value() == Approx(1.05));
    CHECK(read_lines(megatron(501, 9000) + megatron(502, 1100)).step_time->value() == Approx(1.1));
    CHECK(read_lines(megatron(1, 1000) + megatron(2, 1100)).step_time->value() == Approx(1.1));
}

TEST_CASE("a restart is named with its line, and what is done again counts once", "[logs]") {
    std::string text;
    for (int i = 1; i <= 50; ++i) {
        text += megatron(i, i == 1 ? 40000 : 1000);
    }
    for (int i = 41; i <= 60; ++i) {
        text += megatron(i, i == 41 ? 30000 : 1000, i == 60 ? "1.25E+00" : "2.0E+00");
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.iterations == 60);
    CHECK(log.restarts == 1);
    CHECK(log.repeated_lines == 10);
    CHECK(log.loss_last == Approx(1.25));
    CHECK_THAT(oddities(log), Catch::Contains("line 51: restart: iteration 41 follows 50"));
}

TEST_CASE("a line far below the others is an iteration of its own, and no restart", "[logs]") {
    const std::string late =
        megatron(101, 1000) + megatron(102, 1002) + megatron(7, 1004) + megatron(103, 1002);
    const TrainingLog inside = read_lines(late);
    CHECK(inside.iterations == 4);
    CHECK(inside.restarts == 0);
    CHECK(inside.repeated_lines == 0);
    CHECK(inside.first_iteration == 7);
    CHECK(inside.last_iteration == 103);
    CHECK(read_lines(late + megatron(8, 1006)).iterations == 5);  // at the end of an excerpt too
}

TEST_CASE("ranks that print the same iterations are no restart", "[logs]") {
    std::string text;
    for (int i = 1; i <= 20; ++i) {
        text += megatron(i, 1000) + megatron(i > 1 ? i - 1 : 1, 1001) + megatron(i, 1002);
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.iterations == 20);
    CHECK(log.restarts == 0);
    CHECK(log.repeated_lines == 40);
    CHECK(log.step_time->value() == Approx(1.0));
}

TEST_CASE("two ranks' records in one line are two steps", "[logs]") {
    const std::string two = megatron(7, 1000).substr(0, megatron(7, 1000).size() - 1) + megatron(8, 1100);
    const TrainingLog log = read_lines(megatron(6, 1050) + two);
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(1.05));
}

TEST_CASE("a loss that is not a number is counted and named, and is not printed", "[logs]") {
    const TrainingLog log =
        read_lines(megatron(1, 1000) + megatron(2, 1000, "nan") + megatron(3, 1000, "NaN"));
    CHECK(log.nan_steps == 2);
    CHECK_FALSE(log.loss_last);
    CHECK_THAT(oddities(log), Catch::Contains("line 2: the loss of iteration 2"));
    JsonWriter out;
    write_json(out, log);
    CHECK_THAT(out.text(), Catch::Contains("\"loss_last\": null"));
}

TEST_CASE("skipped steps are those the log counts", "[logs]") {
    const std::string skip =
        "[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 8, reducing to 4\n"
        "[deepspeed] OVERFLOW! Rank 1 Skipping step. Attempted loss scale: 8, reducing to 4\n";
    CHECK(read_lines(skip + megatron(1, 1000)).skipped_steps == 1);
    CHECK(read_lines(replaced(megatron(1, 1000) + megatron(2, 1000), "skipped iterations:   0",
                              "skipped iterations:   3"))
              .skipped_steps == 6);
}

TEST_CASE("a number cut off at the end of a file is left out and named", "[logs]") {
    const std::string line = "completed step: 5, seconds: 1.104, TFLOP/s/device: 100.5, loss: 12.181\n";
    const std::string next = "completed step: 6, seconds: 1.105, TFLOP/s/device: 100.5, loss: 12.1";
    const TrainingLog log = read_lines(line + next);
    CHECK(log.loss_last == Approx(12.181));
    CHECK_THAT(oddities(log), Catch::Contains("line 2: the line is truncated"));
    CHECK(read_lines(line + next + "79").loss_last == Approx(12.179));
}

TEST_CASE("a cut number counts no more because a line end follows it", "[logs]") {
    const std::string cut =
        " iteration        3/     100 | elapsed time per iteration (ms): 1000.0 | global batch "
        "size:     8 | lm loss: 7\n";
    const TrainingLog log = read_lines(megatron(1, 1000) + megatron(2, 1000) + cut);
    CHECK(log.iterations == 3);
    CHECK(log.loss_last == read_lines(megatron(1, 1000) + megatron(2, 1000)).loss_last);
    CHECK_THAT(oddities(log), Catch::Contains("line 3: the line is truncated"));
}

TEST_CASE("a Megatron line that a terminal wrapped is one step", "[logs]") {
    const std::string wrapped =
        " iteration       10/     100 | consumed samples:   80 | elapsed time per iteration (ms): 250.0 |\n"
        " learning rate: 1.0E-04 | global batch size:     8 | lm loss: 6.25E+00 |\n"
        " grad norm: 1.0 | samples per second: 32.0 | TFLOPs: 101.5 |\n";
    const TrainingLog one = read_lines(wrapped);
    CHECK(one.iterations == 1);
    CHECK(one.loss_last == Approx(6.25));
    CHECK(one.samples_per_s == Approx(32.0));
    CHECK(one.tflops_per_gpu == Approx(101.5));
    const TrainingLog two =
        read_lines(wrapped + "some other line | of bars\n" + replaced(wrapped, "       10/", "       20/"));
    CHECK(two.iterations == 2);
    CHECK(two.restarts == 0);
}

TEST_CASE("older and added names of known frameworks are read", "[logs]") {
    const TrainingLog maxtext = read_lines("completed step: 7, seconds: 2.5, TFLOP/s: 36.5, loss: 2.2\n");
    CHECK(maxtext.tflops_per_gpu == Approx(36.5));
    const TrainingLog liger = read_lines(
        "{'loss': 7.5, 'epoch': 1.0, 'step_peak_memory_allocated_MB': 26279.24, "
        "'total_peak_memory_reserved_MB': "
        "47172.0, 'step_tokens_per_second': 18801.85, 'avg_tokens_per_second': 18700.0}\n");
    CHECK(liger.tokens_per_s == Approx(18801.85));
    CHECK(liger.peak_memory->value() == Approx(47172.0 * 1048576.0));
    const TrainingLog gaudi = read_lines(
        "{'loss': 0.5, 'epoch': 0.1, 'memory_allocated (GB)': 3.5, 'max_memory_allocated (GB)': 6.5, "
        "'total_memory_available (GB)': 29.85}\n");
    CHECK(gaudi.peak_memory->value() == Approx(6.5 * 1073741824.0));
    const TrainingLog litgpt = read_lines(
        "Ep 1 | iter 4 | step 1: loss train (curr): 1.585, val (prev val iter): None | "
        "iter time: 181.34 ms (opt.step)\n");
    CHECK(litgpt.loss_last == Approx(1.585));
}

TEST_CASE("an iteration without its time is named with its line", "[logs]") {
    const TrainingLog log = read_lines(megatron(1, 1000) + megatron(2, 1000) +
                                       megatron(3, 1000).substr(0, 70) + "\n" + megatron(4, 1000));
    CHECK(log.iterations == 4);
    CHECK_THAT(oddities(log), Catch::Contains("line 3: iteration 3 has no step time"));
}

TEST_CASE("micro-steps of LitGPT are counted between optimizer steps", "[logs]") {
    std::string text;
    for (int i = 1; i <= 32; ++i) {
        text += "Epoch 1 | iter " + std::to_string(i) + " step " + std::to_string(i / 8) +
                " | loss train: 2.5, val: n/a | iter time: 100.00 ms\n";
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.step_time->value() == Approx(0.1));
    CHECK(log.micro_steps == 8);
    CHECK(optimizer_step_time(log)->value() == Approx(0.8));
}

TEST_CASE("accelerators follow from two rates", "[logs]") {
    CHECK(accelerators_of(read_lines(cases()[8].text)) == 260);
    CHECK_FALSE(accelerators_of(read_lines(megatron(1, 1000))));
    TrainingLog beyond;
    beyond.tokens_per_s = 1e38;
    beyond.tokens_per_s_per_gpu = 1e3;
    CHECK_FALSE(accelerators_of(beyond));  // more than any cluster has, and than an integer holds
}

TEST_CASE("a file that is no log is not recognised", "[logs]") {
    std::istringstream in("model: llama\nsteps: 100\nloss: mse\nepoch: 3\n");
    CHECK_FALSE(read_training_log(in));
    CHECK_THROWS_WITH(read_training_logs({SOURCE_FOLDER "/LICENSE"}),
                      Catch::Contains("no training step found"));
    CHECK_THROWS_WITH(read_training_logs({"no-such-file.log"}),
                      Catch::Contains("no-such-file.log: no such file"));
}

TEST_CASE("parts of a run are read on", "[logs]") {
    std::istringstream first(megatron(1, 9000) + megatron(2, 1000));
    std::istringstream second(megatron(3, 1000) + megatron(4, 1000));
    TrainingLogReader reader;
    reader.read(first);
    reader.read(second);
    const std::optional<TrainingLog> log = reader.finish();
    REQUIRE(log);
    CHECK(log->iterations == 4);
    CHECK(log->lines == 4);
    CHECK(log->restarts == 0);
}

TEST_CASE("numbers of logs: groups, exponents, NaN, suffixes", "[logs]") {
    CHECK(number_at(" 1,234,567.5 x")->value == 1234567.5);
    CHECK(number_at("1,23 x")->value == Approx(1.23));  // a locale with a decimal comma
    CHECK(number_at("1234,5E+01|")->value == Approx(12345));
    CHECK(number_at("0,125")->value == Approx(0.125));
    CHECK(number_at("0,125")->decimals == 3);
    CHECK(number_at("11,85,6,98]")->value == 11.0);  // a list
    CHECK(number_at("3, 4")->value == 3.0);
    CHECK(number_at("'0.25'")->value == 0.25);
    CHECK(number_at("-1.5e-3ms")->value == -1.5e-3);
    CHECK(number_at("-1.5e-3ms")->suffix == "ms");
    CHECK(std::isnan(number_at("nan,")->value));
    CHECK(std::isinf(number_at("1e999")->value));
    CHECK_FALSE(number_at("n/a"));
    CHECK_FALSE(number_at(""));
    CHECK(clock_at("\"1 day, 2:03:04\"") == 86400 + 2 * 3600 + 184);
    CHECK(clock_at("0:45") == 45);
    CHECK_FALSE(clock_at("45"));
}

TEST_CASE("colours go, brackets stay", "[logs]") {
    std::string scratch;
    CHECK(without_colours("\x1b[1;32ma\x1b[0m [b] [32mc[0m \x1b]0;title\ad", scratch) == "a [b] c d");
    CHECK(without_colours("[5] [m] [rank0]", scratch) == "[5] [m] [rank0]");
    CHECK(without_colours("x\x1b[", scratch) == "x");
}

TEST_CASE("lines longer than a block are read at their beginning", "[logs]") {
    std::istringstream in(std::string(std::size_t{3} << 20, 'x') + "\n" + megatron(1, 1000) +
                          std::string(std::size_t{2} << 20, 'y'));
    const std::optional<TrainingLog> log = read_training_log(in);
    REQUIRE(log);
    CHECK(log->iterations == 1);
    CHECK_THAT(oddities(*log), Catch::Contains("2 lines longer than 1 MiB"));
}

TEST_CASE("a series keeps its median when it thins out", "[logs]") {
    LogSeries series;
    for (int i = 0; i < 1'000'000; ++i) {
        series.add({.value = 1.0 + (i % 997) * 1e-3, .iteration = i, .line = i, .first = i == 0});
    }
    CHECK(*series.median() == Approx(1.498).epsilon(0.002));
    IterationSet seen;
    CHECK(seen.insert(5));
    CHECK_FALSE(seen.insert(5));
    CHECK(seen.insert(std::int64_t{1} << 40));
    CHECK_FALSE(seen.insert(std::int64_t{1} << 40));
    CHECK(seen.size() == 2);
}

TEST_CASE("a report after the bar of the same iteration says what the bar did not", "[logs]") {
    std::string text;
    for (int i = 1; i <= 4; ++i) {
        const std::string n = std::to_string(i);
        text += "1|" + n + "|Loss: 1.5:   0%|          | " + n + "/808 [00:0" + n + "<1:24:11,  1.00s/it]\n";
        text += "Step " + n + " | loss:1.4 lr:2e-05 tokens_per_second_per_gpu:1000 peak_memory_alloc:28\n";
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.framework == LogFramework::torchtune);
    CHECK(log.iterations == 4);
    CHECK(log.repeated_lines == 0);
    REQUIRE(log.tokens_per_s_per_gpu);
    CHECK(*log.tokens_per_s_per_gpu == Approx(1000));
    const TrainingLog twice = read_lines(megatron(1, 1000) + megatron(2, 1000) + megatron(2, 1000));
    CHECK(twice.repeated_lines == 1);
}

TEST_CASE("MaxText with multi-token prediction names the loss of the main model", "[logs]") {
    std::string text;
    for (int i = 0; i < 5; ++i) {
        text += "completed step: " + std::to_string(i) + ", seconds: 4.0, TFLOP/s/device: 50.0, " +
                (i < 2 ? "loss: 9.0" : "main_model_loss: 8.5, mtp_loss: 9.5") + "\n";
    }
    CHECK(read_lines(text).loss_last == Approx(8.5));
}

TEST_CASE("NeMo's DLLogger lines are steps", "[logs]") {
    std::string text = "DLLL {\"type\": \"LOG\", \"step\": \"PARAMETER\", \"data\": {\"seed\": 1}}\n";
    for (int i = 0; i < 4; ++i) {
        text +=
            "DLLL {\"timestamp\": \"1.5\", \"elapsedtime\": \"9.5\", \"type\": \"LOG\", \"step\": " +
            std::to_string(i) + ", \"data\": {\"reduced_train_loss\": " + std::to_string(9 - i) +
            ", \"global_step\": " + std::to_string(i) +
            ".0, \"train_backward_timing in s\": 4e-05, \"train_step_timing in s\": 2.5, \"epoch\": 0}}\n";
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.framework == LogFramework::nemo);
    CHECK(log.iterations == 4);
    CHECK(log.step_time->value() == Approx(2.5));
    CHECK(log.loss_last == Approx(6.0));
}
