#include <cli/menu.hpp>
#include <traincost/base/error.hpp>

#include <termios.h>
#include <unistd.h>

#include <iostream>
#include <istream>
#include <ostream>

namespace traincost::cli {

namespace {

/// Keys as they are pressed, until it goes out of scope.
class RawKeys {
public:
    RawKeys() {
        tcgetattr(STDIN_FILENO, &before_);
        termios raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VMIN] = 1;
        raw.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    ~RawKeys() {
        tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    }
    RawKeys(const RawKeys&) = delete;
    RawKeys& operator=(const RawKeys&) = delete;

private:
    termios before_{};
};

/// The next byte of the terminal; -1 at its end.
int key() {
    unsigned char c = 0;
    return ::read(STDIN_FILENO, &c, 1) == 1 ? c : -1;
}

[[noreturn]] void ended() {
    throw Error(ErrorKind::usage, "guide: input ended before the last question; give flags for the rest");
}

}  // namespace

Menu::Menu(Context& context)
    : context_(context), keys_(&context.in == &std::cin && isatty(STDIN_FILENO) != 0) {
}

std::string Menu::line() {
    std::string text;
    if (!std::getline(context_.in, text)) {
        ended();
    }
    return typed_answer(text);
}

std::string Menu::pressed(const std::vector<GuideChoice>& choices) {
    const RawKeys raw;
    std::size_t at = 0;
    std::string typed;
    const auto show = [&] {
        context_.err << "\r\033[K> " << (typed.empty() ? choices[at].value : typed) << std::flush;
    };
    for (;;) {
        show();
        const int c = key();
        if (c < 0 || c == 4) {
            ended();
        }
        if (c == '\n' || c == '\r') {
            context_.err << '\n';
            return typed.empty() ? choices[at].value : typed;
        }
        if (c == 27) {  // an arrow is ESC [ A to D
            if (key() == '[') {
                const int arrow = key();
                const bool down = arrow == 'B' || arrow == 'C';
                at = (at + (down ? 1 : choices.size() - 1)) % choices.size();
                typed.clear();
            }
        } else if ((c == 127 || c == 8) && !typed.empty()) {
            typed.pop_back();
        } else if (c >= ' ' && c < 127) {
            typed += static_cast<char>(c);
        }
    }
}

std::string Menu::choose(const GuideStep& step) {
    context_.err << '\n' << question_text(step);
    for (;;) {
        std::string answer;
        if (keys_) {
            answer = pressed(step.choices);
        } else {
            context_.err << "> " << std::flush;
            answer = line();
        }
        if (const std::optional<std::string> choice = chosen(step, answer)) {
            return *choice;
        }
        context_.err << not_among_text(step, answer) << '\n';
    }
}

std::string Menu::text(const GuideStep& step, const Sources& sources) {
    for (;;) {
        context_.err << '\n' << question_text(step) << "> " << std::flush;
        std::string answer = line();
        if (answer.empty()) {
            answer = step.usual;
        }
        try {
            check_answer(step, answer, sources);
            return answer;
        } catch (const Error& error) {
            context_.err << error.what() << '\n';
        }
    }
}

}  // namespace traincost::cli
