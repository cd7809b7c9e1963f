// Calls of Python: of the file's functions and classes, of argument parsers, and the few whose result is
// plain.

#include <algorithm>
#include <utility>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_registry.hpp"
#include "traincost/import/settings/setting_files.hpp"

namespace traincost {

namespace {

/// An object of a class that a parser of command lines makes: its members are options.
Setting object_of_options(Setting type) {
    for (SettingMember& m : type.members) {
        if (m.key == "$type") {
            m.key = "$class";
        } else if (m.value.is_map()) {
            m.value = object_of_options(std::move(m.value));
        } else {
            m.value.is_default = true;
        }
    }
    return type;
}

/// Whether a launcher of processes sets the variable, whatever stands in for it.
bool is_set_by_launcher(std::string_view variable) {
    return variable == "WORLD_SIZE" || variable == "RANK" || variable == "LOCAL_RANK" ||
           variable == "LOCAL_WORLD_SIZE" || variable.starts_with("SLURM_");
}

/// Options with a default in the first place: typer's, pydantic's.
bool defaults_first(const std::string& name) {
    return name == "typer.Option" || name == "Option" || name == "typer.Argument" || name == "Field";
}

/// Objects whose attributes are the keys of the map they are made of.
bool wraps_settings(const std::string& name) {
    static constexpr std::string_view known[] = {
        "OmegaConf.create", "EasyDict",   "edict", "DotMap",      "Box",     "AttrDict",
        "munchify",         "ConfigDict", "Munch", "addict.Dict", "DotDict", "dict"};
    return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

bool parses_class(const std::string& name) {
    return name == "tyro.cli" || name == "simple_parsing.parse" || name == "pyrallis.parse" ||
           name == "draccus.parse" || name == "parse_args_into_dataclass" || name == "OmegaConf.structured";
}

}  // namespace

std::optional<Setting> PythonRegistry::settings_call(const std::string& name,
                                                     const std::vector<Setting>& positional) const {
    if (name == "OmegaConf.from_cli" && positional.empty()) {
        Setting said;
        said.kind = Setting::Kind::map;
        for (const auto& [path, value] : given_.said) {
            place_at(said, path) = value.is_null() ? unknown(path, value) : value;
        }
        return said;
    }
    if (name == "OmegaConf.merge" && !positional.empty() && positional.front().is_map()) {
        Setting merged = positional.front();
        for (std::size_t i = 1; i < positional.size(); ++i) {
            overlay(merged, positional[i]);
        }
        return merged;
    }
    if (wraps_settings(name) && positional.size() == 1 && positional.front().is_map()) {
        return positional.front();
    }
    return std::nullopt;
}

std::optional<Setting> PythonRegistry::known_call(const std::string& name,
                                                  const std::vector<Setting>& positional,
                                                  const std::map<std::string, Setting>& keywords) {
    if ((name == "int" || name == "float" || name == "str" || name == "bool") && positional.size() == 1 &&
        positional.front().is_scalar() && keywords.empty()) {
        Setting plain = positional.front();
        plain.quoted = name == "str";
        return plain;
    }
    if ((name == "os.environ.get" || name == "os.getenv") && positional.size() == 2 &&
        !is_set_by_launcher(positional.front().text)) {
        return positional.back();
    }
    if (auto settings = settings_call(name, positional)) {
        return settings;
    }
    if (name == "min" && positional.size() == 2) {
        return lesser(positional);
    }
    if (name == "dict" && positional.empty() && !keywords.contains("type") && !keywords.empty()) {
        Setting made;
        made.kind = Setting::Kind::map;
        made.line = keywords.begin()->second.line;
        made.file = keywords.begin()->second.file;
        for (const auto& [key, value] : keywords) {
            place_at(made, key) = value;
        }
        return made;
    }
    if ((name == "field" || name.ends_with(".field") || name == "Field") && keywords.contains("default")) {
        return keywords.at("default");  // of a member of a class
    }
    if ((name == "field" || name.ends_with(".field")) && keywords.contains("default_factory")) {
        const Setting& made = keywords.at("default_factory");
        if (made.is_map() && made.has("$type")) {
            return object_of_options(made);
        }
        if (made.is_map() && made.has("$class")) {  // of a lambda
            return made;
        }
    }
    if (defaults_first(name) && (!positional.empty() || keywords.contains("default"))) {
        Setting option = positional.empty() ? keywords.at("default") : positional.front();
        option.is_default = true;
        return option;
    }
    if (parses_class(name) && !positional.empty() && positional.front().has("$type")) {
        Setting object = object_of_options(positional.front());
        tell(object, "");
        return object;
    }
    if (name.starts_with("os.path.") && !positional.empty() && is_checkpoint(name, positional.front())) {
        return scalar_setting("false", positional.front());
    }
    const bool copies = name == "copy.deepcopy" || name == "deepcopy" || name == "copy.copy" ||
                        name == "replace" || name == "dataclasses.replace";
    if (copies && positional.size() == 1 && positional.front().is_map()) {
        Setting copy = positional.front();
        for (const auto& [key, value] : keywords) {
            place_at(copy, key) = value;
        }
        return copy;
    }
    return std::nullopt;
}

Setting PythonRegistry::looked_up(PythonCursor& cursor, const std::string& object,
                                  std::vector<Setting> arguments) {
    const Setting* known = named(cursor, object);
    known = known != nullptr ? known : attribute(cursor, object);
    Setting map = known != nullptr ? *known : Setting{};
    for (;;) {
        Setting value = arguments.size() > 1 ? arguments[1] : empty(cursor.line());
        value.is_default = arguments.size() > 1;
        const Setting* member =
            map.is_map() && !arguments.empty() ? map.peek(arguments.front().text) : nullptr;
        if (member != nullptr) {
            value = Setting(*member);
        } else if (arguments.size() < 2 || (value.is_null() && (!map.is_map() || map.has("$class")))) {
            value = unknown(object + ".get", value);
        }
        if (cursor.until(cursor.at() + 5) != ".get(") {
            return value;
        }
        cursor.go_to(cursor.at() + 4);
        arguments.clear();
        std::map<std::string, Setting> keywords;
        read_arguments(cursor, arguments, keywords);
        map = std::move(value);
    }
}

void PythonRegistry::read_arguments(PythonCursor& cursor, std::vector<Setting>& positional,
                                    std::map<std::string, Setting>& keywords) {
    cursor.step();
    while (now(cursor) != ')' && now(cursor) != '\0') {
        if (now(cursor) == ',') {
            cursor.step();
            continue;
        }
        int stars = 0;
        for (; now(cursor) == '*'; ++stars) {
            cursor.step();
        }
        std::size_t end = cursor.at();
        while (is_name_letter(cursor.character(end))) {
            ++end;
        }
        std::size_t equals = end;
        while (cursor.character(equals) == ' ') {
            ++equals;
        }
        if (end > cursor.at() && cursor.character(equals) == '=' && cursor.character(equals + 1) != '=') {
            const std::string key = cursor.until(end);
            if (keywords.contains(key)) {
                fail_at_line(file_, cursor.line(), "the argument " + key + " is given twice");
            }
            cursor.go_to(equals + 1);
            keywords[key] = choice(cursor);
        } else {
            const std::size_t before = cursor.at();
            Setting argument = choice(cursor);
            if (stars < 2) {
                positional.push_back(std::move(argument));
            } else if (argument.is_map() && (!argument.has("$class") || has(argument.peek("$class")->text))) {
                for (SettingMember& m : argument.members) {
                    if (m.key != "$class") {
                        keywords[m.key] = std::move(m.value);
                    }
                }
            } else {
                keywords["$unpacked"] = unknown("**" + argument.text, argument);
                keywords["$unpacked"].name = "**" + argument.text;
            }
            if (cursor.at() == before) {
                cursor.step();
            }
        }
    }
    cursor.step();
}

std::optional<Setting> PythonRegistry::asked_text(const PythonCursor& cursor, const std::string& name,
                                                  const std::vector<Setting>& positional) const {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos) {
        return std::nullopt;
    }
    const std::string object = name.substr(0, dot);
    const std::string method = name.substr(dot + 1);
    const Setting* known = named(cursor, object);
    known = known != nullptr ? known : attribute(cursor, object);
    if (known == nullptr || !known->is_scalar() || !known->quoted) {
        return std::nullopt;
    }
    if ((method == "lower" || method == "strip") && positional.empty()) {
        Setting same = *known;
        same.text = method == "lower" ? lower(same.text) : same.text;
        return same;
    }
    const bool begins = method == "startswith";
    if ((begins || method == "endswith") && positional.size() == 1 && positional.front().quoted) {
        const std::string& part = positional.front().text;
        return scalar_setting(
            (begins ? known->text.starts_with(part) : known->text.ends_with(part)) ? "true" : "false",
            *known);
    }
    return std::nullopt;
}

void PythonRegistry::skip_parameters(PythonCursor& cursor) {
    int depth = 0;
    for (char c = now(cursor); c != '\0' && (depth > 0 || c != ':'); c = now(cursor)) {
        depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        cursor.step();
    }
    cursor.step();
}

Setting PythonRegistry::called(PythonCursor& cursor, const std::string& name, const Setting& place) {
    std::vector<Setting> positional;
    std::map<std::string, Setting> keywords;
    read_arguments(cursor, positional, keywords);
    if (name.ends_with(".get") && !name.starts_with("os.") && keywords.empty()) {
        return looked_up(cursor, name.substr(0, name.size() - 4), std::move(positional));
    }
    if (name == "len" && positional.size() == 1 && positional.front().text == "sys.argv") {
        return scalar_setting("1", place);  // started without an argument
    }
    if (name == "torch.cuda.is_available") {  // what is counted here trains on GPUs
        return scalar_setting("true", place);
    }
    if (const auto answer = asked_text(cursor, name, positional)) {
        return *answer;
    }
    if (const Setting* same = returned_object(cursor, name)) {
        return cast_object(*same, name, positional, keywords);
    }
    if (const Setting* same = prepared_object(name, positional)) {
        return Setting(*same);
    }
    if (auto loaded = loaded_by(name, positional, keywords)) {
        while (loaded->is_scalar() && cursor.character(cursor.at()) == '.') {  // Path(path).read_text()
            while (cursor.character(cursor.at()) == '.' || is_name_letter(cursor.character(cursor.at()))) {
                cursor.step();
            }
            if (now(cursor) == '(') {
                read_arguments(cursor, positional, keywords);
            }
        }
        return std::move(*loaded);
    }
    if (const auto known = known_call(name, positional, keywords)) {
        return *known;
    }
    if (const auto options = parser_call(cursor, name, positional, keywords)) {
        return *options;
    }
    Setting map = place;
    map.kind = Setting::Kind::map;
    if (has(name)) {
        map = call(name, keywords, positional);
        if (!map.is_map()) {
            return map;
        }
    } else {
        if (const auto made = classes_.find(name); made != classes_.end()) {
            map.members = made->second.members;
        }
        for (const auto& [key, value] : keywords) {
            place_at(map, key) = value;
        }
        construct(map, name, keywords, positional);
    }
    const bool loaded = has(name) && map.file != nullptr && map.file != &file_;  // of a file given beside it
    if (!loaded &&
        (!has(name) || !map.has("$class"))) {  // what a function of the file returns knows its class
        place_at(map, "$class") = scalar_setting(library_name(name), place);
    }
    if (!positional.empty() && !has(name)) {
        Setting& rest = place_at(map, "$arguments");
        rest.kind = Setting::Kind::list;
        rest.items = std::move(positional);
    }
    const bool parses = cursor.until(cursor.at() + 12) == ".parse_args(" && made_options_.is_map();
    if (parses && has(name)) {  // of the parser that a function makes
        cursor.go_to(cursor.at() + 11);
        read_arguments(cursor, positional, keywords);
        return made_options_;
    }
    follow_result(cursor, map);
    return map;
}

}  // namespace traincost
