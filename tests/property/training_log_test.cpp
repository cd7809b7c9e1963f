// What must be true of every log, however it was mangled on its way.

#include <traincost/import/logs/log_reader.hpp>
#include <traincost/import/logs/training_log_json.hpp>
#include <traincost/io/json_writer.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace traincost;

namespace {

std::optional<TrainingLog> read(const std::string& text) {
    std::istringstream in(text);
    return read_training_log(in);
}

/// A line of one of several frameworks, with the iteration and the milliseconds given.
std::string line_of(int form, int iteration, int ms) {
    const std::string n = std::to_string(iteration);
    const std::string s = std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1);
    switch (form) {
        case 0:
            return " iteration " + n +
                   "/ 500 | consumed samples: 5 | elapsed time per iteration (ms): " + std::to_string(ms) +
                   ".5 | lm loss: 2.5E+00 | number of skipped iterations:   0 |\n";
        case 1:
            return "\x1b[31mstep: " + n +
                   "  \x1b[32mloss: 2.5  memory: 2.25GiB(3%)  tps: " + std::to_string(ms + 1000) +
                   "  tflops: 5.5  mfu: 3%\n";
        case 2:
            return "completed step: " + n + ", seconds: " + s + ", TFLOP/s/device: 5.5, loss: 2.5\n";
        case 3:
            return "Training epoch 0, iteration " + n + "/499 | global_step: " + n +
                   " | reduced_train_loss: 2.5 | train_step_timing in s: " + s + "\n";
        case 4:
            return "iter " + n + ": loss 2.5, time " + std::to_string(ms) + ".25ms, mfu 5%\n";
        case 5:
            return "[batch=" + n +
                   "/500]:\n Train loss/train/total: 2.5\n Train throughput/samples_per_sec: " + s + "\n";
        case 6:
            return "{'loss': 2." + n + ", 'grad_norm': " + s + ", 'epoch': 0.5}\n";
        case 7:
            return "{\"step\": " + n + ", \"train/loss\": 2.5, \"step_time_s\": " + s +
                   ", \"tokens_per_second_per_gpu\": " + std::to_string(ms + 1000) + "}\n";
        case 8:
            return n + ",2.5," + std::to_string(ms) + ".5," + std::to_string(ms + 1000) + "\n";
        default:
            return "{\"current_steps\": " + n +
                   ", \"total_steps\": 500, \"loss\": 2.5, \"elapsed_time\": \"0:00:" +
                   std::to_string(10 + iteration % 50) + "\"}\n";
    }
}

constexpr int forms = 10;
constexpr std::array numbered = {0, 1, 2, 3, 4, 7, 8};  // the forms whose lines have an iteration each

std::vector<std::string> log_of(int form, int iterations, std::mt19937& random) {
    std::vector<std::string> lines;
    if (form == 8) {
        lines.emplace_back("step,train_loss,step_time_ms,tokens_per_s\n");
    }
    for (int i = 1; i <= iterations; ++i) {
        lines.push_back(line_of(form, i, 800 + static_cast<int>(random() % 400)));
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        text += line;
    }
    return text;
}

std::string json(const TrainingLog& log) {
    JsonWriter out;
    write_json(out, log);
    return out.text();
}

}  // namespace

TEST_CASE("lines printed again by other ranks change nothing that is read", "[logs][property]") {
    std::mt19937 random(7);
    for (int round = 0; round < 80; ++round) {
        const int form = round % forms;
        const std::vector<std::string> once = log_of(form, 30, random);
        std::vector<std::string> again;
        for (const std::string& line : once) {
            again.insert(again.end(), 1 + random() % 4, line);
        }
        const std::optional<TrainingLog> a = read(joined(once));
        const std::optional<TrainingLog> b = read(joined(again));
        REQUIRE(a);
        REQUIRE(b);
        INFO("form " << form);
        CHECK(a->framework == b->framework);
        CHECK(a->iterations == b->iterations);
        CHECK(a->step_time == b->step_time);
        CHECK(a->tokens_per_s_per_gpu == b->tokens_per_s_per_gpu);
        CHECK(a->samples_per_s == b->samples_per_s);
        CHECK(a->loss_last == b->loss_last);
        CHECK(a->peak_memory == b->peak_memory);
        CHECK(b->restarts == 0);
    }
}

TEST_CASE("a stray old line among later ones is no restart", "[logs][property]") {
    std::mt19937 random(11);
    for (int round = 0; round < 40; ++round) {
        std::vector<std::string> lines =
            log_of(numbered[static_cast<std::size_t>(round) % numbered.size()], 60, random);
        const std::optional<TrainingLog> before = read(joined(lines));
        const std::size_t from = random() % 20;
        lines.insert(lines.begin() + 30 + static_cast<std::ptrdiff_t>(random() % 30), lines[from]);
        const std::optional<TrainingLog> after = read(joined(lines));
        REQUIRE(before);
        REQUIRE(after);
        CHECK(after->restarts == 0);
        CHECK(after->iterations == before->iterations);
        CHECK(after->step_time == before->step_time);
    }
}

TEST_CASE("whatever is cut, mixed or overwritten, a log is read or refused, and its JSON is finite",
          "[logs][property]") {
    std::mt19937 random(13);
    for (int round = 0; round < 400; ++round) {
        std::string text;
        std::vector<std::string> a = log_of(static_cast<int>(random() % forms), 20, random);
        const std::vector<std::string> b = log_of(static_cast<int>(random() % forms), 20, random);
        a.insert(a.end(), b.begin(), b.end());
        std::shuffle(a.begin(), a.end(), random);
        text = joined(a);
        for (unsigned i = random() % 40; i > 0 && !text.empty(); --i) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(random() % 256);
                    break;
                case 1:
                    text.erase(at, random() % 30);
                    break;
                case 2:
                    text.insert(at, text.substr(random() % text.size(), random() % 60));
                    break;
                default:
                    text.insert(at, 1 + random() % 3, "\r\n\x1b[=:/9|"[random() % 10]);
            }
        }
        text.resize(text.size() - random() % std::min<std::size_t>(text.size() + 1, 200));
        if (const std::optional<TrainingLog> log = read(text)) {
            CHECK_NOTHROW(json(*log));
            CHECK(log->iterations >= 0);
            CHECK((!log->step_time || log->step_time->value() > 0));
            CHECK((!log->peak_memory || log->peak_memory->value() > 0));
        }
    }
}

TEST_CASE("a log read in two parts is the log read at once", "[logs][property]") {
    std::mt19937 random(17);
    for (int round = 0; round < 40; ++round) {
        const std::vector<std::string> lines =
            log_of(numbered[static_cast<std::size_t>(round) % numbered.size()], 40, random);
        const std::ptrdiff_t cut = 1 + static_cast<std::ptrdiff_t>(random() % 38);
        std::istringstream first(joined({lines.begin(), lines.begin() + cut}));
        std::istringstream second(joined({lines.begin() + cut, lines.end()}));
        TrainingLogReader reader;
        reader.read(first);
        reader.read(second);
        const std::optional<TrainingLog> parts = reader.finish();
        const std::optional<TrainingLog> whole = read(joined(lines));
        REQUIRE(parts);
        REQUIRE(whole);
        CHECK(json(*parts) == json(*whole));
    }
}
