#include <algorithm>

#include "traincost/base/error.hpp"
#include "traincost/report/answers/saved_answers.hpp"

namespace traincost {

std::optional<std::vector<SavedAnswer>> read_saved_answers(const std::vector<std::string>& files,
                                                           const Sources& sources,
                                                           const SheetNumbers& sheets) {
    if (std::none_of(files.begin(), files.end(), is_other_answer)) {
        return std::nullopt;
    }
    if (files.size() < 2) {
        throw Error(ErrorKind::usage, "compare: needs at least two answers");
    }
    std::vector<SavedAnswer> answers;
    for (const std::string& file : files) {
        answers.push_back(read_saved_answer(file, sources, sheets));
    }
    return answers;
}

bool all_yes(const std::vector<SavedAnswer>& answers) {
    return std::all_of(answers.begin(), answers.end(), [](const SavedAnswer& answer) { return answer.yes; });
}

PrintedAnswer printed_answer(const std::vector<SavedAnswer>& answers, std::size_t width) {
    constexpr std::size_t beside = 40;
    constexpr std::size_t least = 20;
    const std::size_t columns = width > beside + least ? width - beside : least;
    return {.json = [&answers] { return saved_answer_json(answers); },
            .tables = [&answers, columns] { return saved_answer_tables(answers, static_cast<int>(columns)); },
            .svg = [&answers] { return saved_answer_svg(answers); },
            .page = []() -> HtmlPage {
                throw Error(ErrorKind::usage, "--format: html needs job files; use svg for other answers");
            }};
}

}  // namespace traincost
