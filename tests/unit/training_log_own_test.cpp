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
