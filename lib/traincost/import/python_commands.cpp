#include "traincost/import/python_commands.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr std::string_view not_known = "$(value)";

/// Reads the expression of a command: a text, a sum of texts, a list of words.
class CommandReader {
public:
    CommandReader(std::string_view text, std::size_t at) : text_(text), at_(at) {
    }

    std::string read() {
        skip();
        if (now() == '(') {  // texts that stand side by side
            ++at_;
            ++depth_;
        }
        list_ = now() == '[';
        at_ += list_ ? 1 : 0;
        depth_ += list_ ? 1 : 0;
        while (at_ < text_.size() && !ended_) {
            one();
        }
        return script_;
    }
    /// The name that stands there alone: a command that was put together before.
    std::string name() {
        skip();
        const std::size_t begin = at_;
        while (is_name_letter(now())) {
            ++at_;
        }
        const std::string name(text_.substr(begin, at_ - begin));
        skip();
        return now() == ',' || now() == ')' || now() == '.' ? name : std::string();
    }

private:
    char now() const {
        return at_ < text_.size() ? text_[at_] : '\0';
    }
    void skip() {
        while (now() == ' ' || now() == '\t' || now() == '\n' || now() == '#') {
            if (now() == '\n') {
                script_ += "\\\n";
            }
            at_ = now() == '#' ? std::min(text_.find('\n', at_), text_.size()) : at_ + 1;
        }
    }
    void one() {
        const char c = now();
        if (c == '\n' && depth_ == 0) {
            ended_ = true;
        } else if (c == '#' || c == ' ' || c == '\t' || c == '\n') {
            skip();
        } else if (c == ']' || c == ')') {
            --depth_;
            ended_ = depth_ < 0 || c == ']' || depth_ == 0;
            ++at_;
        } else if (c == ',') {
            ended_ = !list_;
            script_ += ' ';
            ++at_;
        } else if (c == '+') {
            ++at_;
        } else if (const std::size_t quote = quote_at(); quote != std::string_view::npos) {
            literal(quote);
        } else {
            other();
        }
    }
    /// Where the quote of a text with or without a prefix stands.
    std::size_t quote_at() const {
        std::size_t at = at_;
        while (at < text_.size() && at < at_ + 2 &&
               std::string_view("frbFRB").find(text_[at]) != std::string_view::npos) {
            ++at;
        }
        return at < text_.size() && (text_[at] == '"' || text_[at] == '\'') ? at : std::string_view::npos;
    }
    void literal(std::size_t quote) {
        const bool formatted =
            lower(std::string(text_.substr(at_, quote - at_))).find('f') != std::string::npos;
        const std::string one(1, text_[quote]);
        const bool three = text_.substr(quote, 3) == one + one + one;
        const std::string end = three ? one + one + one : one;
        at_ = quote + end.size();
        while (at_ < text_.size() && text_.substr(at_, end.size()) != end) {
            if (formatted && now() == '{') {
                at_ = std::min(text_.find('}', at_), text_.size() - 1) + 1;
                script_ += not_known;
            } else if (now() == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
                script_ += text_[at_ + 1] == 'n' ? '\n' : text_[at_ + 1];
                at_ += 2;
            } else if (now() == '\\') {
                script_ += "\\\n";
                at_ += 2;
            } else {
                script_ += now();
                ++at_;
            }
        }
        at_ += end.size();
    }
    /// What is no text: a name, a call.
    void other() {
        int open = 0;
        while (at_ < text_.size() &&
               (open > 0 || std::string_view(",+])\n").find(now()) == std::string_view::npos)) {
            open += now() == '(' || now() == '[' ? 1 : now() == ')' || now() == ']' ? -1 : 0;
            ++at_;
        }
        script_ += not_known;
    }

    std::string_view text_;
    std::size_t at_;
    std::string script_;
    int depth_ = 0;
    bool list_ = false;
    bool ended_ = false;
};

/// Where "NAME = ..." stands last before `before`; behind the sign.
std::size_t assigned(std::string_view text, const std::string& name, std::size_t before) {
    std::size_t found = text.npos;
    for (std::size_t at = text.find(name); at != text.npos && at < before; at = text.find(name, at + 1)) {
        const std::size_t sign = text.find_first_not_of(' ', at + name.size());
        const bool begins = at == 0 || text[at - 1] == '\n' || text[at - 1] == ' ' || text[at - 1] == '\t';
        if (begins && sign != text.npos && text[sign] == '=' && text.substr(sign, 2) != "==") {
            found = sign + 1;
        }
    }
    return found;
}

bool starts_training(const std::string& command) {
    static constexpr std::array<std::string_view, 12> words = {
        "torchrun ", "accelerate launch ", "deepspeed ", "composer ", "torch.distributed", "tune run ",
        "litgpt ",   "llamafactory-cli",   "swift sft ", "axolotl ",  "python train",      "train.py"};
    const bool asks = command.find(" --version") != command.npos || command.find(" --help") != command.npos;
    return !asks && contains_any(command, words);
}

}  // namespace

std::optional<std::string> python_commands(std::string_view text) {
    static constexpr std::array<std::string_view, 6> calls = {
        "os.system(",        "subprocess.run(",         "subprocess.call(", "subprocess.check_call(",
        "subprocess.Popen(", "subprocess.check_output("};
    std::string script;
    std::size_t written = 0;  // how much of the program the script's lines stand for
    const auto add = [&](std::size_t at, const std::string& command) {
        script.append(
            static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(written),
                                                text.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
            '\n');
        script += command;
        written = std::min(at, text.size());
        for (auto lines = std::count(command.begin(), command.end(), '\n'); lines > 0; --lines) {
            written = std::min(text.find('\n', written), text.size() - 1) + 1;
        }
    };
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size());
        const std::string_view row = text.substr(line, end - line);
        const std::string_view code = row.substr(0, row.find('#'));
        for (const std::string_view call : calls) {
            const std::size_t in_row = code.find(call);
            if (in_row == code.npos) {
                continue;
            }
            std::size_t at = line + in_row + call.size();
            if (const std::string name = CommandReader(text, at).name(); !name.empty()) {
                at = assigned(text, name, line);
            }
            if (at == text.npos || at < written) {
                break;
            }
            if (std::string command = CommandReader(text, at).read(); starts_training(command)) {
                add(at, command);
            }
            break;
        }
        line = end + 1;
    }
    return script.empty() ? std::nullopt : std::optional(script + "\n");
}

}  // namespace traincost
