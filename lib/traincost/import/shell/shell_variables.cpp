// A script's variables: read, set, put together, and set back where a branch is left.

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "traincost/base/name_letter.hpp"
#include "traincost/import/shell/shell_follower.hpp"

namespace traincost {

std::optional<ShellText> ShellState::value_of(std::string_view name) const {
    if (name == "#" && arguments_known) {
        ShellText text;
        text.add(std::to_string(arguments.size()), {});
        return text;
    }
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
        const std::size_t n = static_cast<std::size_t>(std::atoi(std::string(name).c_str()));
        if (n >= 1 && n <= arguments.size()) {
            return arguments[n - 1];
        }
        return arguments_known && n >= 1 ? std::optional(ShellText{}) : std::nullopt;
    }
    const ShellVariable* found = find(name);
    if (found == nullptr) {
        return std::nullopt;
    }
    return found->items.empty() ? ShellText{} : found->items.front();
}

/// NAME[index]: of a list by its number, of others by their key.
std::optional<ShellText> ShellState::element(const std::string& name, const std::string& index) {
    const ShellVariable* found = find(name);
    if (found == nullptr) {
        return std::nullopt;
    }
    if (const auto key = found->keyed.find(index); key != found->keyed.end()) {
        return key->second;
    }
    const auto n = arithmetic(index);
    const bool within = n && *n >= 0 && static_cast<std::size_t>(*n) < found->items.size();
    return within ? std::optional(found->items[static_cast<std::size_t>(*n)]) : std::nullopt;
}

const std::vector<ShellText>* ShellState::items_of(std::string_view name) const {
    if (name == "@" || name == "*") {
        return &arguments;
    }
    const ShellVariable* found = find(name);
    return found == nullptr ? nullptr : &found->items;
}

ShellVariable& ShellState::change(std::string_view name) {
    const auto found = variables_.find(name);
    if (!journals_.empty()) {
        ShellChanges& journal = journals_.back();
        if (!journal.contains(name)) {
            journal.emplace(name, found == variables_.end() ? std::nullopt : std::optional(found->second));
        }
    }
    return found != variables_.end() ? found->second : variables_[std::string(name)];
}

std::vector<ShellText> ShellState::options() const {
    std::vector<ShellText> all;
    for (const auto& [name, variable] : variables_) {
        const bool holds =
            std::any_of(variable.items.begin(), variable.items.end(), [](const ShellText& item) {
                const std::size_t begin = item.chars.find_first_not_of(" \t\n\\");
                return begin != std::string::npos && item.chars.compare(begin, 2, "--") == 0;
            });
        for (const ShellText& item : holds ? variable.items : std::vector<ShellText>{}) {
            for (std::size_t at = 0; at < item.chars.size();) {
                const std::size_t begin =
                    std::min(item.chars.find_first_not_of(" \t\n", at), item.chars.size());
                const std::size_t end = std::min(item.chars.find_first_of(" \t\n", begin), item.chars.size());
                if (end > begin && item.chars.compare(begin, end - begin, "\\") != 0) {
                    all.push_back(item.part(begin, end - begin));
                }
                at = end;
            }
        }
    }
    return all;
}

void ShellState::erase(std::string_view name) {
    if (const auto found = variables_.find(name); found != variables_.end()) {
        change(name);
        variables_.erase(found);
    }
}

ShellChanges ShellState::go_back() {
    ShellChanges changes = std::move(journals_.back());
    journals_.pop_back();
    for (auto& [name, before] : changes) {
        const auto found = variables_.find(name);
        std::optional<ShellVariable> now;
        if (found != variables_.end()) {
            now = std::move(found->second);
        }
        if (before) {
            variables_[name] = std::move(*before);
        } else if (found != variables_.end()) {
            variables_.erase(found);
        }
        before = std::move(now);
    }
    return changes;
}

// ARGS="$ARGS --more": what is there stays where it is, so that a list that grows line by line costs as much
// as its words.
bool ShellState::append_to_itself(const ShellAssignment& assignment) {
    const ShellVariable* own = find(assignment.name);
    if (assignment.append || !assignment.index.empty() || assignment.words.empty() || own == nullptr ||
        own->items.size() != 1 || own->array || !own->keyed.empty()) {
        return false;
    }
    const ShellText& raw = assignment.words.front();
    for (const std::string& start : {"\"$" + assignment.name, "\"${" + assignment.name + "}"}) {
        const bool braced = start.back() == '}';
        if (!raw.chars.starts_with(start) ||
            (!braced && raw.chars.size() > start.size() && is_name_letter(raw.chars[start.size()]))) {
            continue;
        }
        ShellText rest;
        rest.add('"', raw.places.front());
        rest.add(raw.part(start.size()));
        const ShellText tail = text_of(rest);
        ShellText& text = change(assignment.name).items.front();
        if (text.chars.size() < longest_value) {
            text.add(tail);
        }
        return true;
    }
    return false;
}

void ShellState::set(std::string_view name, ShellText value) {
    ShellVariable variable;
    variable.items.push_back(std::move(value));
    change(name) = std::move(variable);
}

void ShellState::assign(const ShellAssignment& assignment) {
    if (assignment.array) {
        ShellVariable fresh;
        ShellVariable& variable = assignment.append ? change(assignment.name) : fresh;
        variable.array = true;
        for (const ShellText& raw : assignment.words) {
            const std::size_t equals = raw.chars.find("]=");
            if (raw.chars.starts_with('[') && equals != std::string::npos) {
                variable.keyed[text_of(raw.part(1, equals - 1)).chars] = text_of(raw.part(equals + 2));
                continue;
            }
            for (ShellText& word : words_of(raw)) {
                variable.items.push_back(std::move(word));
            }
        }
        if (!assignment.append) {
            change(assignment.name) = std::move(fresh);
        }
        return;
    }
    if (append_to_itself(assignment)) {
        return;
    }
    ShellText value = assignment.words.empty() ? ShellText{} : text_of(assignment.words.front());
    if (!assignment.index.empty()) {
        ShellVariable& variable = change(assignment.name);
        variable.array = true;
        const std::string index = text_of(assignment.index).chars;
        const auto n = arithmetic(index);
        if (n && *n >= 0 && *n < 4096) {
            if (variable.items.size() <= static_cast<std::size_t>(*n)) {
                variable.items.resize(static_cast<std::size_t>(*n) + 1);
            }
            variable.items[static_cast<std::size_t>(*n)] = value;
        }
        variable.keyed[index] = std::move(value);
        return;
    }
    if (!assignment.append) {
        set(assignment.name, std::move(value));
        return;
    }
    ShellVariable& variable = change(assignment.name);
    if (variable.items.empty()) {
        variable.items.emplace_back();
    }
    if (variable.items.front().chars.size() < longest_value) {
        variable.items.front().add(value);
    }
}

std::map<std::string, std::optional<ShellVariable>> ShellState::set_for_now(
    const std::vector<std::pair<std::string, ShellText>>& values) {
    std::map<std::string, std::optional<ShellVariable>> before;
    for (const auto& [name, value] : values) {
        const ShellVariable* old = find(name);
        before.emplace(name, old == nullptr ? std::nullopt : std::optional(*old));
        set(name, value);
    }
    return before;
}

void ShellState::set_back(const std::map<std::string, std::optional<ShellVariable>>& before) {
    for (const auto& [name, value] : before) {
        if (value) {
            change(name) = *value;
        } else {
            erase(name);
        }
    }
}

void ShellState::shift(std::size_t count) {
    arguments.erase(arguments.begin(),
                    arguments.begin() + static_cast<std::ptrdiff_t>(std::min(count, arguments.size())));
}

bool ShellState::next_option(std::string_view letters, std::string_view name) {
    const std::string first = arguments.empty() ? std::string() : arguments.front().chars;
    const bool ends = first.size() < 2 || first[0] != '-' || first == "--";
    ShellText index;
    index.add("1", {});  // what it has read it has taken away
    set("OPTIND", index);
    if (ends) {
        shift(first == "--" ? 1 : 0);
        return false;
    }
    set(name, arguments.front().part(1, 1));
    const std::size_t at = letters.find(first[1]);
    if (at + 1 < letters.size() && letters[at + 1] == ':') {
        const bool apart = first.size() == 2;
        set("OPTARG", !apart ? arguments.front().part(2) : arguments.size() > 1 ? arguments[1] : ShellText{});
        shift(apart ? 2 : 1);
    } else if (first.size() > 2) {  // -ab: two of them
        arguments.front().chars.erase(1, 1);
        arguments.front().places.erase(arguments.front().places.begin() + 1);
    } else {
        shift(1);
    }
    return true;
}

void ShellFollower::read_words(const ShellCommand& command, const std::vector<ShellText>& words) {
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
    const ShellText value = from->literal ? from->target : state_.text_of(from->target, from->sign == "<<");
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

}  // namespace traincost
