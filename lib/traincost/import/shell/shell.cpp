#include "traincost/import/shell/shell.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "traincost/base/text.hpp"
#include "traincost/import/settings/setting_files.hpp"
#include "traincost/import/shell/shell_state.hpp"

namespace traincost {

namespace {

constexpr int most_steps = 50'000;
constexpr int most_rounds = 64;
constexpr int deepest_shell_call = 24;

/// How a list of commands ended.
enum class Flow : std::uint8_t { on, next_round, leave_loop, left };

class Follower {
public:
    Follower(std::span<const ShellFile> files, const std::map<std::string, std::string>& known,
             std::string_view select)
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

    ShellOutcome follow(std::size_t first) {
        file(first);
        outcome_.options = state_.options();
        return std::move(outcome_);
    }

private:
    void file(std::size_t index) {
        texts_.push_back(
            std::make_unique<ShellText>(shell_text(files_[index].text, static_cast<std::uint32_t>(index))));
        parsed_.push_back(std::make_unique<std::vector<ShellCommand>>(parse_shell(*texts_.back(), names_)));
        run(*parsed_.back());
    }
    void text(ShellText script) {
        if (++depth_ <= deepest_shell_call) {
            texts_.push_back(std::make_unique<ShellText>(std::move(script)));
            parsed_.push_back(
                std::make_unique<std::vector<ShellCommand>>(parse_shell(*texts_.back(), names_)));
            run(*parsed_.back());
        }
        --depth_;
    }

    Flow run(const std::vector<ShellCommand>& commands) {
        Answer last = Answer::yes;
        std::string joined = ";";
        for (const ShellCommand& command : commands) {
            if (++steps_ > most_steps) {
                fail_at_line(*names_.at(command.place.file), static_cast<int>(command.place.line),
                             "the script takes more than " + std::to_string(most_steps) + " steps to follow");
            }
            const bool skip =
                (joined == "&&" && last == Answer::no) || (joined == "||" && last == Answer::yes);
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
    static bool leaves(const ShellCommand& command) {
        if (command.kind == ShellCommand::Kind::group) {
            return std::any_of(command.bodies[0].begin(), command.bodies[0].end(), leaves);
        }
        return !command.words.empty() &&
               (command.words[0].chars == "exit" || command.words[0].chars == "return");
    }

    Answer one(const ShellCommand& command, Flow& flow) {
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
                return Answer::unknown;  // argument loops and watchdogs: without arguments nothing to do
        }
        return Answer::unknown;
    }

    Flow condition(const ShellCommand& command) {
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
    /// Whether one of the branches is for what was selected; the others of its chain are then not taken.
    bool asks_for_selected(const ShellCommand& command) const {
        bool found = false;
        for (std::size_t i = 0; i + 1 < command.bodies.size(); i += 2) {
            for (const ShellCommand& condition : command.bodies[i]) {
                found =
                    found ||
                    std::any_of(condition.words.begin(), condition.words.end(), [&](const ShellText& word) {
                        std::string chars = word.chars;
                        std::erase_if(chars, [](char c) { return c == '"' || c == '\''; });
                        return chars == select_;
                    });
            }
        }
        return found;
    }
    // Nobody knows which branch is taken: what differs after them is unknown. A branch that ends the script
    // is not the one that trains.
    Flow branches(const std::vector<const std::vector<ShellCommand>*>& bodies) {
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
    static void merge(std::optional<ShellVariable>& variable, const ShellVariable* other) {
        if (variable && (other == nullptr || !same(*variable, *other))) {
            blur(*variable, other);
        } else if (!variable && other != nullptr) {
            variable = *other;
            blur(*variable, nullptr);
        }
    }
    static bool same(const ShellVariable& a, const ShellVariable& b) {
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
    // Of lists the common beginning stays known.
    static void blur(ShellVariable& variable, const ShellVariable* other) {
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
    static void add_flags(ShellText& options, const std::vector<ShellText>& items, std::size_t from) {
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

    Flow choice(const ShellCommand& command) {
        const ShellText subject = state_.text_of(command.words.front());
        const bool unknown = ShellState::is_unknown(subject);
        const std::string_view wanted = unknown ? select_ : std::string_view(subject.chars);
        std::vector<const std::vector<ShellCommand>*> open;
        for (std::size_t i = 0; i < command.patterns.size(); ++i) {
            for (const ShellText& raw : command.patterns[i]) {
                const std::string pattern = state_.text_of(raw).chars;
                const bool all = pattern == "*";
                if (!wanted.empty() && ShellState::matches(pattern, wanted) && !(unknown && all)) {
                    return run(command.bodies[i]);
                }
                if (!unknown && wanted.empty() && (pattern.empty() || all)) {
                    return run(command.bodies[i]);
                }
            }
            open.push_back(&command.bodies[i]);
        }
        return unknown && !open.empty() ? branches(open) : Flow::on;
    }

    Flow loop(const ShellCommand& command) {
        if (command.name.empty()) {
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

    Answer simple(const ShellCommand& command, Flow& flow) {
        if (!command.words.empty() && command.words[0].chars == "((") {
            const auto x = state_.arithmetic(command.words[1].chars);
            return !x ? Answer::unknown : *x != 0 ? Answer::yes : Answer::no;
        }
        if (!command.words.empty() && command.words[0].chars == "[[") {
            std::vector<ShellText> words;
            for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
                words.push_back(state_.text_of(command.words[i]));
            }
            return tested(words);
        }
        std::vector<ShellText> words;
        for (const ShellText& raw : command.words) {
            for (ShellText& word : state_.words_of(raw)) {
                if (word.chars != "\\") {
                    words.push_back(std::move(word));
                }
            }
        }
        if (words.empty() || is_declaration(words[0].chars)) {
            for (const ShellAssignment& assignment : command.assignments) {
                state_.assign(assignment);
            }
            if (!words.empty() && words[0].chars == "export") {
                note_exported(command, words);
            }
            return Answer::yes;
        }
        return started(command, std::move(words), flow);
    }
    void note_exported(const ShellCommand& command, const std::vector<ShellText>& words) {
        for (const ShellAssignment& assignment : command.assignments) {
            exported_.insert(assignment.name);
        }
        for (std::size_t i = 1; i < words.size(); ++i) {
            exported_.insert(words[i].chars);
        }
    }
    static bool is_declaration(std::string_view word) {
        return word == "export" || word == "local" || word == "declare" || word == "readonly" ||
               word == "typeset";
    }
    Answer tested(const std::vector<ShellText>& words) {
        const Answer answer = state_.test(words);
        // A branch that asks for what was selected: [ $MODEL = 7B ] with MODEL unknown.
        if (answer == Answer::unknown && !select_.empty() && selects_ && words.size() == 3 &&
            ShellState::is_unknown(words[0])) {
            const bool equal = words[1].chars != "!=";
            return (words[2].chars == select_) == equal ? Answer::yes : Answer::no;
        }
        return answer;
    }

    Answer started(const ShellCommand& command, std::vector<ShellText> words, Flow& flow) {
        const std::string program = words[0].chars;
        if (program == "exit" || program == "return") {
            flow = Flow::left;
            has_failed_ = program == "exit" && words.size() > 1 && words[1].chars != "0" &&
                          !ShellState::is_unknown(words[1]);
            return Answer::yes;
        }
        if (program == "break" || program == "continue") {
            flow = program == "break" ? Flow::leave_loop : Flow::next_round;
            return Answer::yes;
        }
        if (program == "true" || program == ":") {
            return Answer::yes;
        }
        if (program == "false") {
            return Answer::no;
        }
        if (program == "[" || program == "test") {
            words.erase(words.begin());
            if (program == "[" && !words.empty() && words.back().chars == "]") {
                words.pop_back();
            }
            return tested(words);
        }
        if (program == "read") {
            read_words(command, words);
            return Answer::yes;
        }
        if (program == "shift") {
            if (!state_.arguments.empty()) {
                state_.arguments.erase(state_.arguments.begin());
            }
            return Answer::yes;
        }
        if (program == "unset") {
            for (std::size_t i = 1; i < words.size(); ++i) {
                state_.erase(words[i].chars);
            }
            return Answer::yes;
        }
        if (program == "eval") {
            words.erase(words.begin());
            text(joined(words));
            return Answer::unknown;
        }
        if (program == "source" || program == ".") {
            include(words, false);
            return Answer::unknown;
        }
        if (const auto function = functions_.find(program); function != functions_.end()) {
            call(*function->second, words);
            return Answer::unknown;
        }
        if ((program == "bash" || program == "sh") && words.size() > 1) {
            if (words[1].chars == "-c" && words.size() > 2) {
                text(words[2]);
                return Answer::unknown;
            }
            if (include(words, true)) {
                return Answer::unknown;
            }
        }
        if ((program == "sbatch" && wrap(words)) || carries(words)) {
            return Answer::unknown;
        }
        if (program == "sbatch" || program == "bash" || program == "sh") {
            for (const ShellRedirect& redirect : command.redirects) {
                if (redirect.sign == "<<") {  // a script that a script submits
                    text(redirect.literal ? redirect.target : state_.text_of(redirect.target, true));
                    return Answer::unknown;
                }
            }
        }
        written(command, words);
        add(command, std::move(words));
        return Answer::unknown;
    }
    // xpk workload create --command "python3 train.py ...", gcloud ... ssh --command="...": what another
    // machine is to start.
    bool carries(const std::vector<ShellText>& words) {
        constexpr std::string_view flag = "--command";
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::string& chars = words[i].chars;
            const bool apart = chars == flag && i + 1 < words.size();
            if (!apart && !chars.starts_with(std::string(flag) + "=")) {
                continue;
            }
            const ShellText inner = apart ? words[i + 1] : words[i].part(flag.size() + 1);
            if (inner.chars.find(' ') != std::string::npos) {
                text(inner);
                return true;
            }
        }
        return false;
    }
    void add(const ShellCommand& command, std::vector<ShellText> words) {
        StartedCommand one;
        for (const ShellAssignment& assignment : command.assignments) {
            if (!assignment.array && !assignment.words.empty()) {
                one.environment.emplace_back(assignment.name, state_.text_of(assignment.words.front()));
            }
        }
        for (const std::string& name : exported_) {
            if (const ShellVariable* variable = state_.find(name);
                variable != nullptr && !variable->items.empty()) {
                one.exported.emplace_back(name, variable->items.front());
            }
        }
        // A launcher may start a shell that starts the job: srun ... bash -c "torchrun ...".
        for (std::size_t i = 1; i + 2 < words.size(); ++i) {
            if (words[i].chars != "bash" && words[i].chars != "sh" && words[i].chars != "/bin/bash") {
                continue;
            }
            std::size_t option = i + 1;
            while (option + 1 < words.size() && words[option].chars.starts_with('-') &&
                   !words[option].chars.ends_with('c')) {
                ++option;
            }
            if (option + 1 < words.size() && words[option].chars.starts_with('-')) {
                const ShellText inner = words[option + 1];
                words.resize(i);
                std::swap(around_, words);
                text(inner);
                std::swap(around_, words);
                break;
            }
        }
        if (outcome_.commands.size() < 4096) {
            one.words = around_;
            one.words.insert(one.words.end(), std::make_move_iterator(words.begin()),
                             std::make_move_iterator(words.end()));
            outcome_.commands.push_back(std::move(one));
        }
    }
    // sbatch --wrap="torchrun ...": the command in quotes, with sbatch's flags in front of it.
    bool wrap(const std::vector<ShellText>& words) {
        constexpr std::string_view flag = "--wrap";
        for (std::size_t i = 1; i < words.size(); ++i) {
            const std::string& chars = words[i].chars;
            const bool apart = chars == flag && i + 1 < words.size();
            if (!apart &&
                !(chars.starts_with(flag) && chars.size() > flag.size() && chars[flag.size()] == '=')) {
                continue;
            }
            const ShellText inner = apart ? words[i + 1] : words[i].part(flag.size() + 1);
            std::vector<ShellText> around(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(i));
            around.insert(around.end(), words.begin() + static_cast<std::ptrdiff_t>(i + (apart ? 2 : 1)),
                          words.end());
            around.push_back(words[i].part(0, flag.size()));
            std::swap(around_, around);
            text(inner);
            std::swap(around_, around);
            return true;
        }
        return false;
    }
    static ShellText joined(const std::vector<ShellText>& words) {
        ShellText all;
        for (const ShellText& word : words) {
            if (!all.empty()) {
                all.add(' ', word.place());
            }
            all.add(word);
        }
        return all;
    }

    void call(const ShellCommand& function, std::vector<ShellText> words) {
        if (depth_ >= deepest_shell_call) {
            return;
        }
        ++depth_;
        words.erase(words.begin());
        std::swap(state_.arguments, words);
        const bool known = std::exchange(state_.arguments_known, true);
        run(function.bodies[0]);
        state_.arguments_known = known;
        std::swap(state_.arguments, words);
        --depth_;
    }

    // A script that is sourced or started: followed where it was given.
    bool include(const std::vector<ShellText>& words, bool is_started) {
        if (words.size() < 2) {
            return false;
        }
        const std::string& path = words[1].chars;
        const std::string base = path.substr(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1);
        for (std::size_t i = 0; i < files_.size(); ++i) {
            const std::string& name = *files_[i].name;
            const bool same =
                name == path || name.substr(name.rfind('/') == name.npos ? 0 : name.rfind('/') + 1) == base;
            if (same && depth_ < deepest_shell_call) {
                outcome_.sourced.push_back(name);
                ++depth_;
                std::vector<ShellText> arguments(words.begin() + 2, words.end());
                std::swap(state_.arguments, arguments);
                const bool known = std::exchange(state_.arguments_known, is_started);
                file(i);
                state_.arguments_known = known;
                std::swap(state_.arguments, arguments);
                --depth_;
                return true;
            }
        }
        const bool script = !is_started || base.ends_with(".sh");
        if (script) {
            std::string shown = path;
            std::replace(shown.begin(), shown.end(), unknown_mark, '?');
            outcome_.remarks.push_back(
                {words[0].place(), words[0].chars + " " + shown, "is not given: what it sets is unknown"});
        }
        return false;
    }

    // read A B C <<< "$text", with IFS; read -r -d '' NAME <<EOF.
    void read_words(const ShellCommand& command, const std::vector<ShellText>& words) {
        const ShellRedirect* from = nullptr;
        for (const ShellRedirect& redirect : command.redirects) {
            if (redirect.sign == "<<<" || redirect.sign == "<<") {
                from = &redirect;
            }
        }
        std::vector<std::string> names;
        bool array = false, whole = false;
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (words[i].chars.starts_with('-')) {
                array = array || words[i].chars.find('a') != std::string::npos;
                if (words[i].chars.ends_with('d')) {
                    whole = true;
                    ++i;
                }
            } else if (!words[i].empty()) {
                names.push_back(words[i].chars);
            }
        }
        if (names.empty()) {
            return;
        }
        if (from == nullptr) {
            for (const std::string& name : names) {
                state_.set(name, ShellState::unknown(command.place));
            }
            return;
        }
        const ShellText value =
            from->literal ? from->target : state_.text_of(from->target, from->sign == "<<");
        if (whole && from->sign == "<<") {
            state_.set(names[0], value);
            return;
        }
        std::string separators = " \t\n";
        for (const ShellAssignment& assignment : command.assignments) {
            if (assignment.name == "IFS" && !assignment.words.empty()) {
                separators = state_.text_of(assignment.words.front()).chars;
            }
        }
        std::vector<ShellText> parts;
        ShellText part;
        for (std::size_t i = 0; i < value.chars.size(); ++i) {
            if (separators.find(value.chars[i]) != std::string::npos) {
                parts.push_back(std::move(part));
                part = {};
            } else if (value.chars[i] != '\n') {
                part.add(value.chars[i], value.places[i]);
            }
        }
        parts.push_back(std::move(part));
        if (array) {
            ShellVariable variable;
            variable.array = true;
            variable.items = std::move(parts);
            state_.change(names[0]) = std::move(variable);
            return;
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            state_.set(names[i], i < parts.size() ? parts[i] : ShellText{});
        }
    }

    // cat > file <<EOF, cat <<EOF > file, echo '{...}' > file.
    void written(const ShellCommand& command, const std::vector<ShellText>& words) {
        const ShellRedirect* body = nullptr;
        const ShellRedirect* target = nullptr;
        for (const ShellRedirect& redirect : command.redirects) {
            if (redirect.sign == "<<") {
                body = &redirect;
            } else if (redirect.sign == ">" || redirect.sign == ">>") {
                target = &redirect;
            }
        }
        const std::string& program = words[0].chars;
        if (program == "cat" && body != nullptr) {
            outcome_.written.push_back(
                {target == nullptr ? std::string() : state_.text_of(target->target).chars,
                 body->literal ? body->target : state_.text_of(body->target, true)});
        } else if (program == "echo" && target != nullptr && words.size() > 1) {
            outcome_.written.push_back(
                {state_.text_of(target->target).chars, joined({words.begin() + 1, words.end()})});
        }
    }

    std::span<const ShellFile> files_;
    std::string_view select_;
    std::vector<const std::string*> names_;
    ShellState state_;
    std::vector<ShellText> around_{};  ///< the launcher of the shell whose commands are followed
    std::set<std::string> exported_{};
    ShellOutcome outcome_;
    std::map<std::string, const ShellCommand*, std::less<>> functions_;
    std::vector<std::unique_ptr<ShellText>> texts_;
    std::vector<std::unique_ptr<std::vector<ShellCommand>>> parsed_;
    Answer last_ = Answer::yes;
    bool selects_ = true;      ///< tests of what is unknown are of what was selected
    bool has_failed_ = false;  ///< the last exit says so
    int steps_ = 0;
    int depth_ = 0;
};

}  // namespace

ShellOutcome follow_shell(std::span<const ShellFile> files, std::size_t first,
                          const std::map<std::string, std::string>& known, std::string_view select) {
    return Follower(files, known, select).follow(first);
}

}  // namespace traincost
