#include "traincost/report/answers/bench_answer.hpp"

#include <algorithm>
#include <string_view>

#include "traincost/base/text.hpp"
#include "traincost/report/tables/estimate_tables.hpp"

namespace traincost {

namespace {

/// An argument as a shell reads it.
std::string shell_argument(const std::string& argument) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%";
    if (argument.find_first_not_of(plain) == argument.npos) {
        return argument;
    }
    std::string text = "'";
    for (const char c : argument) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

std::string shell_arguments(const std::vector<std::string>& arguments) {
    std::string text;
    for (const std::string& argument : arguments) {
        text += " " + shell_argument(argument);
    }
    return text;
}

/// The lines of a command no wider than `width` where its words allow, each but the last continued as a shell
/// reads it.
std::string continued_lines(const std::string& command, std::size_t width) {
    constexpr std::size_t mark = 2;  // " \\"
    const std::string margin(11, ' ');
    std::string text, line;
    for (const std::string& word : split(command, ' ')) {
        if (line.size() > margin.size() && line.size() + 1 + word.size() + mark > width) {
            text += line + " \\\n";
            line = margin + word;
        } else {
            line += (line.empty() || line == margin ? "" : " ") + word;
        }
    }
    return text + line + '\n';
}

/// How the script is started on one node: a process a GPU, the nodes of the job named where there are
/// several.
std::string bench_launch(const ClusterSpec& cluster, const std::string& script) {
    const std::int64_t here = std::min(cluster.accelerators, cluster.per_node);
    if (cluster.accelerators == 1) {
        return "python3 " + script;
    }
    const std::int64_t nodes = (cluster.accelerators + here - 1) / here;
    return "torchrun --nproc-per-node " + std::to_string(here) +
           (nodes > 1
                ? " --nnodes " + std::to_string(nodes) + " --rdzv-backend c10d --rdzv-endpoint HOST:29500"
                : std::string()) +
           " " + script;
}

}  // namespace

std::vector<std::string> bench_remarks(const BenchAnswer& answer) {
    std::vector<std::string> remarks;
    if (!answer.assumed_stack.empty())
        remarks.push_back("assumed stack: " + answer.assumed_stack +
                          ", which the script implements (--stack)");
    for (const std::string& assumption : to_text(answer.assumptions))
        remarks.push_back("assumed " + assumption);
    if (!answer.predicted.fits)
        remarks.push_back("predicted not to fit: " + misfit_text(answer.predicted));
    return remarks;
}

std::string loop_text(const BenchAnswer& answer, const BenchWords& words, std::size_t width) {
    const std::string stack = answer.assumed_stack.empty() ? "" : " --stack=" + answer.assumed_stack;
    const std::string script = words.script.empty() ? "bench.py" : shell_argument(words.script);
    return continued_lines("predict    traincost estimate" + shell_arguments(words.job) + stack, width) +
           continued_lines("measure    traincost export bench" + shell_arguments(words.all) +
                               " --out=" + script + " && " + bench_launch(answer.job.cluster, script) +
                               " --record runs.jsonl",
                           width) +
           continued_lines("compare    traincost validate runs.jsonl --rows", width) +
           continued_lines(
               "calibrate  traincost calibrate runs.jsonl --least 1 --out calibrated && "
               "traincost --data calibrated estimate" +
                   shell_arguments(words.job) + stack,
               width);
}

BenchWords bench_words(const std::vector<GivenArgument>& given, const std::string& script) {
    return {texts_of(given, {"--loop", "--out", "--warmup", "--steps", "--clip", "--vocab-multiple",
                             "--compile-mode"}),
            texts_of(given, {"--loop", "--out"}), script};
}

}  // namespace traincost
