#include "traincost/ask/questions/guide_question.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "traincost/ask/model_input.hpp"
#include "traincost/base/error.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr std::array<std::string_view, 5> guide_degrees = {"--tp", "--pp", "--micro-batch", "--zero",
                                                           "--recompute"};

bool is_degree(const std::string& flag) {
    return std::find(guide_degrees.begin(), guide_degrees.end(), flag) != guide_degrees.end();
}

/// The value of a flag; empty where there is none.
std::string guide_answer(const GuideAnswers& answers, const std::string& flag) {
    const auto found = answers.find(flag);
    return found != answers.end() ? found->second : std::string();
}

GuideStep count_step(std::string flag, std::string type, std::string help, std::string question,
                     std::string usual) {
    return {std::move(flag),
            std::move(type),
            std::move(help),
            std::move(question),
            std::move(usual),
            GuideCheck::count,
            {}};
}

std::vector<GuideStep> steps_of_job() {
    return {
        {"--model", "ID|FILE", "Model: a catalogue id or a config.json",
         "Which model? Give an id from 'traincost list models', or a config.json.", "llama-3.1-8b",
         GuideCheck::model},
        {"--gpu",
         "ID",
         "Accelerator: a catalogue id",
         "Which accelerator?",
         {},
         GuideCheck::accelerator,
         {{"h100", "80 GB, NVLink"},
          {"a100", "80 GB, NVLink"},
          {"h200", "141 GB, NVLink"},
          {"b200", "180 GB, NVLink"},
          {"mi300x", "192 GB"},
          {"rtx-4090", "24 GB, PCIe"},
          {"other", "any other from 'traincost list accelerators'"}}},
        {"--gpu", "ID", {}, "Which id?", {}, GuideCheck::accelerator},
        count_step("--gpus", "COUNT", "Number of accelerators", "How many accelerators?", "8"),
        count_step("--seq", "TOKENS", "Sequence length in tokens", "Sequence length, in tokens?", "4096"),
        count_step("--global-batch", "COUNT", "Sequences per optimizer step", "Sequences per optimizer step?",
                   "256"),
        {"--tokens", "COUNT|none", "Training tokens, or none",
         "Tokens in the whole run (none: one step only)?", "none", GuideCheck::count_or_none},
        {"--layout",
         "recommended|own",
         "Layout: searched for, or given",
         "Which layout?",
         {},
         GuideCheck::layout,
         {{"recommended", "search for the fastest that fits"}, {"own", "give degrees and recomputation"}}},
    };
}

std::vector<GuideStep> steps_of_layout() {
    return {
        count_step("--tp", "N", "Tensor-parallel degree",
                   "Tensor-parallel degree? At most the accelerators per node.", "1"),
        count_step("--pp", "N", "Pipeline-parallel degree",
                   "Pipeline-parallel degree? Must divide the layers; as low as memory allows.", "1"),
        count_step("--micro-batch", "COUNT", "Sequences per micro-batch",
                   "Sequences per micro-batch? Smaller micro-batches shorten the pipeline bubble.", "1"),
        {"--zero",
         "0..3",
         "ZeRO stage",
         "What is sharded over data-parallel ranks (ZeRO)?",
         {},
         GuideCheck::any,
         {{"1", "optimizer states"}, {"0", "nothing"}, {"2", "and gradients"}, {"3", "and weights"}}},
        {"--recompute",
         "none|selective|full",
         "Recomputation",
         "What is recomputed in the backward pass?",
         {},
         GuideCheck::any,
         {{"none", "nothing: most memory, fastest"},
          {"selective", "attention"},
          {"full", "every block: least memory, a third slower"}}},
    };
}

}  // namespace

std::span<const GuideStep> guide_steps() {
    static const std::vector<GuideStep> steps = [] {
        std::vector<GuideStep> all = steps_of_job();
        for (GuideStep& step : steps_of_layout())
            all.push_back(std::move(step));
        return all;
    }();
    return steps;
}

GuideAnswers guide_answers(GuideAnswers said) {
    const bool own = std::any_of(said.begin(), said.end(), [](const auto& a) { return is_degree(a.first); });
    if (own)
        said.try_emplace("--layout", "own");
    return said;
}

bool is_asked(const GuideStep& step, const GuideAnswers& answers) {
    if (step.help.empty())
        return guide_answer(answers, step.flag) == "other";
    return !is_degree(step.flag) || guide_answer(answers, "--layout") == "own";
}

GuideAnswers guide_answers(GuideAnswers said, const Sources& sources,
                           const std::function<std::string(const GuideStep&)>& put) {
    said = guide_answers(std::move(said));
    GuideAnswers answers;
    for (const GuideStep& step : guide_steps()) {
        if (!is_asked(step, answers))
            continue;
        const auto found = said.find(step.flag);
        if (found != said.end())
            check_said(step, found->second, sources);
        answers[step.flag] = found != said.end() ? found->second : put(step);
    }
    return answers;
}

void check_answer(const GuideStep& step, const std::string& answer, const Sources& sources) {
    const bool counted =
        step.check == GuideCheck::count || (step.check == GuideCheck::count_or_none && answer != "none");
    if (counted)
        parse_count(answer, Range::positive);
    else
        check_said(step, answer, sources);
}

void check_said(const GuideStep& step, const std::string& word, const Sources& sources) {
    if (step.check == GuideCheck::model)
        load_model(word, sources);
    if (step.check == GuideCheck::accelerator)
        sources.catalogue().id(Room::accelerators, word);
    if (step.check == GuideCheck::layout && word != "own" && word != "recommended")
        throw Error(ErrorKind::usage, "--layout: unknown value '" + word + "'; allowed: recommended, own");
}

std::string question_text(const GuideStep& step) {
    if (step.choices.empty())
        return step.question + (step.usual.empty() ? "" : " [" + step.usual + "]") + '\n';
    std::string text = step.question + '\n';
    for (std::size_t i = 0; i < step.choices.size(); ++i) {
        const GuideChoice& choice = step.choices[i];
        text += "  " + std::to_string(i + 1) + "  " + choice.value +
                (choice.says.empty() ? "" : ": " + choice.says) + '\n';
    }
    return text;
}

std::optional<std::string> chosen(const GuideStep& step, const std::string& typed) {
    if (typed.empty())
        return step.choices.front().value;
    for (std::size_t i = 0; i < step.choices.size(); ++i) {
        if (typed == std::to_string(i + 1) || typed == step.choices[i].value)
            return step.choices[i].value;
    }
    return std::nullopt;
}

std::string not_among_text(const GuideStep& step, const std::string& typed) {
    std::vector<std::string> names;
    for (const GuideChoice& choice : step.choices)
        names.push_back(choice.value);
    return "unknown answer '" + typed + "'; allowed: 1 to " + std::to_string(names.size()) +
           did_you_mean(typed, names);
}

std::vector<std::string> guide_command(const GuideAnswers& answers) {
    std::vector<std::string> words = {guide_answer(answers, "--layout") == "own" ? "estimate" : "recommend"};
    for (const GuideStep& step : guide_steps()) {
        const std::string value = guide_answer(answers, step.flag);
        const bool left_out = step.help.empty() || step.check == GuideCheck::layout ||
                              (step.check == GuideCheck::count_or_none && value == "none");
        if (!left_out && is_asked(step, answers))
            words.insert(words.end(), {step.flag, value});
    }
    return words;
}

std::string command_text(const std::vector<std::string>& words) {
    std::string text = "traincost";
    for (const std::string& word : words)
        text += " " + (word.find(' ') == word.npos ? word : "'" + word + "'");
    return text;
}

std::string typed_answer(const std::string& text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\033' && i + 1 < text.size() && text[i + 1] == '[') {
            i = text.find_first_not_of("0123456789;", i + 2);
            if (i == text.npos) {
                break;
            }
        } else {
            plain += text[i];
        }
    }
    while (!plain.empty() && (plain.back() == '\r' || plain.back() == ' ')) {
        plain.pop_back();
    }
    return plain;
}

}  // namespace traincost
