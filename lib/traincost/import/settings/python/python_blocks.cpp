// The functions, the classes and the blocks of a Python file, and which of them are run.

#include <algorithm>
#include <array>
#include <utility>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_registry.hpp"

namespace traincost {

namespace {

bool is_definition(const std::string& text) {
    return text.starts_with("def ") || text.starts_with("class ") || text.starts_with("async def ");
}

/// What a class is for the readers: a trainer's arguments with members of one's own are that trainer's.
std::string class_of(const std::string& header, const std::string& name) {
    const std::size_t begin = header.find('(');
    const std::size_t end = header.find_first_of(",)", begin);
    const std::string base = begin == std::string::npos || end == std::string::npos
                                 ? ""
                                 : header.substr(begin + 1, end - begin - 1);
    return base.ends_with("TrainingArguments") || base.ends_with("Config") ? base : name;
}

/// Every word of `text` that is no part of a longer one, where it ends, and whether a bracket follows it.
template <typename Seen>
void visit_words(const std::string& text, Seen seen) {
    for (std::size_t at = 0; at < text.size();) {
        if (!is_name_letter(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_name_letter(text[end])) {
            ++end;
        }
        seen(text.substr(at, end - at), end, end < text.size() && text[end] == '(');
        at = end;
    }
}

/// "if ddp:", "if world_size > 1:": whether there are several processes, as what shards or copies a model
/// takes for granted.
bool asks_for_processes(const std::string& header) {
    static constexpr std::array<std::string_view, 9> several = {"ddp",       "distributed",  "world_size",
                                                                "multi_gpu", "device_count", "n_gpu",
                                                                "num_gpus",  "use_dist",     "num_processes"};
    static constexpr std::array<std::string_view, 6> otherwise = {"not ", "== 1", "<= 1",
                                                                  "rank", "main", "master"};
    const std::string text = lower(header);
    return begins_with(text, {"if ", "elif "}) && contains_any(text, several) &&
           !contains_any(text, otherwise);
}

}  // namespace

void PythonRegistry::mark_called() {
    for (const auto& [caller, function] : functions_) {
        for (const PythonStatement* statement : function.body) {
            visit_words(statement->text, [&, &by = caller, returns = function.returns](
                                             const std::string& word, std::size_t end, bool bracket) {
                const auto found = functions_.find(word);
                if (found != functions_.end() && found->first != by) {
                    found->second.called = found->second.called || bracket;
                    found->second.started = found->second.started || !returns;
                    if (bracket) {
                        sites_[word].push_back({.statement = statement, .at = end, .caller = by});
                    }
                }
            });
        }
    }
    for (const PythonStatement* statement : top_) {
        if (begins_with(statement->text, {"import ", "from "})) {
            continue;  // names of others
        }
        mark_told(*statement);
        visit_words(statement->text, [&](const std::string& word, std::size_t end, bool bracket) {
            if (const auto found = functions_.find(word); found != functions_.end()) {
                found->second.started = true;
                if (bracket) {
                    sites_[word].push_back({.statement = statement, .at = end, .caller = {}});
                }
            }
        });
    }
}

void PythonRegistry::collect() {
    std::vector<const PythonStatement*> open;
    for (PythonStatement& statement : statements_) {
        const PythonStatement* closed = nullptr;
        while (!open.empty() && open.back()->indent >= statement.indent) {
            closed = open.back()->indent == statement.indent ? open.back() : closed;
            open.pop_back();
        }
        if (begins_with(statement.text, {"from ", "import "})) {
            visit_words(statement.text,
                        [&](const std::string& word, std::size_t, bool) { imported_.insert(word); });
            import_given(statement);
        }
        if (begins_with(statement.text, {"elif ", "else:", "except", "finally"})) {
            statement.after = closed;
        }
        const auto defines = [](const PythonStatement* header) { return is_definition(header->text); };
        const auto first = std::find_if(open.begin(), open.end(), defines);
        const bool inner = first != open.end() && std::any_of(first + 1, open.end(), defines);
        // What is tried at the file's top, and what it does as a program, stands there.
        const bool at_top = std::all_of(open.begin(), first, [](const PythonStatement* header) {
            return begins_with(header->text, {"try:", "if __name__ "});
        });
        if (at_top && first != open.end() && (*first)->text.starts_with("def ")) {
            statement.within.assign(first + 1, open.end());
            PythonFunction& function = functions_[(*first)->text.substr(4, (*first)->text.find('(') - 4)];
            const bool returns = statement.text.starts_with("return ");
            if (inner) {
                function.inner.push_back(&statement);
            } else if (!is_definition(statement.text)) {
                function.body.push_back(&statement);
                function.returns = function.returns || (returns && statement.within.empty());
            }
        } else {
            statement.within = open;
            if (first == open.begin() && first != open.end()) {
                if ((*first)->text.starts_with("class ")) {
                    collect_member(statement, **first);
                    if (open.size() > 1 && open[1]->text.starts_with("def ")) {
                        methods_[open[1]].push_back(&statement);
                    }
                }
            } else if (first == open.end() && statement.text.starts_with("def ") && at_top) {
                functions_[statement.text.substr(4, statement.text.find('(') - 4)] = {.header = &statement,
                                                                                      .body = {}};
                if (!decoration_.members.empty()) {
                    decorated_[&statement] = std::exchange(decoration_, Setting{});
                }
            } else if (first == open.end() && !is_definition(statement.text)) {
                top_.push_back(&statement);
                assign(statement, globals_);
            }
        }
        if (statement.text.ends_with(":")) {
            open.push_back(&statement);
        }
    }
}

std::string PythonRegistry::made_optimizer(const PythonStatement& statement) {
    constexpr std::string_view package = "optim.";
    if (statement.within.size() < 2 || !statement.within[1]->text.starts_with("def configure_optimizers")) {
        return {};
    }
    for (std::size_t at = statement.text.find(package); at != std::string::npos;
         at = statement.text.find(package, at + 1)) {
        std::string name = word_at(statement.text, at + package.size());
        const std::size_t end = at + package.size() + name.size();
        if (!name.empty() && name != "lr_scheduler" && statement.text.compare(end, 1, "(") == 0) {
            return name;
        }
    }
    return {};
}

void PythonRegistry::collect_member(const PythonStatement& statement, const PythonStatement& header) {
    const std::string& text = header.text;
    const std::size_t begin = text.find(' ') + 1;
    const std::string name = text.substr(begin, text.find_first_of("(:", begin) - begin);
    Setting& members = classes_[name];
    if (!members.is_map()) {
        members = empty(header.lines.empty() ? 1 : header.lines.front());
        members.kind = Setting::Kind::map;
        place_at(members, "$class") = scalar_setting(class_of(text, name), members);
    }
    const bool own = statement.within.size() == 1 && !statement.text.ends_with(":");
    const bool made = statement.within.size() == 2 &&
                      statement.within.back()->text.starts_with("def __init__") &&
                      statement.text.starts_with("self.");
    if (statement.within.size() == 1 && statement.text.starts_with("def __init__(")) {
        makers_[name] = &statement;
    }
    if (const std::string optimizer = made_optimizer(statement); !optimizer.empty()) {
        place_at(members, "$optimizer") = scalar_setting(optimizer, members);
        members.member("$optimizer")->line = statement.lines.empty() ? 1 : statement.lines.front();
    } else if (own) {
        PythonStatement member = statement;
        member.within.clear();
        std::map<std::string, Setting> names;  // those above it, too: "steps = total // (rows * tokens)"
        for (const SettingMember& m : members.members) {
            if (m.value.is_scalar()) {
                names[m.key] = m.value;
            }
        }
        assign(member, names);
        for (auto& [key, value] : names) {
            place_at(members, key) = std::move(value);
        }
    } else if (made) {
        PythonStatement member = statement;
        member.within.clear();
        std::vector<std::string> order;
        std::map<std::string, Setting> names = parameters(*statement.within.back(), order, globals_);
        names["self"] = members;
        assign(member, names);
        members = std::move(names["self"]);
    }
}

PythonReach PythonRegistry::reach_of(const PythonStatement& statement) const {
    PythonReach reach = PythonReach::surely;
    for (const PythonStatement* header : statement.within) {
        const auto known = entered_.find(header);
        reach = std::min(reach, known == entered_.end() ? PythonReach::perhaps : known->second);
    }
    return reach;
}

bool PythonRegistry::is_done(const PythonStatement& statement) const {
    return std::all_of(statement.within.begin(), statement.within.end(), [&](const PythonStatement* header) {
        if (begins_with(header->text, {"for ", "while ", "async for "})) {
            return true;
        }
        const auto known = entered_.find(header);
        return known != entered_.end() &&
               (known->second == PythonReach::surely ||
                (known->second == PythonReach::perhaps && asks_for_processes(header->text)));
    });
}

void PythonRegistry::note_doing(const PythonStatement& statement, std::map<std::string, Setting>& locals) {
    static constexpr std::string_view telling[] = {"fully_shard",
                                                   "gradient_checkpointing_enable",
                                                   "apply_activation_checkpointing",
                                                   "initialize_model_parallel",
                                                   "autocast",
                                                   "fp8_autocast",
                                                   "set_default_dtype",
                                                   "spawn",
                                                   "enable_lora",
                                                   "compile"};
    constexpr std::string_view with = "with ";
    const std::size_t begin = statement.text.starts_with(with) ? with.size() : 0;
    std::size_t end = begin;
    while (end < statement.text.size() &&
           (is_name_letter(statement.text[end]) || statement.text[end] == '.')) {
        ++end;
    }
    const std::string called = statement.text.substr(begin, end - begin);
    const std::string_view name = std::string_view(called).substr(called.rfind('.') + 1);
    if (name == "to" || name == "half" || name == "bfloat16") {  // what the model is from here
        const auto object = locals.find(called.substr(0, called.size() - name.size() - 1));
        if (object != locals.end() && object->second.has("$class") &&
            reach_of(statement) == PythonReach::surely) {
            object->second = expression(statement, begin, locals);
        }
        return;
    }
    const bool tells = std::find(std::begin(telling), std::end(telling), name) != std::end(telling) ||
                       statement.text.find("num_microbatches=") != std::string::npos;
    if (!tells || called.empty() || !is_done(statement)) {
        return;
    }
    Setting& done = locals[std::string(done_by_scope)];
    done.kind = Setting::Kind::list;
    done.items.push_back(expression(statement, begin, locals));
}

void PythonRegistry::note_handed(const Setting& call, std::map<std::string, Setting>& locals) {
    const Setting* trainer = call.peek("trainer");
    if (trainer == nullptr || !trainer->is_map() || !trainer->has("$class")) {
        return;
    }
    for (const SettingMember& m : call.members) {
        if (!m.key.starts_with("$")) {
            locals.try_emplace(m.key, m.value);
        }
    }
}

void PythonRegistry::note_opened(const PythonStatement& statement, std::map<std::string, Setting>& locals) {
    constexpr std::string_view opens = "with open(";
    const std::size_t as = statement.text.rfind(") as ");
    if (given_.files.empty() || !statement.text.starts_with(opens) || as == std::string::npos) {
        return;
    }
    const std::string name = word_at(statement.text, as + 5);
    if (!name.empty()) {
        locals[name] = expression(statement, opens.size(), locals);
    }
}

std::optional<Setting> PythonRegistry::loaded_by(const std::string& name,
                                                 const std::vector<Setting>& positional,
                                                 const std::map<std::string, Setting>& keywords) {
    const bool opens = name == "open" || name == "Path" || name == "pathlib.Path" || name == "str";
    if (opens && !given_.files.empty() && !positional.empty() && positional.front().is_scalar()) {
        return positional.front();  // what is loaded from it is known by its path
    }
    if (const auto file = loaded_file(given_, name, positional, keywords)) {
        loaded_.insert(*file);
        const Setting& settings = given_.files.at(*file);
        count_copy(settings);
        return settings;
    }
    return std::nullopt;
}

void PythonRegistry::decorate(const PythonStatement& statement) {
    const std::size_t bracket = statement.text.find('(');
    const std::string by = statement.text.substr(1, std::min(bracket, statement.text.size()) - 1);
    if (bracket != std::string::npos && (by.ends_with("hydra.main") || by.ends_with(".wrap"))) {
        PythonCursor cursor(statement, bracket, globals_);
        std::vector<Setting> positional;
        std::map<std::string, Setting> keywords;
        read_arguments(cursor, positional, keywords);
        decoration_.kind = Setting::Kind::map;
        const bool hydra = by.ends_with("main");
        place_at(decoration_, hydra ? "$hydra" : "$wraps") =
            hydra && keywords.contains("config_name") ? keywords.at("config_name") : empty(1);
        return;
    }
    if (bracket == std::string::npos || !statement.text.substr(0, bracket).ends_with("option")) {
        return;
    }
    PythonCursor cursor(statement, bracket, globals_);
    std::vector<Setting> positional;
    std::map<std::string, Setting> keywords;
    read_arguments(cursor, positional, keywords);
    if (keywords.contains("is_flag") && !keywords.contains("default")) {
        keywords["default"] = scalar_setting("false", keywords.at("is_flag"));
    }
    add_option(decoration_, positional, keywords);
}

PythonReach PythonRegistry::entered(const PythonStatement& header, std::map<std::string, Setting>& locals) {
    const std::string& text = header.text;
    if (begins_with(text, {"with ", "async with ", "try:", "finally:"}) ||
        (text.starts_with("if __name__") && text.find("__main__") != std::string::npos)) {
        return PythonReach::surely;
    }
    if (text.starts_with("except")) {
        return PythonReach::never;  // what a program tries works
    }
    if (text.starts_with("else:") && header.after != nullptr && header.after->text.starts_with("except")) {
        return PythonReach::surely;
    }
    const bool first = text.starts_with("if ");
    if (!first && !begins_with(text, {"elif ", "else:"})) {
        return PythonReach::perhaps;
    }
    PythonReach before = PythonReach::never;  // whether one of the blocks before it is entered
    for (const PythonStatement* other = header.after; !first; other = other->after) {
        if (other == nullptr || !begins_with(other->text, {"if ", "elif "})) {
            return PythonReach::perhaps;  // the else of a loop, of a try
        }
        const auto known = entered_.find(other);
        before = std::max(before, known == entered_.end() ? PythonReach::perhaps : known->second);
        if (other->text.starts_with("if ")) {
            break;
        }
    }
    if (before == PythonReach::surely) {
        return PythonReach::never;
    }
    if (text.starts_with("else:")) {
        return before == PythonReach::never ? PythonReach::surely : PythonReach::perhaps;
    }
    const auto holds = truth_of(expression(header, text.find(' ') + 1, locals));
    return !holds                         ? PythonReach::perhaps
           : !*holds                      ? PythonReach::never
           : before == PythonReach::never ? PythonReach::surely
                                          : PythonReach::perhaps;
}

}  // namespace traincost
