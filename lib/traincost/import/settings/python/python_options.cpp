// The options of a program's own: argparse's, and the classes of settings that a parser fills.
#include <algorithm>

#include "traincost/base/name_letter.hpp"
#include "traincost/import/settings/python/python_registry.hpp"
#include "traincost/import/settings/python/python_trainer.hpp"

namespace traincost {

void PythonRegistry::add_option(Setting& options, const std::vector<Setting>& positional,
                                const std::map<std::string, Setting>& keywords) const {
    options.kind = Setting::Kind::map;
    auto said = keywords.find("default");
    const auto action = keywords.find("action");
    const bool is_switch = action != keywords.end() && action->second.text.starts_with("store_");
    Setting off = is_switch ? action->second : Setting{};
    off.text = is_switch && off.text == "store_false" ? "true" : "false";
    off.quoted = false;
    auto flag = std::find_if(positional.begin(), positional.end(),
                             [](const Setting& name) { return name.text.starts_with("--"); });
    if (flag == positional.end()) {  // "-batch-size" is a name, "-b" is none
        flag = std::find_if(positional.begin(), positional.end(), [](const Setting& name) {
            return name.text.starts_with("-") && name.text.size() > 2;
        });
    }
    if (flag == positional.end()) {
        return;
    }
    std::string key = flag->text.substr(flag->text.find_first_not_of('-'));
    std::replace(key.begin(), key.end(), '-', '_');
    const std::string said_as = key;
    const auto own = keywords.find("dest");
    const auto named = std::find_if(positional.begin(), positional.end(), [](const Setting& name) {
        return name.quoted && !name.text.starts_with("-") && name.text.find_first_of(" .") == name.text.npos;
    });
    key = own != keywords.end() && own->second.quoted ? own->second.text
          : named != positional.end()                 ? named->text  // click's name of the parameter
                                                      : key;
    auto told = given_.said.find(said_as);
    for (const Setting& other : positional) {  // "-b" of "-b", "--batch-size"
        const std::size_t begin = other.text.find_first_not_of('-');
        if (told == given_.said.end() && begin != std::string::npos && begin > 0) {
            told = given_.said.find(other.text.substr(begin));
        }
    }
    if (told != given_.said.end()) {
        if (!told->second.is_null()) {
            Setting& option = place_at(options, key) = told->second;
            option.text = !is_switch ? option.text : off.text == "false" ? "true" : "false";
        }
        return;
    }
    if ((said == keywords.end() && !is_switch) ||
        (said != keywords.end() && !said->second.is_scalar() && !said->second.is_null())) {
        return;
    }
    Setting& option = place_at(options, key);
    option = said == keywords.end() ? off : said->second;
    option.is_default = true;
    option.name = flag->text;
}

void PythonRegistry::tell(Setting& object, const std::string& path) const {
    for (SettingMember& m : object.members) {
        if (m.key.starts_with("$")) {
            continue;
        }
        const std::string option = path.empty() ? m.key : path + "." + m.key;
        const auto told = given_.said.find(option);
        if (m.value.is_map() && told == given_.said.end()) {
            tell(m.value, option);
        } else if (m.value.is_map()) {
            m.value = unknown(m.key, m.value);  // another choice than is seen here
        } else if (told != given_.said.end()) {
            m.value = told->second.is_null() ? unknown(m.key, m.value) : told->second;
        } else if (given_.said.contains("no_" + option) && m.value.text == "true") {
            m.value = scalar_setting("false", given_.said.at("no_" + option));
        }
    }
}

void PythonRegistry::tell_parameters(const std::vector<std::string>& order,
                                     std::map<std::string, Setting>& values) const {
    Setting options;
    options.kind = Setting::Kind::map;
    for (const std::string& name : order) {
        Setting& value = values[name];
        const auto told = given_.said.find(name);
        if (told != given_.said.end()) {
            value = told->second.is_null() ? unknown(name, value) : told->second;
        } else {
            value.is_default = true;
            value.name = "--" + name;
        }
        if (value.is_scalar() && !value.text.starts_with("<")) {
            place_at(options, name) = value;
        }
    }
    values[std::string(options_of_parser)] = std::move(options);
}

bool PythonRegistry::assign_dataclasses(const PythonStatement& statement, std::size_t equals,
                                        std::map<std::string, Setting>& locals) {
    const std::string& text = statement.text;
    std::size_t call = text.find(".parse_args_into_dataclasses(", equals);
    call = call == std::string::npos ? text.find(".parse_args_and_config(", equals) : call;
    if (call == std::string::npos) {
        return false;
    }
    const std::size_t begin = text.find_first_not_of("= ", equals);
    const auto parser = locals.find(text.substr(begin, call - begin));
    const Setting inlined = parser == locals.end() && text.compare(call - 1, 1, ")") == 0
                                ? expression(statement, begin, locals)
                                : Setting{};
    const Setting* given = (parser == locals.end() ? inlined : parser->second).peek("$arguments");
    if (given == nullptr || given->items.empty()) {
        return false;
    }
    const Setting& first = given->items.front();
    const std::vector<Setting> classes = first.is_list() ? first.items : std::vector<Setting>{first};
    std::size_t at = 0;
    for (const Setting& made : classes) {
        while (at < equals && !is_name_letter(text[at])) {
            ++at;
        }
        const std::string name = word_at(text, at);
        at += name.size();
        Setting value = made;
        if (value.is_scalar() && !value.quoted && imported_.contains(value.text)) {  // of a library
            place_at(value, "$type") = scalar_setting(value.text, made);
        }
        for (SettingMember& m : value.members) {
            m.value.is_default = m.key != "$type";
            if (const auto told = given_.said.find(m.key); told != given_.said.end()) {
                m.value = told->second;
            }
            m.key = m.key == "$type" ? "$class" : m.key;
        }
        if (!name.empty() && at <= equals && value.is_map()) {
            place_at(value, options_of_parser) = scalar_setting("true", value);
            locals[name] = std::move(value);
        }
    }
    return true;
}

std::optional<Setting> PythonRegistry::parser_call(PythonCursor& cursor, const std::string& name,
                                                   const std::vector<Setting>& positional,
                                                   const std::map<std::string, Setting>& keywords) {
    if (name.ends_with(".add_argument")) {
        add_option(cursor.locals[std::string(options_of_parser)], positional, keywords);
    } else if (!name.ends_with(".parse_args") && !name.ends_with(".parse_known_args")) {
        return std::nullopt;
    } else if (!cursor.locals.contains(std::string(options_of_parser)) && made_options_.is_map()) {
        return made_options_;  // of a parser that a function made
    }
    return cursor.locals[std::string(options_of_parser)];
}

}  // namespace traincost
