#include "traincost/import/shell/shell.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/launch_words.hpp"
#include "traincost/import/settings/setting_files.hpp"
#include "traincost/import/shell/shell_follower.hpp"

namespace traincost {

namespace {

constexpr int most_steps = 50'000;
constexpr int most_rounds = 64;

}  // namespace

ShellFollower::ShellFollower(std::span<const ShellFile> files,
                             const std::map<std::string, std::string>& known, std::string_view select)
    : files_(files), select_(select) {
    for (const ShellFile& file : files) {
        names_.push_back(file.name);
    }
    for (const auto& [name, value] : known) {
        ShellText text;
        text.add(value, {});
        state_.set(name, text);
    }
}

ShellOutcome ShellFollower::follow(std::size_t first) {
    file(first);
    outcome_.options = state_.options();
    return std::move(outcome_);
}

void ShellFollower::file(std::size_t index) {
    texts_.push_back(
        std::make_unique<ShellText>(shell_text(files_[index].text, static_cast<std::uint32_t>(index))));
    parsed_.push_back(std::make_unique<std::vector<ShellCommand>>(parse_shell(*texts_.back(), names_)));
    run(*parsed_.back());
}

void ShellFollower::text(ShellText script) {
    if (++depth_ <= deepest_shell_call) {
        texts_.push_back(std::make_unique<ShellText>(std::move(script)));
        parsed_.push_back(std::make_unique<std::vector<ShellCommand>>(parse_shell(*texts_.back(), names_)));
        run(*parsed_.back());
    }
    --depth_;
}

Flow ShellFollower::run(const std::vector<ShellCommand>& commands) {
    Answer last = Answer::yes;
    std::string joined = ";";
    for (const ShellCommand& command : commands) {
        if (++steps_ > most_steps) {
            fail_at_line(*names_.at(command.place.file), static_cast<int>(command.place.line),
                         "the script takes more than " + std::to_string(most_steps) + " steps to follow");
        }
        const bool skip = (joined == "&&" && last == Answer::no) || (joined == "||" && last == Answer::yes);
        if (!skip) {
            Flow flow = Flow::on;
            const bool uncertain = (joined == "&&" || joined == "||") && last == Answer::unknown;
            if (uncertain && leaves(command)) {
                // "... || exit 1": it is followed as if it went on.
            } else {
                last = one(command, flow);
            }
            if (flow != Flow::on) {
                return flow;
            }
        }
        joined = command.sign;
    }
    last_ = last;
    return Flow::on;
}

bool ShellFollower::leaves(const ShellCommand& command) {
    if (command.kind == ShellCommand::Kind::group) {
        return std::any_of(command.bodies[0].begin(), command.bodies[0].end(), leaves);
    }
    return !command.words.empty() && (command.words[0].chars == "exit" || command.words[0].chars == "return");
}

Answer ShellFollower::one(const ShellCommand& command, Flow& flow) {
    switch (command.kind) {
        case ShellCommand::Kind::simple:
            return simple(command, flow);
        case ShellCommand::Kind::group:
            flow = run(command.bodies[0]);
            return last_;
        case ShellCommand::Kind::function:
            functions_[command.name] = &command;
            return Answer::yes;
        case ShellCommand::Kind::condition:
            flow = condition(command);
            return Answer::yes;
        case ShellCommand::Kind::choice:
            flow = choice(command);
            return Answer::yes;
        case ShellCommand::Kind::loop_for:
            flow = loop(command);
            return Answer::yes;
        case ShellCommand::Kind::loop_while:
            flow = repeat(command);
            return Answer::unknown;
    }
    return Answer::unknown;
}

Flow ShellFollower::condition(const ShellCommand& command) {
    std::vector<const std::vector<ShellCommand>*> open;
    std::size_t i = 0;
    const bool selects = asks_for_selected(command);
    for (; i + 1 < command.bodies.size(); i += 2) {
        last_ = Answer::unknown;
        const bool before = std::exchange(selects_, selects);
        run(command.bodies[i]);
        selects_ = before;
        const Answer answer = last_;
        if (answer == Answer::yes && open.empty()) {
            const Flow flow = run(command.bodies[i + 1]);
            // A guard that fails because something is yet to be filled in: followed as if it were.
            return flow == Flow::left && std::exchange(has_failed_, false) ? Flow::on : flow;
        }
        if (answer != Answer::no) {
            open.push_back(&command.bodies[i + 1]);
            if (answer == Answer::yes) {
                return branches(open);
            }
        }
    }
    static const std::vector<ShellCommand> nothing;
    const std::vector<ShellCommand>& otherwise = i < command.bodies.size() ? command.bodies[i] : nothing;
    if (open.empty()) {
        return run(otherwise);
    }
    open.push_back(&otherwise);
    return branches(open);
}

bool ShellFollower::asks_for_selected(const ShellCommand& command) const {
    bool found = false;
    for (std::size_t i = 0; i + 1 < command.bodies.size(); i += 2) {
        for (const ShellCommand& condition : command.bodies[i]) {
            found = found ||
                    std::any_of(condition.words.begin(), condition.words.end(), [&](const ShellText& word) {
                        std::string chars = word.chars;
                        std::erase_if(chars, [](char c) { return c == '"' || c == '\''; });
                        return chars == select_;
                    });
        }
    }
    return found;
}

Flow ShellFollower::branches(const std::vector<const std::vector<ShellCommand>*>& bodies) {
    struct End {
        ShellChanges changes;
        std::vector<ShellText> arguments;
    };
    const std::vector<ShellText> arguments = state_.arguments;
    const bool known = state_.arguments_known;
    std::vector<End> ends;
    for (const std::vector<ShellCommand>* body : bodies) {
        state_.remember();
        const Flow flow = run(*body);
        End end{state_.go_back(), std::exchange(state_.arguments, arguments)};
        state_.arguments_known = known;
        if (flow == Flow::on || (ends.empty() && body == bodies.back())) {
            ends.push_back(std::move(end));
        }
    }
    if (ends.empty()) {
        return Flow::on;
    }
    state_.arguments = std::move(ends.front().arguments);
    std::set<std::string, std::less<>> names;
    for (const End& end : ends) {
        for (const auto& [name, value] : end.changes) {
            names.insert(name);
        }
    }
    for (const std::string& name : names) {
        const ShellVariable* before = state_.find(name);
        std::optional<ShellVariable> merged;
        for (std::size_t i = 0; i < ends.size(); ++i) {
            const auto changed = ends[i].changes.find(name);
            const ShellVariable* value = changed == ends[i].changes.end() ? before
                                         : changed->second                ? &*changed->second
                                                                          : nullptr;
            if (i == 0) {
                merged = value == nullptr ? std::nullopt : std::optional(*value);
            } else {
                merge(merged, value);
            }
        }
        if (merged) {
            state_.change(name) = std::move(*merged);
        } else {
            state_.erase(name);
        }
    }
    return Flow::on;
}

void ShellFollower::merge(std::optional<ShellVariable>& variable, const ShellVariable* other) {
    if (variable && (other == nullptr || !same(*variable, *other))) {
        blur(*variable, other);
    } else if (!variable && other != nullptr) {
        variable = *other;
        blur(*variable, nullptr);
    }
}

bool ShellFollower::same(const ShellVariable& a, const ShellVariable& b) {
    if (a.items.size() != b.items.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.items.size(); ++i) {
        if (a.items[i].chars != b.items[i].chars) {
            return false;
        }
    }
    return true;
}

bool ShellFollower::keep_beginning(ShellVariable& variable, const ShellVariable& other) {
    if (variable.array || other.array || variable.items.size() != 1 || other.items.size() != 1) {
        return false;
    }
    const ShellText &one = variable.items.front(), &two = other.items.front();
    constexpr std::string_view blanks = " \t\n";
    std::size_t cut = 0;  // behind the last word that both begin with
    for (std::size_t i = 0;; ++i) {
        const auto ends = [&](const std::string& text) {
            return i == text.size() || blanks.find(text[i]) != blanks.npos;
        };
        cut = ends(one.chars) && ends(two.chars) ? i : cut;
        if (i >= one.chars.size() || i >= two.chars.size() || one.chars[i] != two.chars[i]) {
            break;
        }
    }
    const auto goes_on_with_flag = [&](const std::string& text) {
        const std::size_t next = text.find_first_not_of(" \t\n\\", cut);
        return next == text.npos || text.compare(next, 2, "--") == 0;
    };
    if (!goes_on_with_flag(one.chars) || !goes_on_with_flag(two.chars) ||
        one.chars.substr(0, cut).find("--") == std::string::npos) {
        return false;
    }
    ShellText options;
    add_flags(options, {one.part(cut), two.part(cut)}, 0);
    ShellText kept = one.part(0, cut);
    kept.add(' ', one.place());
    kept.add(options);
    variable.items.front() = std::move(kept);
    return true;
}

void ShellFollower::blur(ShellVariable& variable, const ShellVariable* other) {
    if (other != nullptr && keep_beginning(variable, *other)) {
        return;
    }
    const ShellPlace place = variable.items.empty() ? ShellPlace{} : variable.items.front().place();
    std::size_t common = 0;
    while (other != nullptr && variable.array && common < variable.items.size() &&
           common < other->items.size() && variable.items[common].chars == other->items[common].chars) {
        ++common;
    }
    ShellText options;  // the flags that one of them holds, each with a value nobody knows
    add_flags(options, variable.items, common);
    if (other != nullptr) {
        add_flags(options, other->items, common);
    }
    variable.items.resize(common);
    variable.items.push_back(!options.empty() && !variable.array ? options : ShellState::unknown(place));
}

void ShellFollower::add_flags(ShellText& options, const std::vector<ShellText>& items, std::size_t from) {
    for (std::size_t i = from; i < items.size(); ++i) {
        const std::string& chars = items[i].chars;
        for (std::size_t at = chars.find("--"); at != chars.npos; at = chars.find("--", at + 2)) {
            const std::size_t end = std::min(chars.find_first_of(" =\t\n\\", at), chars.size());
            const std::string flag = chars.substr(at, end - at) + "=" + std::string(unknown_if_said);
            const bool starts = at == 0 || chars.find_first_of(" \t\n", at - 1) == at - 1;
            if (starts && end > at + 2 && options.chars.find(flag) == std::string::npos) {
                options.add((options.empty() ? "" : " ") + flag, items[i].place());
            }
        }
    }
}

Flow ShellFollower::choice(const ShellCommand& command) {
    const ShellText subject = state_.text_of(command.words.front());
    const bool unknown = ShellState::is_unknown(subject);
    const std::string_view wanted = unknown ? select_ : std::string_view(subject.chars);
    std::vector<const std::vector<ShellCommand>*> open;
    for (std::size_t i = 0; i < command.patterns.size(); ++i) {
        for (const ShellText& raw : command.patterns[i]) {
            const std::string pattern = state_.text_of(raw).chars;
            const bool all = pattern == "*";
            const bool named = !wanted.empty() && ShellState::matches(pattern, wanted) && !(unknown && all);
            const bool none = !unknown && wanted.empty() && (pattern.empty() || all);
            if (!named && !none) {
                continue;
            }
            const Flow flow = run(command.bodies[i]);
            if (flow != Flow::left || !std::exchange(has_failed_, false)) {
                return flow;
            }
            // It asks for an argument that is yet to be given: any of the others is meant.
            return open.empty() ? Flow::on : branches(open);
        }
        open.push_back(&command.bodies[i]);
    }
    return unknown && !open.empty() ? branches(open) : Flow::on;
}

void ShellFollower::attempt(const std::vector<ShellCommand>& body) {
    const std::vector<ShellText> arguments = state_.arguments;
    state_.remember();
    run(body);
    state_.go_back();
    state_.arguments = arguments;
    has_failed_ = false;
}

Flow ShellFollower::repeat(const ShellCommand& command) {
    const std::vector<ShellCommand>& condition = command.bodies[0];
    const auto is = [&](std::string_view word) {
        return std::any_of(condition.begin(), condition.end(), [&](const ShellCommand& one) {
            return !one.words.empty() && one.words.front().chars == word;
        });
    };
    const bool forever = is("true") || is(":");
    const Answer goes_on = command.name == "until" ? Answer::no : Answer::yes;
    for (int round = 0; round < most_rounds; ++round) {
        const std::size_t arguments = state_.arguments.size();
        run(condition);
        if (last_ == Answer::unknown || is("read") || (forever && !state_.arguments_known)) {
            attempt(command.bodies[1]);
            return Flow::on;
        }
        const Flow flow = last_ == goes_on ? run(command.bodies[1]) : Flow::leave_loop;
        if (flow == Flow::leave_loop || std::exchange(has_failed_, false)) {
            return Flow::on;
        }
        if (flow == Flow::left) {
            return flow;
        }
        if (forever && state_.arguments.size() == arguments) {
            return Flow::on;  // it is started again whenever it ends
        }
    }
    return Flow::on;
}

Flow ShellFollower::loop(const ShellCommand& command) {
    if (command.name.empty()) {  // for ((i = 0; ...))
        attempt(command.bodies[0]);
        return Flow::on;
    }
    int round = 0;
    for (const ShellText& raw : command.words) {
        for (const ShellText& value : state_.words_of(raw)) {
            if (++round > most_rounds) {
                return Flow::on;
            }
            state_.set(command.name, value);
            const Flow flow = run(command.bodies[0]);
            if (flow == Flow::leave_loop) {
                return Flow::on;
            }
            if (flow == Flow::left) {
                return flow;
            }
        }
    }
    return Flow::on;
}

ShellOutcome follow_shell(std::span<const ShellFile> files, std::size_t first,
                          const std::map<std::string, std::string>& known, std::string_view select) {
    return ShellFollower(files, known, select).follow(first);
}

}  // namespace traincost
