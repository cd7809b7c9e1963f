#include "traincost/import/shell/shell_simple.hpp"

#include "traincost/base/name_letter.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace traincost {

void SimpleCommands::read_here_document(ShellCommand& command, std::size_t index) {
    ShellRedirect& redirect = command.redirects[index];
    const bool strip = redirect.sign == "<<-";
    std::string end;
    for (const char c : redirect.target.chars) {
        if (c == '\'' || c == '"' || c == '\\') {
            redirect.literal = true;
        } else {
            end += c;
        }
    }
    ShellText body;
    while (at_ < size()) {
        const std::size_t line_end = std::min(text_.chars.find('\n', at_), size());
        std::size_t begin = at_;
        while (strip && begin < line_end && text_.chars[begin] == '\t') {
            ++begin;
        }
        const std::string_view line = std::string_view(text_.chars).substr(begin, line_end - begin);
        at_ = std::min(line_end + 1, size());
        if (line == end) {
            break;
        }
        body.add(text_.part(begin, std::min(line_end + 1, size()) - begin));
    }
    redirect.sign = "<<";
    redirect.target = std::move(body);
}

std::size_t SimpleCommands::assignment_length(ShellAssignment& assignment) const {
    std::size_t i = at_;
    while (i < size() && is_name_letter(text_.chars[i])) {
        ++i;
    }
    if (i == at_ || std::isdigit(static_cast<unsigned char>(now())) != 0) {
        return 0;
    }
    assignment.name = text_.chars.substr(at_, i - at_);
    if (i < size() && text_.chars[i] == '[') {
        const std::size_t end = text_.chars.find(']', i);
        if (end == std::string::npos) {
            return 0;
        }
        assignment.index = text_.part(i + 1, end - i - 1);
        i = end + 1;
    }
    if (i + 1 < size() && text_.chars[i] == '+' && text_.chars[i + 1] == '=') {
        assignment.append = true;
        ++i;
    }
    return i < size() && text_.chars[i] == '=' ? i + 1 - at_ : 0;
}

void SimpleCommands::array_elements(std::vector<ShellText>& words) {
    const std::size_t begin = at_++;
    while (true) {
        skip_blanks();
        if (at_ >= size()) {
            fail(begin, "the array's ( is not closed");
        }
        if (now() == '\n') {
            ++at_;
        } else if (now() == ')') {
            ++at_;
            return;
        } else {
            const std::size_t before = at_;
            words.push_back(word());
            if (at_ == before) {
                ++at_;
                words.pop_back();
            }
        }
    }
}

bool SimpleCommands::assignment(ShellCommand& command) {
    ShellAssignment found;
    const std::size_t length = assignment_length(found);
    if (length == 0) {
        return false;
    }
    at_ += length;
    if (now() == '(') {
        found.array = true;
        array_elements(found.words);
    } else {
        const std::size_t before = at_;
        ShellText value = word();
        if (at_ == before) {
            value.places.clear();
        }
        found.words.push_back(std::move(value));
    }
    command.assignments.push_back(std::move(found));
    return true;
}

void SimpleCommands::redirect(ShellCommand& command) {
    ShellRedirect found;
    while (now() == '<' || now() == '>' || now() == '&') {
        found.sign += now();
        ++at_;
    }
    if (now() == '(' && (found.sign == "<" || found.sign == ">")) {
        skip_brackets();
        return;
    }
    if (found.sign == "<<" && now() == '-') {
        found.sign += '-';
        ++at_;
    }
    skip_blanks();
    found.target = word();
    command.redirects.push_back(found);
    if (found.sign == "<<" || found.sign == "<<-") {
        here_.push_back(command.redirects.size() - 1);
    }
}

void SimpleCommands::double_brackets(ShellCommand& command) {
    while (at_ < size()) {
        skip_blanks();
        if (now() == '\n') {
            ++at_;
            continue;
        }
        ShellText next = word();
        if (next.empty()) {
            const std::size_t begin = at_;
            while (at_ < size() && std::string_view("<>()&|;").find(now()) != std::string_view::npos) {
                ++at_;
            }
            next = text_.part(begin, std::max<std::size_t>(at_ - begin, 1));
            at_ = std::max(at_, begin + 1);
        }
        command.words.push_back(next);
        if (next.chars == "]]") {
            return;
        }
    }
}

ShellCommand SimpleCommands::simple() {
    ShellCommand command;
    command.place = place(at_);
    while (true) {
        skip_blanks();
        const char c = now();
        if (at_ >= size() || c == '\n' || c == ';' || c == '|' || c == ')' || (c == '&' && after() != '>')) {
            break;
        }
        if ((c == '<' && placeholder_length() == 0) || c == '>' || c == '&') {
            redirect(command);
            continue;
        }
        if (c == '(') {
            skip_brackets();
            continue;
        }
        const bool names = command.words.empty() || is_declaration(command.words.front().chars);
        if (names && assignment(command)) {
            continue;
        }
        ShellText next = word();
        const bool descriptor = (now() == '<' || now() == '>') && next.chars.size() == 1 &&
                                std::isdigit(static_cast<unsigned char>(next.chars[0])) != 0;
        if (descriptor) {
            continue;
        }
        command.words.push_back(std::move(next));
        if (command.words.size() == 1 && command.words[0].chars == "[[") {
            double_brackets(command);
        }
    }
    return command;
}

void SimpleCommands::finish_here_documents(ShellCommand& command, const std::vector<std::size_t>& here) {
    const std::size_t line_end = text_.chars.find('\n', at_);
    if (line_end == std::string::npos) {
        at_ = size();
        return;
    }
    at_ = line_end + 1;
    for (const std::size_t index : here) {
        read_here_document(command, index);
    }
}

}  // namespace traincost
