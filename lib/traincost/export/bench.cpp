#include "traincost/export/bench.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/text.hpp"
#include "traincost/export/bench_block.hpp"
#include "traincost/io/embedded.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 4> compile_modes = {"default", "reduce-overhead", "max-autotune",
                                                           "max-autotune-no-cudagraphs"};

/// The parts of the script, one after the other: their names begin with their number.
std::string script_template() {
    std::string text;
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.room == "export" && file.id.starts_with("bench-")) {
            text += (text.empty() ? "" : "\n\n") + std::string(file.text);
        }
    }
    return text;
}

/// JSON that may stand between three single quotes of a raw Python string.
std::string quotable(std::string json) {
    constexpr std::string_view escaped = "\\u0027";
    for (std::size_t at = json.find('\''); at != json.npos; at = json.find('\'', at + escaped.size())) {
        json.replace(at, 1, escaped);
    }
    return json;
}

/// The value spelled `text` among `names`; the error lists them.
template <class Enum>
Enum bench_word(const std::string& text, std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == text) {
            return static_cast<Enum>(i);
        }
    }
    std::string allowed;
    for (const std::string_view name : names) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(name);
    }
    throw Error(ErrorKind::usage,
                "unknown value '" + text + "'; allowed: " + allowed + did_you_mean(text, names));
}

}  // namespace

std::span<const std::string_view> compile_mode_names() {
    return compile_modes;
}

CompileMode compile_mode_from(const std::string& name) {
    return bench_word<CompileMode>(name, compile_mode_names());
}

Job benched_job(const Job& job, const BenchOptions& options) {
    Job result = job;
    StackSpec& stack = result.stack;
    stack.head.loss = options.loss.value_or(stack.head.loss);
    stack.states.optimizer = options.optimizer.value_or(stack.states.optimizer);
    stack.head.vocab_multiple = options.vocab_multiple.value_or(stack.head.vocab_multiple);
    if (options.gradient_clip) {
        stack.states.gradient_passes += 3.0;  // read for the norm, read and written to be scaled
    }
    if (options.compile_mode == CompileMode::reduce_overhead ||
        options.compile_mode == CompileMode::max_autotune) {
        stack.host.cuda_graphs = true;
    }
    return result;
}

std::string bench_script(const Job& job, const BenchOptions& options) {
    std::vector<Problem> problems = bench_problems(job, options);
    if (!problems.empty()) {
        throw Error(ErrorKind::usage, std::move(problems));
    }
    std::string text = script_template();
    constexpr std::string_view place = "@BENCH@";
    const std::size_t at = text.find(place);
    if (at == text.npos) {
        throw Error(ErrorKind::internal, "the bench script has no place for its job");
    }
    text.replace(at, place.size(), quotable(bench_block(benched_job(job, options), options)));
    return text;
}

}  // namespace traincost
