#include <benchmark/benchmark.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

// The whole process, from its start to its end, with its output thrown away.
static void process(benchmark::State& state, const std::vector<std::string>& args) {
    std::vector<char*> argv;
    std::vector<std::string> words = {PROGRAM};
    words.insert(words.end(), args.begin(), args.end());
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    for (auto _ : state) {
        pid_t pid = 0;
        int status = 0;
        if (posix_spawn(&pid, PROGRAM, &actions, nullptr, argv.data(), environ) != 0 ||
            waitpid(pid, &status, 0) != pid || status != 0) {
            state.SkipWithError("the program failed");
            break;
        }
    }
    posix_spawn_file_actions_destroy(&actions);
}

BENCHMARK_CAPTURE(process, version, std::vector<std::string>{"--version"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(process, help, std::vector<std::string>{"--help"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(process, show, std::vector<std::string>{"show", "llama-3.1-70b"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(process, estimate, std::vector<std::string>{"estimate",
                                                              "--model",
                                                              "llama-3.1-70b",
                                                              "--gpu",
                                                              "h100",
                                                              "--gpus",
                                                              "64",
                                                              "--seq",
                                                              "8192",
                                                              "--micro-batch",
                                                              "1",
                                                              "--global-batch",
                                                              "128",
                                                              "--tp",
                                                              "8",
                                                              "--pp",
                                                              "4",
                                                              "--precision",
                                                              "bf16-mixed",
                                                              "--stack",
                                                              "megatron-core",
                                                              "--json"})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
