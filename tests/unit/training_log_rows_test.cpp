// Rows of a log that make up one line, lines that are no rows, and what stands beside a line.

#include <traincost/import/logs/lines/log_rows.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <sstream>
#include <string>

using namespace traincost;
using namespace traincost::test;

namespace {

/// `text` as a terminal of so many columns shows it.
std::string broken(const std::string& text, std::size_t columns, const std::string& line_end = "\n") {
    std::string rows;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        for (std::size_t at = 0; at < line.size() || at == 0; at += columns) {
            rows += line.substr(at, columns) + line_end;
        }
    }
    return rows;
}

std::string titan_line(int step) {
    return "[titan] 2026-01-02 03:04:0" + std::to_string(step) +
           ",678 - root - INFO - step:  " + std::to_string(step) +
           "  loss:  2.5123  grad_norm:  0.8750  memory: 60.25GiB(76.10%)  tps: 7,13" + std::to_string(step) +
           "  tflops: 412.50  mfu: 41.72%\n";
}

}  // namespace

TEST_CASE("rows that a terminal broke at its width are lines again", "[logs]") {
    std::string titan;
    std::string trainer;
    std::string maxtext;
    for (int i = 1; i <= 9; ++i) {
        const std::string n = std::to_string(i);
        titan += titan_line(i);
        trainer += "{'loss': 1.2" + n +
                   ", 'grad_norm': 0.75, 'learning_rate': 9.931806517013612e-06, 'epoch': " + n +
                   ".0, 'step_peak_memory_allocated_MB': 2627" + n + ".25, 'step_tokens_per_second': 1880" +
                   n + ".85}\n";
        maxtext += "completed step: " + n + ", seconds: 10.22" + n +
                   ", TFLOP/s/device: 350.869, Tokens/s/device: " +
                   "19222.175, total_weights: 1572864, loss: 12.97" + n + "\n";
    }
    for (const std::string& text : {titan, trainer, maxtext}) {
        const TrainingLog whole = read_lines(text);
        for (const std::size_t columns : {80U, 100U, 120U}) {
            for (const std::string line_end : {"\n", "\r\n"}) {
                INFO(columns << " columns of " << text.substr(0, 20));
                const TrainingLog log = read_lines(broken(text, columns, line_end));
                CHECK(log.framework == whole.framework);
                CHECK(log.iterations == whole.iterations);
                CHECK(log.step_time.has_value() == whole.step_time.has_value());
                CHECK(log.tokens_per_s == whole.tokens_per_s);
                CHECK(log.tokens_per_s_per_gpu == whole.tokens_per_s_per_gpu);
                CHECK(log.tflops_per_gpu == whole.tflops_per_gpu);
                CHECK(log.loss_last == whole.loss_last);
                CHECK(log.peak_memory.has_value() == whole.peak_memory.has_value());
            }
        }
    }
    CHECK(columns_of_rows(broken(titan + trainer + maxtext, 97)) == 97);
}

TEST_CASE("a blank that a row lost at its edge is put back", "[logs]") {
    LogRowJoiner rows(80);
    const std::string first = "step: 1  " + std::string(69, 'x') + ":";
    CHECK_FALSE(rows.take({.number = 1, .text = first}));
    CHECK_FALSE(rows.take({.number = 2, .text = "2.5"}));
    const auto line = rows.end();
    REQUIRE(line);
    CHECK(line->number == 1);
    CHECK(line->text == first + " 2.5");
}

TEST_CASE("lines of one length, bars and boxes are no rows of a broken line", "[logs]") {
    std::string dated;
    std::string bars;
    std::string boxes;
    for (int i = 1; i <= 9; ++i) {
        const std::string n = std::to_string(i);
        dated += "completed step: 1510" + n +
                 ", seconds: 2.167, TFLOP/s: 36.722, total: 655360000, loss: 2.19" + n +
                 "\n2023-10-03 11:48:4" + n + "\n";
        bars += "Epoch 1:  1" + n + "%|" + std::string(30, '#') + "| 1" + n +
                "/100 [00:10<01:00,  1.25it/s, loss=2.5" + n + "]\n{'loss': 2.5" + n +
                ", 'epoch': 0.1}\nsaving\n";
        boxes += "+" + std::string(78, '-') + "+\n| " + n + std::string(76, ' ') + "|\niter " + n +
                 ": loss 4.0863, time 561.94ms\n";
    }
    CHECK(columns_of_rows(dated) == 0);
    CHECK(columns_of_rows(bars) == 0);
    CHECK(columns_of_rows(boxes) == 0);
    CHECK(columns_of_rows("") == 0);
    const TrainingLog log = read_lines(dated);
    CHECK(log.iterations == 9);
    CHECK(log.loss_last == Approx(2.199));
}

TEST_CASE("blanks that a page keeps together are blanks", "[logs]") {
    std::string text = titan_line(1) + titan_line(2) + titan_line(3);
    for (std::size_t at = text.find("  "); at != text.npos; at = text.find("  ", at)) {
        text.replace(at, 2, "\xc2\xa0 ");
    }
    const TrainingLog log = read_lines(text);
    CHECK(log.framework == LogFramework::torchtitan);
    CHECK(log.iterations == 3);
    CHECK(log.tokens_per_s_per_gpu == Approx(7132.5));
}

TEST_CASE("memory in a further row of a Megatron line, behind its count of NaN iterations", "[logs]") {
    const TrainingLog log = read_lines(
        " iteration       11/     500 | consumed samples:           88 | elapsed time per iteration (ms): "
        "1892.5/1888.5 |\n"
        "tokens per GPU (tokens/s/GPU): 692.5/694.0 | global batch size: 8 | lm loss: 1.25E+01 |\n"
        "number of skipped iterations: 0 | number of nan iterations: 0 |\n"
        "hip mem usage/free/total/usage_ratio: 63.94GB/224.04GB/287.98GB/22.20% |\n"
        " iteration       12/     500 | consumed samples:           96 | elapsed time per iteration (ms): "
        "1892.5/1888.5 |\n");
    CHECK(log.framework == LogFramework::primus);
    CHECK(log.iterations == 2);
    CHECK(log.peak_memory->value() == Approx(63.94 * GiB));
}

TEST_CASE("Megatron on DeepSpeed is told by what DeepSpeed prints beside it", "[logs]") {
    const std::string line =
        " iteration 1/ 10 | elapsed time per iteration (ms): 1000.0 | lm loss: 1.25E+01 | number of nan "
        "iterations: 0 |\n";
    CHECK(read_lines(line).framework == LogFramework::megatron_lm);
    for (const std::string beside :
         {"Effective Tera Flops per GPU: 41.94 and total parameters 52.005 B\n",
          "[d] MA 1.5 GB         Max_MA 1.75 GB         CA 1.75 GB         Max_CA 2 GB\n",
          "[d] [Rank 0] step=0, skipped=0, lr=[0.0], mom=[(0.9, 0.999)]\n"}) {
        INFO(beside);
        CHECK(read_lines(beside + line).framework == LogFramework::megatron_deepspeed);
    }
    std::string hyphen = line;
    hyphen.replace(hyphen.find("lm loss"), 7, "lm-loss");
    CHECK(read_lines(hyphen).framework == LogFramework::megatron_deepspeed);
}

TEST_CASE("LLaMA-Factory's lines of 2023 name an evaluation that was none", "[logs]") {
    const std::string rest = ", \"eval_loss\": null, \"epoch\": 0.9, \"elapsed_time\": \"0:0";
    const TrainingLog log = read_lines(
        "{\"current_steps\": 10, \"total_steps\": 25, \"loss\": 4.5" + rest +
        "1:00\"}\n{\"current_steps\": 20, \"total_steps\": 25, \"loss\": 4.25" + rest +
        "2:00\"}\n{\"current_steps\": 25, \"total_steps\": 25, \"loss\": null" + rest + "2:30\"}\n");
    CHECK(log.framework == LogFramework::llama_factory);
    CHECK(log.iterations == 3);
    CHECK(log.loss_last == Approx(4.25));
    CHECK(log.step_time->value() == Approx(6.0));
}
