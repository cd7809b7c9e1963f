// Logs of loops of one's own: their progress bars, and values behind a logger's name.

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <string>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("a loop's own progress bar is a log of no framework", "[logs]") {
    for (const std::string& name : {std::string("Training:   "), std::string(""),
                                    std::string("Epoch 1/3:   "), std::string("Train step of epoch 0:   ")}) {
        INFO(name);
        const TrainingLog log =
            read_lines(name + "1%|  | 10/1000 [00:20<33:00,  2.00s/it, loss=1.52, mem=21.3GB]\n" + name +
                       "2%|  | 20/1000 [00:40<32:40,  2.00s/it, loss=1.42, mem=21.3GB]\n" + name +
                       "3%|  | 30/1000 [01:00<32:20,  2.00s/it, loss=1.32, mem=21.4GB]\n");
        CHECK(!log.framework);
        CHECK(log.step_time->value() == Approx(2.0));
        CHECK(*log.loss_last == Approx(1.32));
        CHECK(log.peak_memory->value() > 21e9);
    }
    const TrainingLog lightning = read_lines(
        "Epoch 0:   1%|  | 10/1000 [00:05<08:15,  2.00it/s, v_num=0, train_loss=9.1]\n"
        "Epoch 0:   2%|  | 20/1000 [00:10<08:10,  2.00it/s, v_num=0, train_loss=8.2]\n");
    CHECK(lightning.framework == LogFramework::lightning);
}

TEST_CASE("a loop's own bar of an evaluation is no step", "[logs]") {
    const TrainingLog log = read_lines(
        "Training:  1%|  | 10/1000 [00:20<33:00,  2.00s/it, loss=1.52]\n"
        "Validation:  50%|  | 10/20 [00:01<00:01,  9.00it/s, loss=7.00]\n"
        "Training:  2%|  | 20/1000 [00:40<32:40,  2.00s/it, loss=1.42]\n");
    CHECK(log.iterations == 2);
    CHECK(*log.loss_last == Approx(1.42));
}

TEST_CASE("values stand behind a logger's module and line", "[logs]") {
    const auto line = [](int step, const std::string& loss) {
        return "2025-01-01 00:00:01 | INFO | train:142 - Step " + std::to_string(step) +
               "/20000 (0.5%) | Loss: " + loss +
               " | LR: 1.00e-04 | 812.4 ms/step | 80.6K tok/s | Mem: 30.2 GB | ETA: 4h 29m\n";
    };
    const TrainingLog log = read_lines(line(100, "6.23") + line(200, "5.23") + line(300, "4.93"));
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(0.8124));
    CHECK(*log.tokens_per_s == Approx(80'600.0));
    CHECK(*log.loss_last == Approx(4.93));
    CHECK(log.peak_memory->value() > 30e9);
}

TEST_CASE("named values between blanks behind bars, and a throughput with its unit", "[logs]") {
    const auto line = [](int step, const std::string& loss) {
        return "2025-05-05 10:00:00.123 | INFO     | __main__:train:212 - step=" + std::to_string(step) +
               " loss=" + loss + " lr=1.0e-04 time/step=1.20s throughput=109226 tok/s mem=60.1GB\n";
    };
    const TrainingLog log = read_lines(line(10, "8.12") + line(20, "7.12") + line(30, "6.92"));
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(1.2));
    CHECK(*log.tokens_per_s == Approx(109'226.0));
    CHECK(*log.loss_last == Approx(6.92));
}

TEST_CASE("a loop's own bar whose loss stands before it", "[logs]") {
    const TrainingLog log = read_lines(
        "Training Epoch: 1/2, step 8/10 completed (loss: 1.92):  90%|  | 9/10 [00:23<00:02,  2.61s/it]\n"
        "Training Epoch: 1/2, step 9/10 completed (loss: 1.81): 100%|  | 10/10 [00:25<00:00,  2.61s/it]\n"
        "evaluating Epoch: 100%|  | 5/5 [00:01<00:00,  3.70it/s]\n"
        "Max CUDA memory allocated was 18 GB\n"
        "Max CUDA memory reserved was 28 GB\n"
        "CPU Total Peak Memory consumed during the train (max): 40 GB\n"
        "Training Epoch: 2/2, step 0/10 completed (loss: 1.75):  10%|  | 1/10 [00:02<00:23,  2.61s/it]\n");
    CHECK(!log.framework);
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(2.61));
    CHECK(*log.loss_last == Approx(1.75));
    CHECK(log.peak_memory->value() == Approx(28 * GiB));
}

TEST_CASE("a bar says what its throughput is of, and names an epoch that is not Lightning's", "[logs]") {
    const TrainingLog log = read_lines(
        "[Epoch 4 / Train]:  50%|  | 1/2 [00:00<00:00,  2.00it/s, loss=117, throughput=8.22 sample_per_sec, "
        "7.6 Tflops]\n"
        "[Epoch 4 / Train]: 100%|  | 2/2 [00:01<00:00,  2.00it/s, loss=107, throughput=8.22 sample_per_sec, "
        "7.6 Tflops]\n"
        "    cached: 1620.0 MB, max cached: 1720.0 MB\n");
    CHECK(!log.framework);
    CHECK(*log.samples_per_s == Approx(8.22));
    CHECK(log.peak_memory->value() == Approx(1720 * MiB));
}

TEST_CASE("fairseq's lines of words and updates a second", "[logs]") {
    const auto line = [](const std::string& place, const std::string& rest) {
        return "2021-01-01 00:00:00 | INFO | train_inner | epoch 002:" + place + " loss=" + rest + "\n";
    };
    const TrainingLog log = read_lines(
        line("    100 / 1000", "9.5, ppl=724, wps=0, ups=0, wpb=1669, num_updates=1100, wall=43") +
        line("    200 / 1000", "9.1, ppl=549, wps=5000, ups=2, wpb=2500, num_updates=1200, wall=93") +
        "2021-01-01 00:00:00 | INFO | valid | epoch 002 | valid on 'valid' subset | loss 8.1\n" +
        line("    300 / 1000", "8.9, ppl=478, wps=5000, ups=2, wpb=2500, num_updates=1300, wall=99"));
    CHECK(!log.framework);
    CHECK(log.iterations == 3);
    CHECK(*log.first_iteration == 1100);
    CHECK(*log.tokens_per_s == Approx(5000.0));
    CHECK(*log.steps_per_s == Approx(2.0));
    CHECK(*log.loss_last == Approx(8.9));

    const TrainingLog oldest = read_lines(
        "| epoch 003  2000 / 8000 loss=1.27 (1.50), wps=962, wpb=908, bsz=32, gnorm=2.1\n"
        "| epoch 003  3000 / 8000 loss=1.17 (1.49), wps=960, wpb=908, bsz=32, gnorm=2.1\n");
    CHECK(*oldest.first_iteration == 18'000);
    CHECK(*oldest.tokens_per_s == Approx(961.0));

    const TrainingLog json = read_lines(
        R"({"epoch": 1, "valid_loss": 3.1, "num_updates": 150})"
        "\n"
        R"({"epoch": 1, "update": 1.5, "loss": "3.09", "wps": "1700", "ups": "2.7", "num_updates": "150"})"
        "\n"
        R"({"epoch": 2, "update": 2.0, "loss": "3.07", "wps": "1700", "ups": "2.7", "num_updates": "200"})"
        "\n");
    CHECK(*json.last_iteration == 200);
    CHECK(*json.tokens_per_s == Approx(1700.0));
    CHECK(*json.loss_last == Approx(3.07));
}

TEST_CASE("words a second without updates may be of one accelerator, and are no fact", "[logs]") {
    const TrainingLog log = read_lines(R"({"step": 1, "loss": 3.09, "wps": 1700})"
                                       "\n"
                                       R"({"step": 2, "loss": 3.07, "wps": 1700})"
                                       "\n");
    CHECK(!log.tokens_per_s);
    CHECK(*log.loss_last == Approx(3.07));
}

TEST_CASE("the logger of vision programs: places in brackets, medians before means", "[logs]") {
    const auto line = [](int batch, const std::string& loss) {
        return "Train: data epoch: [1]  [ " + std::to_string(batch) +
               "/100]  eta: 0:00:04  lr: 0.0014  loss: " + loss +
               " (6.97)  grad_norm: 0.39 (nan)  time: 0.4944  data: 0.0001  max mem: 19152\n";
    };
    const TrainingLog log = read_lines(line(50, "6.59") + line(60, "6.49") + line(70, "6.39") +
                                       "Averaged stats: lr: 0.0014  loss: 6.42 (6.59)\n");
    CHECK(log.iterations == 3);
    CHECK(*log.last_iteration == 170);
    CHECK(log.step_time->value() == Approx(0.4944));
    CHECK(*log.loss_last == Approx(6.39));
    CHECK(log.peak_memory->value() == Approx(19152 * MiB));
}

TEST_CASE("steps of a loop of one's own that say a loss and no time", "[logs]") {
    for (const std::string& text :
         {std::string("step 10, loss: 2.5\nEvaluation at step 10, loss: 1.1\nstep 20, loss: 2.4\n"),
          std::string("Epoch [1/3], Step [10/500], Loss: 2.5\nEpoch [1/3], Step [20/500], Loss: 2.4\n"),
          std::string("Epoch 1 Step 10: train loss 2.5\nEpoch 1 Step 20: train loss 2.4, val loss 2.6\n"),
          std::string("Epoch: 1, Batch: 10/500, Loss: 2.5\nEpoch: 1, Batch: 20/500, Loss: 2.4\n"),
          std::string("step:10 smpl:640 loss:2.5 lr:1.0e-05\nstep:20 smpl:1K loss:2.4 lr:1.0e-05\n"),
          std::string("DLL 2022 - Training Epoch: 1 Training Iteration: 10  step_loss : 2.5\n"
                      "DLL 2022 - Training Epoch: 1 Training Iteration: 20  step_loss : 2.4\n")}) {
        INFO(text);
        const TrainingLog log = read_lines(text);
        CHECK(!log.framework);
        CHECK(log.iterations == 2);
        CHECK(*log.last_iteration == 20);
        CHECK(*log.loss_last == Approx(2.4));
        CHECK(!log.step_time);
    }
}

TEST_CASE("a digit in a loss's name is no end of another value", "[logs]") {
    for (const std::string part : {"l1_loss", "L1 loss"}) {
        INFO(part);
        CHECK(*read_lines("iter: 190/1051, iter_time: 1.5s, total_loss: 4.25, " + part + ": 0.5, lr: 1e-4\n")
                   .loss_last == Approx(4.25));
    }
}

TEST_CASE("one mention of a loss makes no log", "[logs]") {
    CHECK(!looks_like_training_log("# the run broke at step: 1200, loss: 9.1\n"));
    CHECK(looks_like_training_log("step: 1200, loss: 9.1, time per step: 1.2s\n"));
}

TEST_CASE("fields between commas and bars, units of a throughput, a host's memory", "[logs]") {
    const auto line = [](int step, const std::string& loss) {
        return "2023-05-25 09:08:45.291 | INFO     | trainer:after_iter:282 - epoch: 1/20, iter: " +
               std::to_string(step) + "/1051, gpu mem: 20839Mb, mem: 46.8Gb, iter_time: 1.5s, loss: " + loss +
               ", ips: 32.5 samples/sec | ETA 8:52:37\n";
    };
    const TrainingLog log = read_lines(line(190, "4.2") + line(200, "4.1"));
    CHECK(log.iterations == 2);
    CHECK(log.step_time->value() == Approx(1.5));
    CHECK(*log.samples_per_s == Approx(32.5));
    CHECK(*log.loss_last == Approx(4.1));
    CHECK(log.peak_memory->value() == Approx(20839 * MiB));
}

TEST_CASE("a block's value may have a unit's letter", "[logs]") {
    const auto block = [](int step, const std::string& loss) {
        return "INFO [step=" + std::to_string(step) +
               "/100,epoch=1]\n    throughput/device/TPS=258,163\n    throughput/device/flopsPS=441.0T\n"
               "    train/CE loss=" +
               loss + "\n";
    };
    const TrainingLog log = read_lines(block(1, "6.5") + block(2, "6.4") + block(3, "6.3"));
    CHECK(*log.tflops_per_gpu == Approx(441.0));
    CHECK(*log.loss_last == Approx(6.3));
}

TEST_CASE("a bar without its middle, and what a loop measures itself behind one", "[logs]") {
    const TrainingLog bare = read_lines(
        " 5/24 [01:10<04:12, 13.0s/it, loss=3.21]\n10/24 [02:20<03:00, 12.8s/it, loss=2.45]\n"
        "15/24 [03:30<02:00, 13.2s/it, loss=1.82]\n");
    CHECK(bare.iterations == 3);
    CHECK(bare.step_time->value() == Approx(13.0).epsilon(0.02));
    const TrainingLog own = read_lines(
        "Training:  10%|  | 499/5000 [06:28<57:55,  1.30it/s, loss=0.9962, tok/s=27851.7, dt(ms)=588.26]\n"
        "Training:  20%|  | 999/5000 [12:57<51:31,  1.10s/it, loss=0.5026, tok/s=27571.7, dt(ms)=594.23]\n");
    CHECK(own.step_time->value() == Approx(0.591).epsilon(0.01));
    CHECK(*own.tokens_per_s == Approx(27'700.0).epsilon(0.01));
    const TrainingLog mean = read_lines(
        "steps:   2%|  | 144/5820 [27:07<17:49:08, 11.30s/it, avr_loss=0.0586]\n"
        "steps:   3%|  | 146/5820 [27:29<17:48:19, 11.30s/it, avr_loss=0.0587]\n");
    CHECK(mean.step_time->value() == Approx(11.3));
    CHECK(*mean.loss_last == Approx(0.0587));
}

TEST_CASE("the time of a step by its unit, and the step by its place", "[logs]") {
    const TrainingLog behind = read_lines(
        "INFO:tensorflow:global step 1: loss = 79.3501 (57.126 sec/step)\nINFO:tensorflow:global step 2: "
        "loss = 72.8609 (17.053 "
        "sec/step)\nINFO:tensorflow:global step 3: loss = 67.3308 (16.534 sec/step)\n");
    CHECK(behind.iterations == 3);
    CHECK(behind.step_time->value() == Approx(16.8).epsilon(0.02));
    const TrainingLog bracketed = read_lines(
        "[12/600] 41.3s/step | loss=0.0123 kl=0.0456 | ETA=404.7min | VRAM=15234MB\n"
        "[13/600] 40.1s/step | loss=0.0119 kl=0.0450 | ETA=392.3min | VRAM=15234MB\n"
        "[14/600] 40.7s/step | loss=0.0131 kl=0.0461 | ETA=398.5min | VRAM=15236MB\n");
    CHECK(bracketed.iterations == 3);
    CHECK(bracketed.last_iteration == 14);
    CHECK(bracketed.step_time->value() == Approx(40.7).epsilon(0.01));
    CHECK(bracketed.peak_memory->value() == Approx(15236.0 * MiB));
    const TrainingLog counted = read_lines(
        "|   100/ 1563 steps | 35.21 ms/step | loss 2.3021\n|   200/ 1563 steps | 34.87 ms/step | loss "
        "2.1043\n|   300/ 1563 steps | 34.90 ms/step | loss 1.9988\n");
    CHECK(counted.iterations == 3);
    CHECK(counted.last_iteration == 300);
    CHECK(counted.step_time->value() == Approx(0.0349).epsilon(0.01));
    std::istringstream in("[1/3] loss=2.5\n[2/3] loss=2.4\n[3/3] loss=2.3\n");  // epochs, as like as not
    CHECK_FALSE(read_training_log(in));
}

TEST_CASE("a step that another loop counts as torchtune does is not torchtune's", "[logs]") {
    std::istringstream in(
        "Step 100 per-step time 0.813s loss=1.396\nStep 200 per-step time 0.831s loss=1.192\n");
    const std::optional<TrainingLog> log = read_training_log(in);
    CHECK((!log || log->framework != LogFramework::torchtune));
}

TEST_CASE("ms-swift names the rates of a GPU and of all", "[logs]") {
    const auto line = [](int step, double rate) {
        return "{\"loss\": 2.0, \"grad_norm\": 64.3, \"learning_rate\": 2e-05, \"epoch\": 0.0" +
               std::to_string(step) + ", \"global_step/max_steps\": \"" + std::to_string(step) +
               "/20\", \"tokens_per_gpu_per_sec\": " + std::to_string(rate) +
               ", \"tokens_global_per_sec\": " + std::to_string(8 * rate) +
               ", \"memory(GiB)\": 26.8, \"train_speed(s/it)\": 90.5}\n";
    };
    const TrainingLog log = read_lines(line(1, 160.0) + line(2, 270.0) + line(3, 270.0));
    CHECK(*log.tokens_per_s_per_gpu == Approx(270.0));
    CHECK(*log.tokens_per_s == Approx(2160.0));
}

TEST_CASE("records of LitGPT in one line, whose line ends were lost", "[logs]") {
    const auto record = [](int n, const std::string& loss, const std::string& time) {
        return "Epoch 3 | iter " + std::to_string(n) + " step " + std::to_string(n) +
               " | loss train: " + loss + ", val: 1.039 | iter time: " + time + " ms (step) ";
    };
    const TrainingLog log = read_lines(record(719, "0.818", "700.5") + record(720, "0.841", "702.5") +
                                       record(721, "0.772", "704.5") +
                                       "Training time: 485.47s Memory used: 13.50 GB Saving LoRA weights\n");
    CHECK(log.framework == LogFramework::litgpt);
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(0.7025));
    CHECK(*log.loss_last == Approx(0.772));
    CHECK(log.peak_memory->value() == Approx(13.5e9));
}

TEST_CASE("nanoGPT's line in a loop that counts twice", "[logs]") {
    const TrainingLog log = read_lines(
        "trainer-1 | local_iter 1 total_iter 11: loss 4.0948, time 1486.5ms, mfu 1.00%\n"
        "trainer-1 | local_iter 2 total_iter 12: loss 3.9048, time 1488.5ms, mfu 1.00%\n");
    CHECK(log.framework == LogFramework::nanogpt);
    CHECK(log.last_iteration == 12);
    CHECK(log.step_time->value() == Approx(1.4875));
    CHECK(*log.loss_last == Approx(3.9048));
}

TEST_CASE("a bar with the version of a run is Lightning's, whatever it counts", "[logs]") {
    const TrainingLog log = read_lines(
        "Epoch 20/20: 100%|##########| 20/20 [08:35<00:00, 25.77s/it, v_num=1, train_loss_step=9.58e+3, "
        "train_loss_epoch=1.03e+4]\n");
    CHECK(log.framework == LogFramework::lightning);
    CHECK(log.step_time->value() == Approx(25.77));
    CHECK(*log.loss_last == Approx(9580.0));
}
