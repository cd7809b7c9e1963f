// Lines of a known shape are read as in full, whatever their numbers look like.

#include <traincost/import/logs/lines/log_shape.hpp>
#include <traincost/import/logs/training_log_json.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"
#include "support/temporary.hpp"

#include <filesystem>
#include <fstream>
#include <string>

using namespace traincost;
using namespace traincost::test;

TEST_CASE("a shape is a line without its numbers, and tells where its values stand", "[logs]") {
    LogShape shape;
    CHECK(!shape.fits("step 1 loss 2.5"));
    const std::string_view line = "step 9 l1_loss 2.5, 400ms";
    REQUIRE(shape.learn(line, {line.substr(5, 1), line.substr(15, 3), line.substr(20)}));
    const std::string_view longer = "step 10 l1_loss 12.25, 1400ms";
    REQUIRE(shape.fits(longer));
    CHECK(shape.value(0) == "10");
    CHECK(shape.value(1) == "12.25");
    CHECK(shape.value(2) == "1400ms");
    for (const std::string_view other :
         {"step 10 l2_loss 12.25, 1400ms", "step 10 l1_loss 12.25, 1400ms.", "step 10 l1_loss nan, 1400ms",
          "step 10 l1_loss 12.25, 1400m", "step 10 l1_loss -2.25, 1400ms", "step 10 l1_loss 12.25, ms",
          "step  9 l1_loss 2.5, 400ms", ""}) {
        INFO(other);
        CHECK(!shape.fits(other));
    }
    CHECK(!shape.learn(line, {line.substr(15, 3), line.substr(5, 1)}));  // not in their order
    CHECK(!shape.learn(line, {std::string_view("2.5")}));                // of another text
    CHECK(!shape.fits(line));
}

TEST_CASE("shapes of lines change within a log", "[logs]") {
    std::string text;
    for (int step = 8; step <= 120; ++step) {
        text += "step: " + std::string(step < 10 ? " " : "") + std::to_string(step) +
                ", l1_loss: 7.5, loss: " + (step == 50 ? "nan" : std::to_string(3.0 - step / 100.0)) +
                ", step_time: " + (step % 2 == 0 ? "250.5 ms" : "0.2505 s") + ", peak memory: 2" +
                std::to_string(step % 10) + ".5 GiB\n";
        text +=
            step % 10 == 0 ? "step: " + std::to_string(step) + ", val_loss: 9.5, eval time: 30.5 s\n" : "";
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.iterations == 113);
    CHECK(*log.last_iteration == 120);
    CHECK(log.step_time->value() == Approx(0.2505));
    CHECK(*log.loss_last == Approx(1.8));
    CHECK(log.peak_memory->value() == Approx(29.5 * GiB));
}

TEST_CASE("objects of several shapes in turn", "[logs]") {
    std::string text;
    for (int step = 1; step <= 40; ++step) {
        const std::string count = std::to_string(step);
        text += R"({"step": )" + count + R"(, "train": {"loss": )" + std::to_string(3.0 - step / 100.0) +
                R"(, "step_time_s": 0.5}})" + "\n" + R"({"step": )" + count +
                R"(, "eval": {"loss": 9.5}, "top_5": 0.5})" + "\n" + R"({"step": )" + count +
                R"(, "memory": {"peak_memory_gb": )" + std::to_string(step % 7) + ".5}}\n";
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.iterations == 40);
    CHECK(log.step_time->value() == Approx(0.5));
    CHECK(*log.loss_last == Approx(2.6));
}

TEST_CASE("a form's lines of a shape read before are read as the first of it", "[logs]") {
    std::string text;
    for (int step = 1; step <= 300; ++step) {
        const std::string n = std::to_string(step);
        text += "iter " + n + ": loss " + std::to_string(4.0 - step / 100.0) + ", time " +
                std::to_string(800 + step % 9) + ".50ms, mfu 40.12%\n";
        text += step % 100 == 0 ? "step " + n + ": train loss 3.1, val loss 3.2\n" : "";
    }
    const TrainingLog log = read_lines(text + "iter 1301: loss nan, time 804.50ms, mfu 40.12%\n" +
                                       "iter 12345678901234567: loss 9.5, time 804.50ms, mfu 40.12%\n" +
                                       "iter 1302: loss 0.75, time 804.50ms, mfu 40.12%\n");
    CHECK(log.framework == LogFramework::nanogpt);
    CHECK(log.iterations == 302);
    CHECK(log.last_iteration == 1302);
    CHECK(log.nan_steps == 1);
    CHECK(log.step_time->value() == Approx(0.8045));
    CHECK(*log.loss_last == Approx(0.75));
}

TEST_CASE("bars at nought and words between lines of one form keep their meaning", "[logs]") {
    std::string text;
    for (int epoch = 0; epoch < 3; ++epoch) {
        for (int n = 0; n <= 120; ++n) {
            text += "Epoch " + std::to_string(epoch) + ":   7%|7         | " + std::to_string(n) +
                    "/120 [01:02<03:04, 2.00it/s, v_num=3, train_loss=" + std::to_string(4 - epoch) + ".5]\r";
        }
        text += "\nSaving checkpoint to epoch-" + std::to_string(epoch) + "\n";
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.framework == LogFramework::lightning);
    CHECK(log.iterations == 360);
    CHECK(log.restarts == 0);
    CHECK(log.step_time->value() == Approx(0.5));
    CHECK(*log.loss_last == Approx(2.5));
}

TEST_CASE("rows of plain numbers, and those that are not, of one table", "[logs]") {
    const TrainingLog log = read_lines(
        "step,loss,step_time,memory_gb,note\n1,4.5,0.5,10.5,a\n2,4.25,.5,10.5,\n3,,0.5,,b\n4, 1e-1 "
        ",0.50,11.5\n"
        "5,0.123456789012345678,5.0e-1,\"11\",x\n6,nan,0.5,10.5,y\n7,2.5,0.5,10.5,z,\n8,1.5,0.5,10.5,z,1,"
        "2\n");
    CHECK(log.iterations == 7);
    CHECK(log.step_time->value() == Approx(0.5));
    CHECK(log.peak_memory->value() == Approx(11.5 * GiB));
    CHECK(log.nan_steps == 1);
    CHECK(*log.loss_last == Approx(2.5));
}

TEST_CASE("batches counted over the epochs, steps repeated in each", "[logs]") {
    const auto batch = [](int epoch, int n, const std::string& loss) {
        return "Epoch " + std::to_string(epoch) + " Batch " + std::to_string(n) + " Loss " + loss +
               " time 0." + std::to_string(250 + n % 100) + "s\n";
    };
    const TrainingLog batches =
        read_lines(batch(1, 0, "4.5") + batch(1, 50, "4.25") + batch(2, 0, "4.0") + batch(2, 50, "3.5"));
    CHECK(batches.iterations == 4);
    CHECK(*batches.loss_last == Approx(3.5));
    const auto repeated = [](int epoch) {
        return "Epoch " + std::to_string(epoch) + "/300, Step 7/7, loss: 2." + std::to_string(100 - epoch) +
               ", step_time: 0.5s\n";
    };
    const TrainingLog steps = read_lines(repeated(8) + repeated(9) + repeated(10));
    CHECK(steps.iterations == 3);
    CHECK(*steps.loss_last == Approx(2.9));
}

TEST_CASE("a loss by its other name, and rates of two texts", "[logs]") {
    const auto line = [](int n) {
        return "[2019-03-21 18:34:11,780 INFO] Step " + std::to_string(n) +
               "/200000; acc:  30.36; ppl: 61.43; xent: 4.12; lr: 0.00028; 4953/257 tok/s;   6789 sec\n";
    };
    const TrainingLog log = read_lines(line(50) + line(100));
    CHECK(*log.loss_last == Approx(4.12));
    CHECK(!log.tokens_per_s);
}

TEST_CASE("a device's usage, and LLaMA-Factory's own logger", "[logs]") {
    const TrainingLog device = read_lines(
        " iteration 2/ 10 | elapsed time per iteration (ms): 250.5 | lm loss: 2.5E+00 |\n"
        "[Rank 0] (after 2 iterations) memory (MB) | allocated: 12524.5 | max allocated: 18474.5 | reserved: "
        "23024.0 | max reserved: 23024.0 | device usage: 29104.5\n");
    CHECK(device.peak_memory->value() == Approx(29104.5 * MiB));
    CHECK(device.device->value() == Approx(29104.5 * MiB));
    const TrainingLog factory = read_lines(
        "[INFO|2025-02-16 16:04:39] logging.py:144 >> {'loss': 1.5, 'learning_rate': "
        "4.9995e-05, 'epoch': 0.12, 'throughput': 466.97}\n");
    CHECK(factory.framework == LogFramework::llama_factory);
    CHECK(*factory.loss_last == Approx(1.5));
}

TEST_CASE("a compressed log is named as such", "[logs]") {
    const std::string path = temporary("train.log.gz");
    std::ofstream(path) << "\x1f\x8b\x08 packed";
    CHECK_THROWS_WITH(read_training_logs({path}),
                      path + ": is compressed with gzip; unpack it first: gunzip " + path);
    std::filesystem::remove(path);
}
