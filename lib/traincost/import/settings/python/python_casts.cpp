// The formats that a Python program casts its models to, and the objects that stay the same behind what is
// done with them.

#include <algorithm>
#include <array>
#include <cctype>

#include "traincost/base/name_letter.hpp"
#include "traincost/base/text.hpp"
#include "traincost/import/settings/python/python_made.hpp"
#include "traincost/import/settings/python/python_model.hpp"
#include "traincost/import/settings/python/python_registry.hpp"

namespace traincost {

namespace {

/// Whether a model of one's own, or of a library, is made: a class rather than a function.
bool makes_module(const Setting& made) {
    const std::string_view path = class_path(made);
    const std::string_view name = class_name(made);
    const bool of_torch = path.starts_with("torch.") || path.starts_with("nn.");
    return is_language_model(path) ||
           (!name.empty() && !of_torch && std::isupper(static_cast<unsigned char>(name.front())) != 0);
}

bool is_format(const Setting& given) {
    static constexpr std::array<std::string_view, 6> formats = {
        "torch.bfloat16", "torch.float16", "torch.half", "torch.float32", "torch.float", "torch.float64"};
    return !given.quoted && std::find(formats.begin(), formats.end(), given.text) != formats.end();
}

}  // namespace

const Setting* PythonRegistry::prepared_object(const std::string& name, const std::vector<Setting>& given) {
    static constexpr std::string_view methods[] = {
        ".setup_module", ".setup_optimizers", ".to_device",   ".prepare",
        ".setup",        ".prepare_model",    ".setup_model", ".prepare_optimizer"};
    const std::size_t dot = name.rfind('.');
    const bool prepares = dot != std::string::npos && std::find(std::begin(methods), std::end(methods),
                                                                name.substr(dot)) != std::end(methods);
    return prepares && given.size() == 1 && given.front().has("$class") ? &given.front() : nullptr;
}

Setting PythonRegistry::cast_object(const Setting& object, const std::string& name,
                                    const std::vector<Setting>& positional,
                                    const std::map<std::string, Setting>& keywords) {
    Setting cast = object;
    const bool model = lower(name.substr(0, name.rfind('.'))).find("model") != std::string::npos;
    if (model) {
        put_cast(cast, name, positional, keywords);
    }
    return cast;
}

void PythonRegistry::put_cast(Setting& object, const std::string& name,
                              const std::vector<Setting>& positional,
                              const std::map<std::string, Setting>& keywords) {
    const auto given = keywords.find("dtype");
    const auto found = std::find_if(positional.begin(), positional.end(), is_format);
    const Setting* format = given != keywords.end()     ? &given->second
                            : found != positional.end() ? &*found
                                                        : nullptr;
    if (name.ends_with(".bfloat16") || name.ends_with(".half")) {
        place_at(object, "$cast") =
            scalar_setting(name.ends_with(".half") ? "torch.float16" : "torch.bfloat16", object, true);
    } else if (name.ends_with(".to") && format != nullptr && is_format(*format)) {
        place_at(object, "$cast") = scalar_setting(format->text, *format, true);
    }
}

const Setting* PythonRegistry::returned_object(const PythonCursor& cursor, const std::string& name) const {
    static constexpr std::string_view methods[] = {".to",   ".cuda",     ".train",   ".eval",
                                                   ".half", ".bfloat16", ".to_empty"};
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos ||
        std::find(std::begin(methods), std::end(methods), name.substr(dot)) == std::end(methods)) {
        return nullptr;
    }
    const Setting* object = named(cursor, name.substr(0, dot));
    return object != nullptr && object->is_map() && object->has("$class") ? object : nullptr;
}

void PythonRegistry::follow_result(PythonCursor& cursor, Setting& made) {
    while (cursor.character(cursor.at()) == '.') {
        std::string method;
        for (char c = '.'; c == '.' || is_name_letter(c); c = cursor.character(cursor.at())) {
            method += c;
            cursor.step();
        }
        if (now(cursor) != '(') {
            return;  // what is read from a call's result is not followed
        }
        std::vector<Setting> positional;
        std::map<std::string, Setting> keywords;
        read_arguments(cursor, positional, keywords);
        if (makes_module(made)) {  // "GPT(settings).to(torch.bfloat16)"
            put_cast(made, method, positional, keywords);
        }
        for (const Setting& argument : positional) {  // "load(...).map(lambda row: tokenizer(row, ...))"
            if (argument.is_map() && argument.has("$class")) {
                Setting& rest = place_at(made, "$rest");
                rest.kind = Setting::Kind::list;
                rest.items.push_back(argument);
            }
        }
    }
}

bool PythonRegistry::is_changed_copy(const Setting& value, const std::string& name,
                                     const std::map<std::string, Setting>& locals) {
    const auto before = locals.find(name);
    if (before == locals.end() || !before->second.is_map() || !before->second.has("$class")) {
        return false;
    }
    const std::string_view kind = class_name(before->second);
    const bool settings = kind.ends_with("Config") || kind.ends_with("Settings") ||
                          kind.ends_with("Arguments") || kind.ends_with("Args");
    const std::string_view path = class_path(value);
    return settings && path.size() > name.size() + 1 && path.starts_with(name) && path[name.size()] == '.' &&
           path.find('.', name.size() + 1) == path.npos;
}

}  // namespace traincost
