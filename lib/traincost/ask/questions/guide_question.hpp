// `guide`: the questions that lead to a command. Who asks them, and how, is the program's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traincost/ask/sources.hpp"

namespace traincost {

/// What is taken, and what is said of it.
struct GuideChoice {
    std::string value;
    std::string says;
};

/// What an answer must be.
enum class GuideCheck : std::uint8_t { any, count, count_or_none, model, accelerator, layout };

/// One question, whose answer a flag can give.
struct GuideStep {
    std::string flag;  ///< of the guide, and of the command that results
    std::string type;  ///< of the flag's value, in the help
    std::string help;  ///< of the flag; empty: the step follows another of the same flag
    std::string question;
    std::string usual{};  ///< taken where nothing is answered; of choices it is the first
    GuideCheck check = GuideCheck::any;
    std::vector<GuideChoice> choices{};  ///< none: any text
};

/// In the order they are asked.
std::span<const GuideStep> guide_steps();

/// Answers by flag.
using GuideAnswers = std::map<std::string, std::string>;

/// The answers that flags give, with what they imply: degrees are an own layout.
GuideAnswers guide_answers(GuideAnswers said);

/// Whether the step is asked after these answers: degrees are of an own layout only.
bool is_asked(const GuideStep& step, const GuideAnswers& answers);

/// All answers: those that are said, and what `put` answers to the questions that they leave.
GuideAnswers guide_answers(GuideAnswers said, const Sources& sources,
                           const std::function<std::string(const GuideStep&)>& put);

/// `Error` of kind usage or input where the step cannot take the answer.
void check_answer(const GuideStep& step, const std::string& answer, const Sources& sources);
/// The same of what a flag says: numbers are left to the command that results.
void check_said(const GuideStep& step, const std::string& word, const Sources& sources);

/// The question as it is put: with its choices, a number each, or what is usual.
std::string question_text(const GuideStep& step);
/// The choice that was meant, by its number or value; the first where nothing was typed.
std::optional<std::string> chosen(const GuideStep& step, const std::string& typed);
/// "unknown answer 'h10'; allowed: 1 to 7; did you mean 'h100'?".
std::string not_among_text(const GuideStep& step, const std::string& typed);

/// The words of the command: `recommend`, or `estimate` of an own layout.
std::vector<std::string> guide_command(const GuideAnswers& answers);
/// As it is typed: words with spaces between quotes.
std::string command_text(const std::vector<std::string>& words);

/// A typed line without blanks at its end and without arrow keys and their like, which a terminal sends as
/// "\033[B" where a word is asked for.
std::string typed_answer(const std::string& text);

}  // namespace traincost
