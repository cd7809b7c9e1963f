// Training logs that are tables: CSV files, JSON lines, tables of notebooks, and named values of any script.

#include <traincost/import/logs/lines/log_columns.hpp>

#include <catch2/catch.hpp>

#include "support/log_reading.hpp"

#include <string>
#include <string_view>

using namespace traincost;
using namespace traincost::test;

namespace {

bool is_fact(std::string_view name, LogFact fact, double scale = 1.0) {
    const LogColumn column = column_of(name);
    return column.role == ColumnRole::fact && column.fact == fact && column.scale == Approx(scale);
}

bool says_nothing(std::string_view name) {
    return column_of(name).role == ColumnRole::none;
}

}  // namespace

TEST_CASE("the words of a column's name tell what it is, and in which unit", "[logs]") {
    for (const char* name : {"step", "Step", "global_step", "iter", "iteration", "iter_num", "train/step",
                             "trainer/global_step", "_step", "num_updates", "Train Step"}) {
        INFO(name);
        CHECK(column_of(name).role == ColumnRole::iteration);
    }
    CHECK(is_fact("step_time_ms", LogFact::step_time, 1e-3));
    CHECK(is_fact("dt_ms", LogFact::step_time, 1e-3));
    CHECK(is_fact("iter_time", LogFact::step_time));
    CHECK(is_fact("time/step", LogFact::step_time));
    CHECK(is_fact("sec/step", LogFact::step_time));
    CHECK(is_fact("iterTimeMs", LogFact::step_time, 1e-3));
    CHECK(is_fact("elapsed_time_per_iteration_ms", LogFact::step_time, 1e-3));
    CHECK(is_fact("timing_s/step", LogFact::step_time));
    CHECK(is_fact("avg_batch_cost", LogFact::step_time));
    CHECK(is_fact("perf/throughput", LogFact::tokens_per_s_per_gpu));
    CHECK(is_fact("wps", LogFact::tokens_per_s));
    CHECK(is_fact("ups", LogFact::steps_per_s));
    CHECK(is_fact("tok/s", LogFact::tokens_per_s));
    CHECK(is_fact("tokens_per_second", LogFact::tokens_per_s));
    CHECK(is_fact("tokens/s/GPU", LogFact::tokens_per_s_per_gpu));
    CHECK(is_fact("throughput/device/tokens_per_second", LogFact::tokens_per_s_per_gpu));
    CHECK(is_fact("it/s", LogFact::steps_per_s));
    CHECK(is_fact("train/samples_per_sec", LogFact::samples_per_s));
    CHECK(is_fact("model_tflops_per_gpu", LogFact::tflops_per_gpu));
    CHECK(is_fact("train/loss", LogFact::loss));
    CHECK(is_fact("train/CrossEntropyLoss", LogFact::loss));
    CHECK(is_fact("Training Loss", LogFact::loss));
    CHECK(is_fact("peak_mem_gb", LogFact::allocated, GiB));
    CHECK(is_fact("memory/max_reserved(GiB)", LogFact::reserved, GiB));
    CHECK(is_fact("mem-max-allocated-bytes", LogFact::allocated));
    CHECK(is_fact("gpu_memory_used_mb", LogFact::device, MiB));
    CHECK(column_of("elapsed_s").role == ColumnRole::clock);
    CHECK(column_of("_runtime").role == ColumnRole::clock);
}

TEST_CASE("columns of validation, of parts of a step and of the host are no facts of a step", "[logs]") {
    for (const char* name : {"val_loss",
                             "eval/loss",
                             "val/step_time",
                             "data_time",
                             "fwd_ms",
                             "timing_s/update_actor",
                             "timing_s/update_weights",
                             "avg_reader_cost",
                             "backward_time",
                             "loss_scale",
                             "aux_loss",
                             "train_loss_epoch",
                             "cpu_mem_gb",
                             "memory/max_active(%)",
                             "memory/num_ooms",
                             "per_device_tokens",
                             "generated_tokens_per_sec",
                             "eta",
                             "time_remaining",
                             "lr",
                             "grad_norm",
                             "epoch_time",
                             "device/samples_per_sec",
                             "total_tokens"}) {
        INFO(name);
        CHECK(says_nothing(name));
    }
}

TEST_CASE("a CSV file of one's own: units by name, a comment between rows", "[logs]") {
    const TrainingLog log = read_lines(
        "step,train_loss,val_loss,lr,dt_ms,tok_per_sec,mem_gpu_mb\n0,11.0,11.5,0.1,2211.5,118000.5,22311.5\n"
        "1,10.5,-1.0,0.1,901.5,290000.5,22311.5\n2,10.25,-1.0,0.1,899.5,291000.5,22320.0\n# resumed run 2\n"
        "3,10.0,-1.0,0.1,900.5,290500.5,22320.0\n");
    CHECK_FALSE(log.framework);
    CHECK(log.iterations == 4);
    CHECK(log.step_time->value() == Approx(0.9005));
    CHECK(log.tokens_per_s == Approx(290500.5));
    CHECK(log.loss_last == Approx(10.0));
    CHECK(log.peak_memory->value() == Approx(22320 * MiB));
}

TEST_CASE("micro-steps in a table, beside the optimizer's", "[logs]") {
    const TrainingLog log = read_lines(
        "micro_step,opt_step,loss_avg,tok_per_s,vram_gb\n310050,38756,3.5,15118,18.0\n"
        "310100,38762,3.25,47152,18.0\n310150,38769,3.0,46964,18.0\n310200,38775,3.0,46242,18.25\n");
    CHECK(log.iterations == 4);
    CHECK(log.micro_steps == 8);
    CHECK(log.tokens_per_s == Approx(46964));
    CHECK(log.peak_memory->value() == Approx(18.25 * GiB));
    CHECK(read_lines("opt_step,loss,step_time\n1,3.5,0.5\n2,3.25,0.5\n").iterations == 2);
}

TEST_CASE("Lightning's CSV file: validation in rows of its own", "[logs]") {
    const TrainingLog log =
        read_lines("epoch,step,train_loss,val_loss\n0,49,2.5,\n0,99,2.25,\n0,99,,2.75\n0,149,2.0,\n");
    CHECK(log.framework == LogFramework::lightning);
    CHECK(log.iterations == 3);
    CHECK(log.loss_last == Approx(2.0));
    CHECK_FALSE(log.step_time);
    // a script that leaves its validation empty in the rows of training is not Lightning
    CHECK_FALSE(
        read_lines("epoch,step,train_loss,val_loss\n0,49,2.5,\n0,99,2.25,2.5\n0,149,2.0,\n").framework);
}

TEST_CASE("iterations that begin again with each epoch count on", "[logs]") {
    const TrainingLog log = read_lines(
        "epoch,step,loss,step_time_s\n1,100,5.5,0.25\n1,200,5.25,0.25\n2,100,5.0,0.25\n2,200,4.75,0.25\n");
    CHECK(log.iterations == 4);
    CHECK(log.restarts == 0);
    CHECK(log.last_iteration == 400);
}

TEST_CASE("a clock that each row prints tells the time of a step, unless it falls", "[logs]") {
    CHECK(read_lines("step,loss,elapsed_s\n100,7.5,61.0\n200,6.5,115.0\n300,6.0,169.0\n400,5.5,223.0\n")
              .step_time->value() == Approx(0.54));
    // hours to one digit: the rows in which it moves say nothing
    std::string hours = "step,loss,elapsed_hours\n";
    for (int i = 1; i <= 120; ++i) {
        const int tenths = i * 100 * 13 / 3600;  // 1.3 s a step
        hours += std::to_string(i * 100) + ",7.5," + std::to_string(tenths / 10) + "." +
                 std::to_string(tenths % 10) + "\n";
    }
    CHECK(read_lines(hours).step_time->value() == Approx(1.3).epsilon(0.05));
    CHECK_FALSE(read_lines("step,loss,elapsed_ms\n1,7.5,131.0\n2,6.5,130.0\n3,6.0,129.5\n").step_time);
    const TrainingLog both =
        read_lines("step,loss,elapsed_s,step_time\n100,7.5,61.0,0.5\n200,6.5,115.0,0.5\n300,6.0,169.0,0.5\n");
    CHECK(both.step_time->value() == Approx(0.5));
}

TEST_CASE("JSON lines: nested names, parts of the data, and an end that is cut off", "[logs]") {
    const TrainingLog log = read_lines(
        "{\"step\": 10, \"split\": \"train\", \"metrics\": {\"loss\": 4.5}, \"perf\": {\"tokens_per_sec\": "
        "51000.5, \"step_time_ms\": 321.5}, \"gpu\": {\"peak_mem_mb\": 30100}}\n"
        "{\"step\": 10, \"split\": \"val\", \"metrics\": {\"loss\": 9.5}}\n"
        "{\"step\": 20, \"split\": \"train\", \"metrics\": {\"loss\": NaN}, \"perf\": {\"tokens_per_sec\": "
        "52000.5, \"step_time_ms\": 315.5}, \"gpu\": {\"peak_mem_mb\": 30200}}\n"
        "{\"step\": 30, \"split\": \"train\", \"metrics\": {\"loss\": 4.0}, \"perf\": {\"tokens_per_sec\": "
        "52");
    CHECK_FALSE(log.framework);
    CHECK(log.iterations == 3);
    CHECK(log.nan_steps == 1);
    CHECK(log.step_time->value() == Approx(0.3155));
    CHECK(log.tokens_per_s == Approx(52000.5));
    CHECK(log.loss_last == Approx(4.0));
    CHECK(log.peak_memory->value() == Approx(30200 * MiB));
}

TEST_CASE("frameworks are named by the names that only they write", "[logs]") {
    const auto framework = [](const std::string& text) { return read_lines(text).framework; };
    CHECK(framework("{\"learning/loss\": 9.5, \"perf/step_time_seconds\": 4.5, \"perf/per_device_tflops\": "
                    "172.5, \"step\": 2.0}\n") == LogFramework::maxtext);
    CHECK(framework("{\"step\": 1, \"loss\": 1.5, \"tokens_per_second_per_gpu\": 611.5, "
                    "\"peak_memory_active\": 17.25}\n") == LogFramework::torchtune);
    CHECK(framework("{\"lr\": 0.1, \"data_time\": 0.5, \"loss\": 2.5, \"time\": 14.25, \"iter\": 360, "
                    "\"memory\": 49335, \"step\": 360}\n") == LogFramework::xtuner);
    CHECK(framework("{\"train/loss\": 2.5, \"train/learning_rate\": 0.1, \"train/global_step\": 10, "
                    "\"_runtime\": 40.5, \"_step\": 0}\n") == LogFramework::hf_trainer);
    CHECK(framework("_step,lm loss,iteration-time\n1,10.5,2.5\n") == LogFramework::megatron_lm);
    CHECK_FALSE(framework("{\"step\": 20, \"loss\": 8.5, \"lr\": 0.1}\n"));
}

TEST_CASE("OpenMMLab's scalars: a time of a step, MiB, and a rate of a GPU", "[logs]") {
    const TrainingLog log = read_lines(
        "{\"lr\": 0.1, \"data_time\": 0.5, \"loss\": 2.5, \"time\": 14.25, \"tflops\": 20.5, "
        "\"tokens_per_sec\": 118.5, \"iter\": 380, \"memory\": 49400, \"step\": 380}\n");
    CHECK(log.step_time->value() == Approx(14.25));
    CHECK(log.tokens_per_s_per_gpu == Approx(118.5));
    CHECK_FALSE(log.tokens_per_s);
    CHECK(log.peak_memory->value() == Approx(49400 * MiB));
}

TEST_CASE("a value that waits for the end of its row keeps its text", "[logs]") {
    const TrainingLog decimal_commas =
        read_lines("iter;time;loss;memory;data_time\n380;14,25;2,5;49400;0,5\n390;14,25;2,125;49400;0,5\n");
    CHECK(decimal_commas.step_time->value() == Approx(14.25));
    CHECK(decimal_commas.peak_memory->value() == Approx(49400 * MiB));
    const TrainingLog quoted = read_lines(
        "iter,time,loss,memory,data_time,note\n380,\"14.25\",2.5,\"49400\",0.5,\"the \"\"first\"\" step\"\n");
    CHECK(quoted.step_time->value() == Approx(14.25));
    CHECK(quoted.peak_memory->value() == Approx(49400 * MiB));
}

TEST_CASE("the Trainer's summary in a history of metrics is of all steps", "[logs]") {
    const TrainingLog log = read_lines(
        "{\"train/loss\": 2.5, \"train/grad_norm\": 1.5, \"train/global_step\": 10, \"_runtime\": 40.5}\n"
        "{\"eval/loss\": 9.5, \"eval/samples_per_second\": 20.5, \"train/global_step\": 10, \"_runtime\": "
        "45.5}\n"
        "{\"train/loss\": 2.0, \"train/grad_norm\": 1.5, \"train/global_step\": 20, \"_runtime\": 60.5}\n"
        "{\"train/train_samples_per_second\": 6.25, \"train/train_steps_per_second\": 0.5, "
        "\"train/train_loss\": 2.25, \"train/global_step\": 20, \"_runtime\": 61}\n");
    CHECK(log.iterations == 2);
    CHECK(log.step_time->value() == Approx(2.0));
    CHECK(log.samples_per_s == Approx(6.25));
    CHECK(log.steps_per_s == Approx(0.5));
    CHECK(log.loss_last == Approx(2.0));
}

TEST_CASE("the Trainer's table in a notebook, and copied from one", "[logs]") {
    const TrainingLog log = read_lines(
        "       \"  <thead>\\n\",\n       \"      <th>Step</th>\\n\",\n       \"      <th>Training "
        "Loss</th>\\n\",\n"
        "       \"    </tr>\\n\",\n       \"      <td>10</td>\\n\",\n       \"      <td>1.75</td>\\n\",\n"
        "       \"    </tr>\\n\",\n       \"      <td>20</td>\\n\",\n       \"      <td>1.5</td>\\n\",\n"
        "       \"    </tr>\\n\",\n       \"</table><p>\"\n"
        "       \"TrainOutput(global_step=20, training_loss=1.5, metrics={'train_samples_per_second': "
        "2.75})\"\n");
    CHECK(log.framework == LogFramework::hf_trainer);
    CHECK(log.iterations == 2);
    CHECK(log.loss_last == Approx(1.5));
    CHECK(log.samples_per_s == Approx(2.75));
    const TrainingLog copied =
        read_lines("Step\tTraining Loss\tValidation Loss\n10\t1.75\t1.5\n20\t1.5\t1.25\n");
    CHECK(copied.framework == LogFramework::hf_trainer);
    CHECK(copied.loss_last == Approx(1.5));
}

TEST_CASE("tables between semicolons and bars", "[logs]") {
    CHECK(read_lines("Iteration;Loss;Step time (ms)\n1;10,5;1200,5\n2;10,125;1000,5\n").loss_last ==
          Approx(10.125));
    const TrainingLog bars = read_lines(
        "| step | train loss | val loss | tok/s | ms/step |\n|------|---|---|---|---|\n| 100 | 7.25 | 7.5 | "
        "15,000 | "
        "530 |\n| 200 | 6.5 | 6.75 | 15,200 | 525 |\n");
    CHECK(bars.iterations == 2);
    CHECK(bars.tokens_per_s == Approx(15200));
    CHECK(bars.step_time->value() == Approx(0.525));
}

TEST_CASE("a chart exported from Weights & Biases", "[logs]") {
    const TrainingLog log = read_lines(
        "\"Step\",\"brisk-sun-12 - train/loss\",\"brisk-sun-12 - train/loss__MIN\",\"brisk-sun-12 - "
        "train/loss__MAX\"\n\"0\",\"10.5\",\"9.5\",\"11.5\"\n\"10\",\"9.25\",\"8.5\",\"10.5\"\n");
    CHECK(log.iterations == 2);
    CHECK(log.loss_last == Approx(9.25));
}

TEST_CASE("named values of a script that is nobody's, also before their units", "[logs]") {
    const TrainingLog named = read_lines(
        "2025-05-21 11:37:18,498 - root - INFO - Step: 10 | Loss: 7.5 | Tokens per second: 2238.5 | TFLOPs: "
        "115.5\n"
        "2025-05-21 11:37:21,168 - root - INFO - Step: 20 | Loss: 7.25 | Tokens per second: 7789.5 | TFLOPs: "
        "401.5\n");
    CHECK_FALSE(named.framework);
    CHECK(named.iterations == 2);
    CHECK(named.tokens_per_s == Approx(7789.5));
    CHECK(named.tflops_per_gpu == Approx(401.5));
    CHECK(named.loss_last == Approx(7.25));
    const TrainingLog llm_c = read_lines(
        "device memory usage: 21315 MiB / 81100 MiB\nval loss 11.25\n"
        "step    1/21479 | loss 11.0 (+nanz)| norm 16.5 (+nanz)| lr 2.86e-06 | 2734.5 ms | -100.0% bf16 MFU "
        "| "
        "167751 tok/s\n"
        "step    2/21479 | loss 10.5 (+nanz)| norm 15.0 (+nanz)| lr 5.71e-06 | 2391.5 ms | 40.5% bf16 MFU | "
        "191824 tok/s\n");
    CHECK_FALSE(llm_c.framework);
    CHECK(llm_c.planned_iterations == 21479);
    CHECK(llm_c.step_time->value() == Approx(2.3915));
    CHECK(llm_c.tokens_per_s == Approx(191824));
    CHECK(llm_c.loss_last == Approx(10.5));
    CHECK(llm_c.peak_memory->value() == Approx(21315 * MiB));
}

TEST_CASE("named values between blanks or bare commas, with a unit in brackets behind the name", "[logs]") {
    const TrainingLog spaced = read_lines(
        "12:29:01 INFO train.py:323 in record -- tflops=60.5 step=0 loss=11.6 tgs (tokens/gpu/second)=1424.6 "
        "tgs/last_tgs_10=0 grad_norm={'0_default': 63.6, '1_fp32': 0.0} fwd_bwd_time=6.48\n"
        "12:29:05 INFO train.py:323 in record -- tflops=189.5 step=1 loss=11.5 tgs "
        "(tokens/gpu/second)=4270.5 "
        "tgs/last_tgs_10=0 grad_norm={'0_default': 61.2, '1_fp32': 0.0} fwd_bwd_time=3.67\n"
        "12:29:09 INFO train.py:323 in record -- tflops=190.5,step=2,loss=11.4,tgs "
        "(tokens/gpu/second)=4270.5,lr=8e-07,fwd_bwd_time=3.67\n");
    CHECK_FALSE(spaced.framework);
    CHECK(spaced.iterations == 3);
    CHECK(spaced.tokens_per_s_per_gpu == Approx(4270.5));
    CHECK(spaced.tflops_per_gpu == Approx(190.0));
    CHECK(spaced.loss_last == Approx(11.4));
    CHECK_FALSE(spaced.step_time);

    const TrainingLog quotients = read_lines(
        "[INFO] - loss: 12.06, global_step: 1, max_memory_reserved: 7.753237724304199, interval_runtime: "
        "1.15, "
        "interval_tokens_per_second_per_device: 889.5, interval_steps_per_second: 0.868\n"
        "[INFO] - loss: 12.05, global_step: 2, max_memory_reserved: 12.4834623336792, interval_runtime: "
        "0.25, "
        "interval_tokens_per_second_per_device: 889.5, interval_steps_per_second: 0.868\n");
    CHECK(quotients.peak_memory->value() == Approx(12.4834623336792 * GiB));
    CHECK(quotients.steps_per_s == Approx(0.868));
    CHECK(quotients.tokens_per_s_per_gpu == Approx(889.5));

    CHECK(read_lines("Loss: 9.5, Step: 1, Lr: 0.0001, time: 250.5 ms, tok/sec: 1000\n"
                     "Loss: 9.4, Step: 2, Lr: 0.0001, time: 250.5 ms, tok/sec: 1000\n")
              .step_time->value() == Approx(0.2505));
}

TEST_CASE("rows of a table behind a launcher's rank", "[logs]") {
    const TrainingLog log = read_lines(
        "0: step,loss,step_time_s,tokens_per_sec\n"
        "0: 1,11.5,2.5,4000\n"
        "1: 2,11.5,9.5,1000\n"
        "0: 2,10.5,1.5,10000\n"
        "0: 3,10.25,1.5,10000\n");
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(1.5));
    CHECK(log.tokens_per_s == Approx(10000.0));
    CHECK(log.loss_last == Approx(10.25));
}

TEST_CASE("objects behind a logger's words, of Python, in an array, and over many rows", "[logs]") {
    const std::string first = "\"step\": 1, \"loss\": 11.5, \"step_time\": 1.5";
    const std::string second = "\"step\": 2, \"loss\": 10.5, \"step_time\": 1.5";
    for (const std::string& text :
         {"10:00:00 INFO {" + first + "}\n10:00:01 INFO {" + second + "}\n",
          "[{" + first + "}, {" + second + "}]\n",
          std::string("{'step': 1, 'loss': 11.5, 'step_time': 1.5}\n"
                      "{'step': 2, 'loss': 10.5, 'step_time': 1.5}\n"),
          std::string("[\n  {\n    \"step\": 1,\n    \"loss\": 11.5,\n    \"perf\": {\n"
                      "      \"step_time\": 1.5\n    }\n  },\n"
                      "  {\n    \"step\": 2,\n    \"loss\": 10.5,\n    \"perf\": {\n"
                      "      \"step_time\": 1.5\n    }\n  }\n]\n")}) {
        INFO(text);
        const TrainingLog log = read_lines(text);
        CHECK_FALSE(log.framework);
        CHECK(log.iterations == 2);
        CHECK(log.step_time->value() == Approx(1.5));
        CHECK(log.loss_last == Approx(10.5));
    }
    // The Trainer's own dictionaries stay the Trainer's.
    CHECK(read_lines("{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 0.1, 'epoch': 0.5, 'step': 10}\n")
              .framework == LogFramework::hf_trainer);
}

TEST_CASE("nanoGPT's lines aligned", "[logs]") {
    const TrainingLog log = read_lines(
        "iter 0:    loss 11.07, time 4200ms, mfu 0.12%\n"
        "iter 100:  loss 7.43,  time 3800ms, mfu 38.2%\n"
        "iter 1000: loss 4.21,  time 3800ms, mfu 39.1%\n");
    CHECK(log.framework == LogFramework::nanogpt);
    CHECK(log.iterations == 3);
    CHECK(log.step_time->value() == Approx(3.8));
    CHECK(log.loss_last == Approx(4.21));
}

TEST_CASE("a block of values, one a line", "[logs]") {
    const TrainingLog log = read_lines(
        "2024-02-01 10:00:00\thost:0\ttrain:816\tINFO\t[step=10/739328]\n"
        "    train/CrossEntropyLoss=10.90\n"
        "    throughput/total_tokens=41,943,040\n"
        "    throughput/device/tokens_per_second=8,213\n"
        "    throughput/device/batches_per_second=0.1253\n"
        "    System/Peak GPU Memory (MB)=21,789\n"
        "2024-02-01 10:01:20\thost:0\ttrain:816\tINFO\t[step=20/739328]\n"
        "    train/CrossEntropyLoss=9.812\n"
        "    throughput/device/tokens_per_second=8,213\n"
        "    throughput/device/batches_per_second=0.1253\n"
        "    System/Peak GPU Memory (MB)=21,789\n"
        "saving a checkpoint\n");
    CHECK_FALSE(log.framework);
    CHECK(log.iterations == 2);
    CHECK(log.tokens_per_s_per_gpu == Approx(8213.0));
    CHECK(log.steps_per_s == Approx(0.1253));
    CHECK(log.loss_last == Approx(9.812));
    CHECK(log.peak_memory->value() == Approx(21789e6));
}

TEST_CASE("other tables are no logs", "[logs]") {
    for (const char* text : {"model,size,accuracy\na,1,0.5\n", "step,task,begin,end\n1,a,0,1\n",
                             "{\"step\": 3, \"episode_reward\": 12.5}\n", "epoch,train_loss\n1,2.5\n",
                             "{\"model\": \"a\", \"loss\": 0.5}\n"}) {
        INFO(text);
        std::istringstream in{std::string(text)};
        CHECK_FALSE(read_training_log(in));
    }
}
