// Training logs: lines that only some versions and ways of launching print.

#include <traincost/import/logs/lines/log_envelope.hpp>
#include <traincost/import/logs/lines/log_line.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <sstream>
#include <string>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("DeepSpeed's timer says the rate that the Trainer's lines do not", "[logs]") {
    const std::string text =
        "{'loss': 0.5, 'learning_rate': 0.0001, 'epoch': 0.1}\n"
        "[d] [INFO] [timer.py:260:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=111.5, "
        "CurrSamplesPerSec=112.5, MemAllocated=1.87GB, MaxMemAllocated=6.5GB\n"
        "{'loss': 0.25, 'learning_rate': 0.0001, 'epoch': 0.2}\n";
    const TrainingLog log = read_lines(text);
    CHECK(log.framework == LogFramework::hf_trainer);
    CHECK(log.iterations == 2);
    CHECK(log.samples_per_s == Approx(112.5));
    CHECK(log.peak_memory->value() == Approx(6.5 * GiB));
    const TrainingLog summary =
        read_lines(text + "{'train_runtime': 9.0, 'train_samples_per_second': 100.5}\n");
    CHECK(summary.samples_per_s == Approx(100.5));
}

TEST_CASE("DeepSpeed-Chat prints times without a step, and losses with one", "[logs]") {
    const std::string times =
        "Model Parameters: 1.5 B, Latency: 0.50s, TFLOPs: 77.5, Samples/sec: 26.5, Time/seq 0.04s, Batch "
        "Size: "
        "16, Sequence Length: 512\n";
    const TrainingLog unnumbered = read_lines(times + times + times);
    CHECK(unnumbered.framework == LogFramework::deepspeed);
    CHECK(unnumbered.iterations == 3);
    CHECK(unnumbered.step_time->value() == Approx(0.5));
    CHECK(unnumbered.samples_per_s == Approx(26.5));
    CHECK(unnumbered.tflops_per_gpu == Approx(77.5));
    CHECK_FALSE(unnumbered.loss_last);
    const TrainingLog log =
        read_lines("Epoch: 0, Step: 5, Rank: 0, loss = 7.75\n" + times +
                   "[d] [INFO] [timer.py:215:stop] epoch=0/micro_step=10/global_step=10, "
                   "RunningAvgSamplesPerSec=20.0, CurrSamplesPerSec=21.5, MaxMemAllocated=1.5GB\n"
                   "Epoch: 0, Step: 10, Rank: 0, loss = 7.25\n" +
                   times + "Epoch: 1, Step: 5, Rank: 0, loss = 6.75\n" + times);
    CHECK(log.iterations == 3);
    CHECK(log.samples_per_s == Approx(26.5));
    CHECK(log.loss_last == Approx(6.75));
    CHECK(log.peak_memory->value() == Approx(1.5 * GiB));
}

TEST_CASE("torchtitan's step may name the last one too", "[logs]") {
    const TrainingLog log = read_lines(
        "[rank0]:2025-04-01 00:25:47,084 - root - INFO - step: 640/644 = 99.3789%  loss:  6.25  memory: "
        "87.5GiB(93.48%)  tps: 52,142  mfu: 3.09%\n");
    CHECK(log.framework == LogFramework::torchtitan);
    CHECK(log.planned_iterations == 644);
    CHECK(log.tokens_per_s_per_gpu == Approx(52142));
    CHECK(log.loss_last == Approx(6.25));
}

TEST_CASE("Primus is told by its prefix whatever it runs", "[logs]") {
    const std::string prefix = "[20260101 00:00:00][rank-0/8][INFO ] [-----metrics.py:400] : ";
    CHECK(read_lines(prefix + "step:  2  loss:  6.5  memory:  2.5GiB(3.1%)  tps: 177,138  mfu: 9.7%\n")
              .framework == LogFramework::primus);
    CHECK(
        read_lines(prefix + "completed step: 7, seconds: 2.5, TFLOP/s/device: 36.5, loss: 2.2\n").framework ==
        LogFramework::primus);
    CHECK(read_lines("[rank0]:[titan] step:  2  loss:  6.5  tps: 177,138\n").framework ==
          LogFramework::torchtitan);
}

TEST_CASE("bars and dictionaries that share a line are read one by one", "[logs]") {
    const TrainingLog tune = read_lines(
        "0: ^M1|7|Loss: 1.75: 100%|###| 7/8 [2:07:08<00:04,  2.36s/it]^M1|8|Loss: 1.5: 100%|###| 8/8 "
        "[2:07:11<00:02,  2.36s/it]\n");
    CHECK(tune.framework == LogFramework::torchtune);
    CHECK(tune.iterations == 2);
    CHECK(tune.loss_last == Approx(1.5));
    const TrainingLog lightning = read_lines(
        "Epoch 0:   0%|          | 0/20 [00:00<?, ?it/s]Epoch 0:   5%|5   | 1/20 [00:08<02:28,  2.5s/it, "
        "train_loss=0.75]Epoch 0:  10%|#   | 2/20 [00:10<02:28,  2.5s/it, train_loss=0.5]\n");
    CHECK(lightning.iterations == 2);
    CHECK(lightning.loss_last == Approx(0.5));
    const TrainingLog trainer = read_lines(
        "{'loss': 1.25, 'epoch': 0.5}{'eval_loss': 9.5, 'epoch': 0.5}{'loss': 1.0, 'epoch': 1.0}\n");
    CHECK(trainer.iterations == 2);
    CHECK(trainer.loss_last == Approx(1.0));
}

TEST_CASE("a bar of an evaluation is no step", "[logs]") {
    const TrainingLog log = read_lines(
        "train          Epoch  30:  100%|###| 1251/1251 [1:16:18<00:00,  3.5s/ba, loss/train/total=2.75]\n"
        "eval           Epoch  30:  100%|###| 49/49 [01:43<00:00,  1.95s/ba, "
        "metrics/eval/Accuracy=0.7393]\n");
    CHECK(log.framework == LogFramework::llm_foundry);
    CHECK(log.iterations == 1);
    CHECK(log.step_time->value() == Approx(3.5));
}

TEST_CASE("Composer of 2022: a key a line, and the time of a batch in its bar", "[logs]") {
    const TrainingLog log = read_lines(
        "[batch=8/5000]: wall_clock/train: 16.7552\n[batch=8/5000]: loss/train/total: 9.75\n"
        "[batch=9/5000]: wall_clock/train: 18.3862\n[batch=9/5000]: loss/train/total: 9.5\n\n"
        "train                           0%|         | 9/5000 [00:18<2:15:12,  1.5s/ba, "
        "loss/train/total=9.5]\n");
    CHECK(log.framework == LogFramework::llm_foundry);
    CHECK(log.iterations == 2);
    CHECK(log.step_time->value() == Approx(1.5));
    CHECK(log.loss_last == Approx(9.5));
}

TEST_CASE("NeMo on Trainium prints sequences a second in its bar", "[logs]") {
    const std::string bar =
        "Epoch 0:   5%|5    | 3/62 [02:59<58:44,  0.02it/s, v_num=8-06, reduced_train_loss=6.75, ";
    CHECK(read_lines(bar + "throughput=0.125, throughput_peak=0.25]\n").samples_per_s == Approx(0.125));
    CHECK_FALSE(read_lines(bar + "throughput=0.125]\n").samples_per_s);  // whose unit nobody knows
}

TEST_CASE("axolotl's report of memory while training", "[logs]") {
    const TrainingLog log = read_lines(
        "[2024-01-19 08:22:00,088] [INFO] [axolotl.load_model:625] [RANK:0] GPU memory usage after adapters: "
        "25.701GB (+0.071GB cache, +1.162GB misc)\n"
        "{'loss': 1.5, 'learning_rate': 2e-05, 'epoch': 0.0}\n"
        "  0%|          | 1/1246 [00:31<10:58:20, 31.73s/it][2024-01-19 08:24:59,664] [INFO] "
        "[axolotl.callbacks.on_step_end:125] GPU memory usage while training: 26.5GB (+41.211GB cache, "
        "+1.545GB misc)\n");
    CHECK(log.framework == LogFramework::axolotl);
    CHECK(log.peak_memory->value() == Approx(26.5 * GiB));
    CHECK_FALSE(read_lines("GPU memory usage: 34%\n{'loss': 1.5, 'epoch': 0.0}\n").peak_memory);
}

TEST_CASE("the Trainer's state file and logs of JSON lines", "[logs]") {
    const TrainingLog state = read_lines(
        "{\n  \"log_history\": [\n    {\n      \"epoch\": 0.2,\n      \"grad_norm\": 0.5,\n      \"loss\": "
        "0.75,\n      \"step\": 10\n    },\n    {\n      \"epoch\": 0.4,\n      \"eval_loss\": 0.9,\n      "
        "\"step\": 20\n    },\n    {\n      \"epoch\": 0.4,\n      \"loss\": 0.5,\n      \"step\": 20\n    "
        "},\n "
        "   {\n      \"epoch\": 0.4,\n      \"train_loss\": 0.6,\n      \"train_samples_per_second\": "
        "5.125\n    "
        "}\n  ]\n}\n");
    CHECK(state.framework == LogFramework::hf_trainer);
    CHECK(state.iterations == 2);
    CHECK(state.loss_last == Approx(0.5));
    CHECK(state.samples_per_s == Approx(5.125));
    const TrainingLog lines = read_lines(
        "{\"loss\": 0.75, \"grad_norm\": 0.5, \"memory(GiB)\": 14.5, \"train_speed(iter/s)\": 0.25, "
        "\"epoch\": "
        "0.1}\n{\"loss\": 0.5, \"grad_norm\": 0.5, \"memory(GiB)\": 14.5, \"train_speed(iter/s)\": 0.25, "
        "\"epoch\": 0.2}\n");
    CHECK(lines.iterations == 2);
    CHECK(lines.loss_last == Approx(0.5));
    CHECK(lines.steps_per_s == Approx(0.25));
    std::istringstream other("{\n  \"model\": \"a\",\n  \"loss\": 0.5\n}\n");
    CHECK_FALSE(read_training_log(other));
}

TEST_CASE("NeMo Automodel's evaluations are no steps, and LitGPT's summary counts tokens", "[logs]") {
    const TrainingLog automodel = read_lines(
        "step 9 | epoch 0 | loss 0.75 | mem 24.5 GiB | tps 11200.0(1400.0/gpu) | num_label_tokens 21541\n"
        "[val] step 9 | epoch 0 | loss 0.875 | lr 1.00e-05 | num_label_tokens 102211\n");
    CHECK(automodel.iterations == 1);
    CHECK(automodel.loss_last == Approx(0.75));
    const TrainingLog litgpt = read_lines(
        "Epoch 1 | iter 7 step 7 | loss train: 10.5, val: n/a | iter time: 362.5 ms (step)\n"
        "| Performance\n| - Tok/sec                   :  4341.5 tok/s\n");
    CHECK(litgpt.tokens_per_s == Approx(4341.5));
}

TEST_CASE("files of metrics that frameworks write beside their logs", "[logs]") {
    const TrainingLog results = read_lines(
        "{\n    \"epoch\": 1.0,\n    \"max_memory_allocated (GB)\": 66.5,\n    \"total_memory_available "
        "(GB)\": "
        "94.62,\n    \"train_loss\": 0.94,\n    \"train_samples_per_second\": 23.75,\n    "
        "\"train_tokens_per_second\": 5000.5\n}\n");
    CHECK(results.framework == LogFramework::hf_trainer);
    CHECK(results.iterations == 0);
    CHECK(results.samples_per_s == Approx(23.75));
    CHECK(results.tokens_per_s == Approx(5000.5));
    CHECK(results.peak_memory->value() == Approx(66.5 * GiB));
    const TrainingLog automodel = read_lines(
        "{\"step\": 9, \"epoch\": 0, \"loss\": 0.75, \"mem\": 24.5, \"tps\": 11200.0, \"tps_per_gpu\": "
        "1400.0, "
        "\"num_label_tokens\": 21541}\n");
    CHECK(automodel.framework == LogFramework::nemo);
    CHECK(automodel.tokens_per_s == Approx(11200));
    CHECK(automodel.tokens_per_s_per_gpu == Approx(1400));
    CHECK(automodel.peak_memory->value() == Approx(24.5 * GiB));
    const TrainingLog timer = read_lines(
        "RunningAvgSamplesPerSec=4954.5, CurrSamplesPerSec=109021.5, MemAllocated=0.15GB, "
        "MaxMemAllocated=9.5GB\n");
    CHECK(timer.framework == LogFramework::deepspeed);
    CHECK(timer.samples_per_s == Approx(109021.5));
    CHECK(timer.peak_memory->value() == Approx(9.5 * GiB));
}

TEST_CASE("nanochat's fine-tuning prints losses", "[logs]") {
    const TrainingLog log = read_lines(
        "Step 00000/00700 | Training loss: 1.5| lrm: 1.000000| num_tokens: 10,000\n"
        "Step 00001/00700 | Training loss: 1.25| lrm: 0.998571| num_tokens: 12,000\n");
    CHECK(log.framework == LogFramework::nanochat);
    CHECK(log.iterations == 2);
    CHECK(log.loss_last == Approx(1.25));
}

TEST_CASE("Megatron-DeepSpeed with no blank before its abbreviation", "[logs]") {
    CHECK(read_lines(
              " iteration        2/  317892 | elapsed time per iteration (ms): 15849.1 | lm loss: 1.1E+01 | "
              "tokens per gpu per second(tgs): 1033.75 | TFLOPs: 62.97 |\n")
              .tokens_per_s_per_gpu == Approx(1033.75));
}

TEST_CASE("colours whose escape character was written out are removed with it", "[logs]") {
    std::string scratch;
    for (const std::string escape :
         {"\\u001b", "\\x1b", "\\033", "\\e", "^[", "\xef\xbf\xbd", "\xe2\x86\x90"}) {
        CHECK(without_colours("a " + escape + "[31mstep: 1" + escape + "[0m b", scratch) == "a step: 1 b");
    }
    CHECK(without_colours("^[ [5] \\e", scratch) == "^[ [5] \\e");
    const TrainingLog log = read_lines(
        "{\"log\":\"[rank0]:[titan] - root - INFO - \\u001b[31mstep:  2  \\u001b[32mloss:  6.5  "
        "\\u001b[36mmemory:  2.5GiB(3.1%)  \\u001b[34mtps: 177,138\\u001b[39m\\n\",\"stream\":\"stderr\"}\n");
    CHECK(log.framework == LogFramework::torchtitan);
    CHECK(log.tokens_per_s_per_gpu == Approx(177138));
}

TEST_CASE("rates of one accelerator under other names, and at the end of AMD's launch scripts", "[logs]") {
    const std::string line =
        " iteration       50/      50 | elapsed time per iteration (ms): 1548.0 | mem usages: 0.8131 | "
        "throughput per GPU (TFLOP/s/GPU): 57.5 | lm loss: 5.25E+00 | number of nan iterations:   0 |\n";
    const TrainingLog named = read_lines(
        " iteration       50/      50 | consumed tokens: 9 | elapsed time per iteration (ms): 1548.0 | "
        "Tokens per "
        "second per GPU (Tok/s/GPU): 2645.5 | model TFLOPS per GPU: 57.5 | lm loss: 5.25E+00 |\n");
    CHECK(named.tokens_per_s_per_gpu == Approx(2645.5));
    CHECK(named.tflops_per_gpu == Approx(57.5));
    const std::string summary = "\nthroughput per GPU: 57.25\ntokens/GPU/s: 2640.5\nmem usages: 0.75\n";
    const TrainingLog log = read_lines(line + summary);
    CHECK(log.framework == LogFramework::megatron_lm);
    CHECK(log.tokens_per_s_per_gpu == Approx(2640.5));
    CHECK(log.tflops_per_gpu == Approx(57.5));
    CHECK_FALSE(log.peak_memory);
}

TEST_CASE("a Megatron line that is broken inside a field is one step", "[logs]") {
    const TrainingLog log = read_lines(
        " iteration     1000/  500000 | elapsed time per iteration (ms): 28716.0 | learning rate: 1.500E-04 "
        "| lm "
        "loss:\n2.25E+01 | loss scale: 1024.0 | number of skipped iterations: 3 | number of nan\niterations: "
        "0 "
        "|\n iteration     1100/  500000 | elapsed time per iteration (ms): 28716.0 | lm\nloss: 2.125E+01 | "
        "loss "
        "scale: 1024.0 | number of skipped iterations: 0 | number of nan iterations: 0 |\n");
    CHECK(log.iterations == 2);
    CHECK(log.skipped_steps == 3);
    CHECK(log.loss_last == Approx(21.25));
}

TEST_CASE("rows of a broken line are joined without what the launcher puts before each", "[logs]") {
    for (const std::string prefix : {"0: ", "[default0]:", "10.0.0.1: ", "trainer-1  | ", "> ",
                                     "2024-01-01T10:00:00.1234Z stdout F ", "[2024-01-01 10:00:00] "}) {
        const TrainingLog log = read_lines(
            prefix + " iteration     1000/  500000 | elapsed time per iteration (ms): 28716.0 | lm loss:\n" +
            prefix +
            "2.25E+01 | loss scale: 1024.0 | number of skipped iterations: 3 | number of nan iterations: 0 "
            "|\n");
        INFO(prefix);
        CHECK(log.loss_last == Approx(22.5));
        CHECK(log.skipped_steps == 3);
    }
    const TrainingLog dated = read_lines(
        "0: [2024-01-01 10:00:00] iteration 1000/ 5000 | elapsed time per iteration (ms): 28716.0 | lm "
        "loss:\n"
        "0: 2.25E+01 | loss scale: 1024.0 |\n");
    CHECK(dated.loss_last == Approx(22.5));
    const TrainingLog torn = read_lines(
        "0: iteration 1000/ 5000 | elapsed time per iteration (ms): 28716.0 | lm loss:\n"
        "other: 7 | of another kind |\n");
    CHECK_FALSE(torn.loss_last);
}

TEST_CASE("lines inside JSON objects of container runtimes and cloud loggers", "[logs]") {
    const TrainingLog bar = read_lines(
        "{\"log\":\"step 00307 (99.2%) | loss: 3.75 | lrm: 0.01 | dt: 1000ms | tok/sec: 129,338\\rstep 00308 "
        "(99.5%) | "
        "loss: 3.5 | lrm: 0.01 | dt: 1000ms | tok/sec: 129,138\\n\",\"stream\":\"stderr\"}\n");
    CHECK(bar.framework == LogFramework::nanochat);
    CHECK(bar.iterations == 2);
    const TrainingLog file = read_lines(
        "{\"timestamp\": 1, \"message\": \"{\\\"current_steps\\\": 5, \\\"loss\\\": 5.5, "
        "\\\"elapsed_time\\\": "
        "\\\"0:02:00\\\"}\"}\n");
    CHECK(file.framework == LogFramework::llama_factory);
    CHECK(file.loss_last == Approx(5.5));
    const TrainingLog drawn = read_lines(
        "{\"log\":\"Epoch 0/2  \\u2501\\u2501 50/100 0:00:10 \\u2022 0:00:09 0.50it/s train_loss: "
        "2.5\\n\"}\n");
    CHECK(drawn.step_time->value() == Approx(2.0));
    CHECK(text_in_envelope("{\"log\": \"a\\t\\u00e9\\ud83d\\\\\\u12\"}") == "a\t\u00e9?\\12");
    CHECK_FALSE(text_in_envelope("{\"log\": \"a"));
    CHECK_FALSE(text_in_envelope("{\"log\": 5}"));
    CHECK_FALSE(text_in_envelope("{'log': 'a'}"));
}

TEST_CASE("a progress bar in two rows, as notebooks show it", "[logs]") {
    const TrainingLog log = read_lines(
        "Epoch 38: 100%\n4975/4975 [08:44<00:00, 10.00it/s, v_num=1, train_loss=1.75]\nEpoch 39: 100% "
        "####\n 4975/4975 [08:42<00:00, 10.00it/s, v_num=1, train_loss=1.5]\nEpoch 40: 10%\nother 1/2 [x]\n");
    CHECK(log.framework == LogFramework::lightning);
    CHECK(log.iterations == 2);
    CHECK(log.step_time->value() == Approx(0.1));
    CHECK(log.loss_last == Approx(1.5));
}

TEST_CASE("LLaMA-Factory's time since the start is no step time where differences are", "[logs]") {
    const std::string line =
        "{\"current_steps\": 3200, \"total_steps\": 3235, \"loss\": 4.5, \"elapsed_time\": \"5:20:00\"}\n";
    CHECK(read_lines(line).step_time->value() == Approx(6.0));
    CHECK(read_lines(line +
                     "{\"current_steps\": 3210, \"total_steps\": 3235, \"loss\": 4.25, \"elapsed_time\": "
                     "\"5:20:50\"}\n")
              .step_time->value() == Approx(5.0));
    // Stages without a loss of their own are steps, evaluations none.
    CHECK(read_lines("{\"current_steps\": 10, \"total_steps\": 40, \"elapsed_time\": \"0:00:50\"}\n"
                     "{\"current_steps\": 20, \"total_steps\": 40, \"elapsed_time\": \"0:01:40\"}\n"
                     "{\"current_steps\": 25, \"total_steps\": 40, \"eval_loss\": 2.5, "
                     "\"elapsed_time\": \"0:01:50\"}\n")
              .iterations == 2);
}

TEST_CASE("a number at the end of a file that lost its unit, exponent or digits is left out", "[logs]") {
    const std::string nano = "iter 1: loss 2.5, time 1350.50ms, mfu 5.00%\niter 2: loss 2.25, time 1348.25";
    CHECK(read_lines(nano).step_time->value() == Approx(1.3505));
    const std::string chat =
        "step 00001/09 (1%) | loss: 3.5 | dt: 10.0ms | tok/sec: 1,089,063\n"
        "step 00002/09 (1%) | loss: 3.4 | dt: 10.0ms | tok/sec: 1,084,991\n"
        "step 00003/09 (1%) | loss: 3.3 | dt: 10.0ms | tok/sec: ";
    const double whole = *read_lines(chat + "1,084,991\n").tokens_per_s;
    for (const std::string rest : {"1,0", "1,089", "1,"}) {
        CHECK(read_lines(chat + rest).tokens_per_s == Approx(whole));
    }
    CHECK(*read_lines(chat + "1,084,991").tokens_per_s == Approx(whole));
    const std::string megatron = " iteration 1/ 9 | elapsed time per iteration (ms): 1000.5 | lm loss: ";
    CHECK_FALSE(read_lines(megatron + "5").loss_last);
    CHECK_FALSE(read_lines(megatron + "5.").loss_last);
    CHECK(read_lines(megatron + "5.25E+00").loss_last == Approx(5.25));
    CHECK_FALSE(
        read_lines("{'loss': 2.5, 'epoch': 1.0}\n{'train_runtime': 5.0, 'train_samples_per_second': 2.")
            .samples_per_s);
    CHECK_FALSE(
        read_lines("step:1/9 train_loss:2.5 step_avg:80.0ms\npeak memory allocated: 191").peak_memory);
}

TEST_CASE("rows of DeepSpeed's timer that were broken, and a bar of anything beside it", "[logs]") {
    const TrainingLog log = read_lines(
        "epoch=0/micro_step=2000/"
        "global_step=2000,\nRunningAvgSamplesPerSec=140.5,\nCurrSamplesPerSec=134.0,\n"
        "MemAllocated=1.91GB,\nMaxMemAllocated=2.25GB\nEpoch 1: 100%|#####| 84/84 [01:09<00:00,  "
        "1.20it/s]\n");
    CHECK(log.framework == LogFramework::deepspeed);
    CHECK(log.samples_per_s == Approx(134.0));
    CHECK(log.peak_memory->value() == Approx(2.25 * GiB));
    const TrainingLog script = read_lines(
        "[d] [INFO] [timer.py:260:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=111.5, "
        "CurrSamplesPerSec=112.5, MemAllocated=1.87GB, MaxMemAllocated=6.5GB\n"
        "step: 10 | loss: 2.5 | samples/s: 112.0\n");
    CHECK(script.framework == LogFramework::deepspeed);
    CHECK(script.samples_per_s == Approx(112.5));
    CHECK(script.loss_last == Approx(2.5));
}

TEST_CASE("numbers of steps with commas, and without a name", "[logs]") {
    const TrainingLog commas = read_lines(
        "GPU Memory: 0.75GB / 1.77GB\nstep 10,000 | loss: 0.5 | dt: 684.5ms | tok/sec: 5981.5\n"
        "step 10,100 | loss: 0.25 | dt: 686.5ms | tok/sec: 5955.5\n");
    CHECK(commas.iterations == 2);
    CHECK(commas.last_iteration == 10100);
    CHECK(commas.peak_memory->value() == Approx(0.75 * GiB));
    const TrainingLog bare = read_lines(
        "44, loss: 6.5, dt: 187.5ms, tok/sec: 5457.5\n45, loss: 6.25, dt: 188.5ms, tok/sec: 5443.5\n");
    CHECK(bare.iterations == 2);
    CHECK(bare.step_time->value() == Approx(0.188));
    CHECK(bare.loss_last == Approx(6.25));
    CHECK(read_lines("step:1/200 train_loss:6.5 train_time:263ms step_avg:263.5ms tok_s:31142\n")
              .tokens_per_s == Approx(31142));
}

TEST_CASE("axolotl is told by its memory where a dictionary has a line a key", "[logs]") {
    const TrainingLog log = read_lines(
        "{'loss': 0.5, \n 'grad_norm': 0.0014, \n 'memory/max_mem_active(gib)': 14.5, \n "
        "'memory/device_mem_reserved(gib)': 14.75, \n 'epoch': 52.0}\n");
    CHECK(log.framework == LogFramework::axolotl);
    CHECK(log.peak_memory->value() == Approx(14.75 * GiB));
}
