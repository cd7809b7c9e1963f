// Logs of loops of one's own: places in an epoch, times that only their course tells, steps in two lines.

#include <traincost/import/logs/training_log_json.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <string>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("a place in brackets behind the epoch is the iteration", "[logs]") {
    const auto lines = [](const std::string& front, const std::string& back, const std::string& rest) {
        return front + "50" + back + rest + " loss: 2.5\n" + front + "100" + back + rest + " loss: 2.4\n" +
               front + "150" + back + rest + " loss: 2.3\n";
    };
    const std::string openmm = "\tlr: 2.0e-02, eta: 1:24:41, time: 0.391, data_time: 0.009, memory: 3946,";
    for (const auto& [front, back] :
         {std::pair<std::string, std::string>{"2020-11-11 18:27:52,420 - seg - INFO - Epoch [1][", "/2500]"},
          {"2018-10-23 10:51:07,015 - INFO - Epoch [1][", "/2500]    "},
          {"Epoch: [1]  [ ", "/2500]"},
          {"Train: 1 [  ", "/2500 (  4%)] "},
          {"INFO  Train:    1/3 ( 33%) [  ", "/2500 (  4%)]"},
          {"Epoch 1:  [ ", "/2500]"},
          {"Epoch:[1/2](", "/2500),"}}) {
        INFO(front);
        const TrainingLog log = read_lines(lines(front, back, openmm));
        CHECK(!log.framework);
        CHECK(log.iterations == 3);
        CHECK(*log.last_iteration == 2650);
        CHECK(log.step_time->value() == Approx(0.391));
        CHECK(*log.loss_last == Approx(2.3));
        CHECK(log.peak_memory->value() == Approx(3946 * MiB));
    }
}

TEST_CASE("loggers of vision: meters with their means, a rate of samples", "[logs]") {
    const auto aligned = [](int batch, const std::string& loss) {
        return "Epoch: [0][  " + std::to_string(batch) +
               "/5005]\tTime  0.250 ( 1.200)\tData  0.001 ( 0.500)\tLoss " + loss +
               "e+00 (7.0e+00)\tAcc@1   0.39 (  0.10)\n";
    };
    const TrainingLog meters = read_lines(aligned(10, "6.9") + aligned(20, "6.8") + aligned(30, "6.7"));
    CHECK(meters.step_time->value() == Approx(0.25));
    CHECK(*meters.loss_last == Approx(6.7));

    const auto spoken = [](int samples, const std::string& loss) {
        return "2023-06-29,15:45:36 | INFO | Train Epoch: 0 [ " + std::to_string(samples) +
               "/109468 (3%)] Loss: " + loss +
               " (1.023) Data (t): 0.158 Batch (t): 0.559, 36.25/s LR: 0.000001 Logit Scale: 99.995\n";
    };
    const TrainingLog clip = read_lines(spoken(640, "1.5") + spoken(1280, "1.25") + spoken(1920, "1.0"));
    CHECK(clip.iterations == 3);
    CHECK(clip.step_time->value() == Approx(0.559));
    CHECK(*clip.samples_per_s == Approx(36.25));
    CHECK(*clip.loss_last == Approx(1.0));

    const auto detector = [](int iteration) {
        return "[11/01 11:27:04 events]: eta: 8:05:12  iter: " + std::to_string(iteration) +
               "  total_loss: 1.012  loss_cls: 0.714  time: 0.3322  data_time: 0.0334  lr: 0.01  max_mem: "
               "3961M\n";
    };
    const TrainingLog boxes = read_lines(detector(1259) + detector(1279) + detector(1299));
    CHECK(boxes.step_time->value() == Approx(0.3322));
    CHECK(boxes.peak_memory->value() == Approx(3961 * MiB));
}

TEST_CASE("a time without another name is a step's where it rises and falls", "[logs]") {
    const auto line = [](int step, const std::string& time) {
        return "02:40:5" + std::to_string(step) + " SUCCESS Step " + std::to_string(step) +
               " | Time: " + time +
               "s | Loss: 12.25 | Throughput: 4175 tokens/s | Peak Mem.: 5.2/23.7 GiB (22.1%)\n";
    };
    const TrainingLog log = read_lines(line(0, "5.13") + line(1, "0.60") + line(2, "0.35") + line(3, "0.36") +
                                       line(4, "0.37") + line(5, "0.36"));
    CHECK(log.iterations == 6);
    CHECK(log.step_time->value() == Approx(0.36));
    CHECK(*log.tokens_per_s == Approx(4175.0));
    CHECK(log.peak_memory->value() == Approx(5.2 * GiB));
    CHECK_FALSE(read_lines(line(0, "5.13") + line(1, "5.60") + line(2, "6.35") + line(3, "7.36") +
                           line(4, "8.37") + line(5, "9.40"))
                    .step_time);
    CHECK_FALSE(read_lines(line(0, "2.0") + line(1, "4.0") + line(2, "6.0") + line(3, "2.1") +
                           line(4, "4.1") + line(5, "6.1"))
                    .step_time);
    CHECK_FALSE(read_lines(line(0, "9.0") + line(1, "8.0") + line(2, "7.5") + line(3, "7.0")).step_time);
}

TEST_CASE("the line after a step says how long it took", "[logs]") {
    const auto numbered = [](int step, const std::string& loss, const std::string& ms) {
        const std::string head = "[INFO] Epoch 1/200, Step " + std::to_string(step) + "/3995, ";
        return head + "imgsize (640, 640), loss: " + loss + ", lbox: 3.6\n" + head + "step time: " + ms +
               " ms\n";
    };
    const TrainingLog log = read_lines(numbered(100, "9.5", "5736.5") + numbered(200, "8.5", "654.5") +
                                       numbered(300, "7.5", "660.5"));
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(0.6575));
    CHECK(*log.loss_last == Approx(7.5));

    const auto speed = [](int step, const std::string& seconds) {
        return "\titers: " + std::to_string(step) + ", epoch: 1 | loss: 0.3404\n\tspeed: " + seconds +
               "s/iter; left time: 907.8888s\n";
    };
    const TrainingLog unnumbered =
        read_lines(speed(100, "0.0710") + speed(200, "0.0583") + speed(300, "0.0585"));
    CHECK(unnumbered.iterations == 3);
    CHECK(unnumbered.step_time->value() == Approx(0.0584));
}

TEST_CASE("a step printed over a bar, and a bar without a loss", "[logs]") {
    const auto printed = [](int step) {
        return "Iteration:  23%|###   | " + std::to_string(step) +
               "/2771 [01:23<04:25,  8.00it/s]DLL 2022-04-05 05:10:36.324733 - Training Epoch: 0 Training "
               "Iteration: " +
               std::to_string(step + 1) + "  step_loss : 2.05  learning_rate : 2.9e-05\n";
    };
    const TrainingLog log = read_lines(printed(650) + printed(700));
    CHECK(log.iterations == 2);
    CHECK(*log.last_iteration == 701);
    CHECK(log.step_time->value() == Approx(0.125));
    CHECK(*log.loss_last == Approx(2.05));

    const TrainingLog bare = read_lines(
        "Steps:   1%|   | 2/400 [00:27<13:28:05, 12.25s/it, ep=0, lr=3.35e-7, st=2, stl=2.29]\n"
        "Steps:   1%|   | 3/400 [00:39<13:28:05, 12.25s/it, ep=0, lr=3.35e-7, st=3, stl=2.19]\n");
    CHECK(!bare.framework);
    CHECK(bare.step_time->value() == Approx(12.25));
    CHECK(!bare.loss_last);
}

TEST_CASE("steps whose number has no name", "[logs]") {
    const TrainingLog bars = read_lines(
        "490 | loss 5.75 | lr 4.9e-05 | 8060.5ms | mfu 0.21%\n"
        "500 | loss 6.00 | lr 5.0e-05 | 8070.5ms | mfu 0.19%\n");
    CHECK(bars.iterations == 2);
    CHECK(bars.step_time->value() == Approx(8.0655));
    CHECK(*bars.loss_last == Approx(6.0));
    for (const std::string& text :
         {std::string("0 val 10.9\n0 train 10.95\n1 train 10.5\n1 hella 0.25\n"),
          std::string("s:0 tel:10.9\ns:0 trl:10.95 lr:0.1 norm:1.2\ns:1 trl:10.5\n")}) {
        INFO(text);
        const TrainingLog losses = read_lines(text);
        CHECK(losses.iterations == 2);
        CHECK(*losses.loss_last == Approx(10.5));
        CHECK(!losses.step_time);
    }
}

TEST_CASE("values of an event, and a value with its name beside it", "[logs]") {
    const auto event = [](int step, const std::string& loss) {
        return "[PerfLog] {\"event\": \"STEP_END\", \"value\": {\"loss\": " + loss +
               ", \"epoch\": 1, \"global_steps\": " + std::to_string(step) +
               ", \"seq/s\": 822.5}, \"metadata\": {\"lineno\": 127, \"time_ms\": 1669034171032, \"rank\": "
               "0}}\n";
    };
    const TrainingLog events = read_lines(event(10, "2.75") + event(20, "2.5") + event(30, "2.25"));
    CHECK(!events.framework);
    CHECK(*events.last_iteration == 30);
    CHECK(*events.samples_per_s == Approx(822.5));
    CHECK(*events.loss_last == Approx(2.25));

    const TrainingLog named =
        read_lines(R"({"name": "loss", "data": {"epoch": 0.01, "step": 1, "value": 3.75}})"
                   "\n"
                   R"({"name": "loss", "data": {"epoch": 0.01, "step": 2, "value": 3.5}})"
                   "\n"
                   R"({"name": "eval_loss", "data": {"epoch": 0.01, "step": 2, "value": 9.5}})"
                   "\n");
    CHECK(named.iterations == 2);
    CHECK(*named.loss_last == Approx(3.5));
}

TEST_CASE("lines that look like a framework's are nobody's without its other signs", "[logs]") {
    const TrainingLog commas = read_lines(
        "03:22:14 [INFO] [TRAIN] [Rank 0] step: 289, loss: 0.431, tokens_per_second: 76477.5, mfu: 37.5\n");
    CHECK(!commas.framework);
    CHECK(*commas.tokens_per_s == Approx(76477.5));
    const TrainingLog dictionary = read_lines(
        "[ time:16.0s total_exs:5632 ] {'exs': 768, 'lr': 0.0005, 'num_updates': 18, 'loss': 21.5}\n"
        "[ time:69.0s total_exs:22784 ] {'exs': 768, 'lr': 0.0005, 'num_updates': 89, 'loss': 17.5}\n");
    CHECK(!dictionary.framework);
    CHECK(*dictionary.loss_last == Approx(17.5));
    CHECK(read_lines("step:10/100 train_loss:5.5 train_time:2000ms step_avg:200.5ms\n").framework ==
          LogFramework::nanogpt);
}

TEST_CASE("a unit of ten in the name's program, and wide gaps inside names", "[logs]") {
    const TrainingLog mlx = read_lines(
        "Iter 18: Train loss 10.059, Learning Rate 1.000e-04, It/sec 0.468, Tokens/sec 213.5, Trained Tokens "
        "3778.0, Peak mem 4.974 GB\n");
    CHECK(mlx.peak_memory->value() == Approx(4.974e9));
    const TrainingLog gaps = read_lines(
        " iteration  10/  100 |  consumed  samples:  80  |  elapsed  time  per  iteration  (ms):  250.5  |  "
        "lm  "
        "loss:  6.25E+00  |  number  of  nan  iterations:  0  |\n");
    CHECK(gaps.step_time->value() == Approx(0.2505));
    CHECK(*gaps.loss_last == Approx(6.25));
}

TEST_CASE("a time per iteration with its unit is no second iteration", "[logs]") {
    const TrainingLog log = read_lines(
        "iteration 5/50 | elapsed time per iteration: 21392.5 ms |\n"
        "learning rate: 1.35E-04 | global batch size: 4096 |\nloss scale: 1.0 | grad norm: nan |\n"
        "number of skipped iterations: 0 | number of nan iterations: 0\n\n"
        "iteration 6/50 | elapsed time per iteration: 21313.5 ms |\n"
        "learning rate: 1.62E-04 | global batch size: 4096 |\nloss scale: 1.0 | grad norm: nan |\n"
        "number of skipped iterations: 0 | number of nan iterations: 0\n");
    CHECK(log.framework == LogFramework::megatron_lm);
    CHECK(log.iterations == 2);
    CHECK(log.step_time->value() == Approx(21.353));
    CHECK(*log.global_batch == 4096);
}
