// What the commands of a script do that change its variables, start other scripts or write files; the others
// are started.

#include <algorithm>

#include "traincost/base/text.hpp"
#include "traincost/import/launch_words.hpp"
#include "traincost/import/shell/shell_follower.hpp"

namespace traincost {

Answer ShellFollower::simple(const ShellCommand& command, Flow& flow) {
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
        for (std::size_t i = 1; i < words.size(); ++i) {  // export "$KEY=$VALUE"
            const std::size_t equals = words[i].chars.find('=');
            if (equals != std::string::npos && equals > 0 && words[i].chars[0] != '-') {
                state_.set(words[i].chars.substr(0, equals), words[i].part(equals + 1));
            }
        }
        if (!words.empty() && words[0].chars == "export") {
            note_exported(command, words);
        }
        return Answer::yes;
    }
    return started(command, std::move(words), flow);
}

void ShellFollower::note_exported(const ShellCommand& command, const std::vector<ShellText>& words) {
    for (const ShellAssignment& assignment : command.assignments) {
        exported_.insert(assignment.name);
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        exported_.insert(words[i].chars.substr(0, words[i].chars.find('=')));
    }
}

Answer ShellFollower::tested(const std::vector<ShellText>& words) {
    const Answer answer = state_.test(words);
    // A branch that asks for what was selected: [ $MODEL = 7B ] with MODEL unknown.
    if (answer == Answer::unknown && !select_.empty() && selects_ && words.size() == 3 &&
        ShellState::is_unknown(words[0])) {
        const bool equal = words[1].chars != "!=";
        return (words[2].chars == select_) == equal ? Answer::yes : Answer::no;
    }
    return answer;
}

bool ShellFollower::changes_variables(const ShellCommand& command, const std::vector<ShellText>& words) {
    const std::string_view program = words[0].chars;
    if (program == "read") {
        read_words(command, words);
    } else if (program == "set" && words.size() > 1 && words[1].chars == "--") {
        state_.arguments.assign(words.begin() + 2, words.end());
        state_.arguments_known = std::none_of(words.begin(), words.end(),
                                              [](const ShellText& w) { return ShellState::is_unknown(w); });
    } else if (program == "shift") {
        const auto count = words.size() > 1 ? ShellState::whole(words[1].chars) : std::nullopt;
        state_.shift(static_cast<std::size_t>(std::max<std::int64_t>(count.value_or(1), 0)));
    } else if (program == "unset") {
        for (std::size_t i = 1; i < words.size(); ++i) {
            state_.erase(words[i].chars);
        }
    } else {
        return false;
    }
    return true;
}

Answer ShellFollower::started(const ShellCommand& command, std::vector<ShellText> words, Flow& flow) {
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
    const bool asks = program == "command" && words.size() > 1 && words[1].chars == "-v";
    if (asks || is_one_of(program, {"which", "hash", "type"})) {
        return Answer::yes;  // what a script asks for first is what it is written for
    }
    if (program == "[" || program == "test") {
        words.erase(words.begin());
        if (program == "[" && !words.empty() && words.back().chars == "]") {
            words.pop_back();
        }
        return tested(words);
    }
    if (changes_variables(command, words)) {
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
    if (program == "getopts" && words.size() > 2 && state_.arguments_known) {
        return state_.next_option(words[1].chars, words[2].chars) ? Answer::yes : Answer::no;
    }
    if (const auto function = functions_.find(program); function != functions_.end()) {
        const auto before = state_.set_for_now(set_in_front(command));
        call(*function->second, words);
        state_.set_back(before);
        return Answer::unknown;
    }
    if (starts_file(command, words)) {
        return Answer::unknown;
    }
    if ((program == "bash" || program == "sh") && words.size() > 1) {
        if (words[1].chars == "-c" && words.size() > 2) {
            text(words[2]);
            return Answer::unknown;
        }
        include(words, true);
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

bool ShellFollower::carries(const std::vector<ShellText>& words) {
    constexpr std::string_view flag = "--command";
    if (base_of(words.front().chars) == "ssh" && words.back().chars.find(' ') != std::string::npos) {
        text(words.back());
        return true;
    }
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

void ShellFollower::add(const ShellCommand& command, std::vector<ShellText> words) {
    StartedCommand one;
    one.environment = set_in_front(command);
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

std::vector<std::pair<std::string, ShellText>> ShellFollower::set_in_front(const ShellCommand& command) {
    std::vector<std::pair<std::string, ShellText>> values;
    for (const ShellAssignment& assignment : command.assignments) {
        if (!assignment.array && !assignment.words.empty()) {
            values.emplace_back(assignment.name, state_.text_of(assignment.words.front()));
        }
    }
    return values;
}

bool ShellFollower::is_given_script(std::string_view path) const {
    const std::string base = base_of(std::string(path));
    return std::any_of(files_.begin(), files_.end(),
                       [&](const ShellFile& file) { return base_of(*file.name) == base; }) &&
           !is_one_of(base.substr(std::min(base.rfind('.'), base.size())),
                      {".py", ".json", ".yaml", ".yml", ".toml"});
}

bool ShellFollower::starts_file(const ShellCommand& command, const std::vector<ShellText>& words) {
    const std::string program = base_of(words.front().chars);
    const bool launches = is_one_of(program, {"srun", "mpirun", "mpiexec", "aprun", "sbatch"});
    const bool reaches = is_one_of(program, {"docker", "podman", "singularity", "apptainer", "ssh"});
    auto values = set_in_front(command);
    std::size_t shell = words.size();
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& chars = words[i].chars;
        if (is_given_script(chars)) {
            std::vector<ShellText> inner(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            inner.insert(inner.begin(), inner.front());
            std::vector<ShellText> around = around_;
            if (launches) {
                around.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(shell, i)));
            }
            if (program == "sbatch") {
                around.emplace_back().add("--wrap", words.front().place());
                values.emplace_back("SLURM_JOB_ID", ShellText{.chars = "1", .places = {{}}});
            }
            std::swap(around_, around);
            const auto before = state_.set_for_now(values);
            const bool followed = include(inner, true);
            state_.set_back(before);
            std::swap(around_, around);
            return followed;
        }
        const std::size_t equals = chars.find('=');
        const bool flag = chars.starts_with('-');
        if (is_one_of(base_of(chars), {"bash", "sh"})) {
            shell = std::min(shell, i);
        } else if (chars.starts_with("--export=")) {
            for (std::size_t at = equals + 1, end = 0; at < chars.size(); at = end + 1) {
                end = std::min(chars.find(',', at), chars.size());
                const std::size_t cut = chars.find('=', at);
                if (cut < end) {
                    values.emplace_back(chars.substr(at, cut - at), words[i].part(cut + 1, end - cut - 1));
                }
            }
        } else if (!flag && equals != std::string::npos && equals > 0) {  // env TP=2 ...
            values.emplace_back(chars.substr(0, equals), words[i].part(equals + 1));
        } else if (!flag && !launches && !reaches &&
                   !is_one_of(chars, {"nohup", "exec", "time", "env", "sudo", "setsid"})) {
            return false;
        }
    }
    return false;
}

bool ShellFollower::wrap(const std::vector<ShellText>& words) {
    constexpr std::string_view flag = "--wrap";
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& chars = words[i].chars;
        const bool apart = chars == flag && i + 1 < words.size();
        if (!apart && !(chars.starts_with(flag) && chars.size() > flag.size() && chars[flag.size()] == '=')) {
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

ShellText ShellFollower::joined(const std::vector<ShellText>& words) {
    ShellText all;
    for (const ShellText& word : words) {
        if (!all.empty()) {
            all.add(' ', word.place());
        }
        all.add(word);
    }
    return all;
}

void ShellFollower::call(const ShellCommand& function, std::vector<ShellText> words) {
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

bool ShellFollower::include(const std::vector<ShellText>& words, bool is_started) {
    if (words.size() < 2) {
        return false;
    }
    const std::string& path = words[1].chars;
    const std::string base = base_of(path);
    for (std::size_t i = 0; i < files_.size(); ++i) {
        const std::string& name = *files_[i].name;
        const bool same = name == path || base_of(name) == base;
        if (same && (depth_ >= deepest_shell_call || !followed_now_.insert(i).second)) {
            return false;
        }
        if (same) {
            outcome_.sourced.push_back(name);
            ++depth_;
            std::vector<ShellText> arguments(words.begin() + 2, words.end());
            std::swap(state_.arguments, arguments);
            const bool known = std::exchange(state_.arguments_known, is_started);
            file(i);
            state_.arguments_known = known;
            std::swap(state_.arguments, arguments);
            --depth_;
            followed_now_.erase(i);
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

void ShellFollower::written(const ShellCommand& command, const std::vector<ShellText>& words) {
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
        outcome_.written.push_back({target == nullptr ? std::string() : state_.text_of(target->target).chars,
                                    body->literal ? body->target : state_.text_of(body->target, true)});
    } else if (program == "echo" && target != nullptr && words.size() > 1) {
        outcome_.written.push_back(
            {state_.text_of(target->target).chars, joined({words.begin() + 1, words.end()})});
    }
}

}  // namespace traincost
