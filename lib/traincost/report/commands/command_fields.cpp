#include "traincost/report/commands/command_fields.hpp"

#include <algorithm>

#include "traincost/base/text.hpp"

namespace traincost {

CommandField& CommandFields::text(std::string names, std::string& target, std::string type,
                                  std::string help) {
    return value(
        std::move(names), target, std::move(type), [](const std::string& text) { return text; },
        std::move(help));
}

CommandField& CommandFields::text(std::string names, std::optional<std::string>& target, std::string type,
                                  std::string help) {
    return value(
        std::move(names), target, std::move(type), [](const std::string& text) { return text; },
        std::move(help));
}

CommandField& CommandFields::texts(std::string names, std::vector<std::string>& target, std::string type,
                                   std::string help) {
    CommandField& field = add({std::move(names), std::move(type), std::move(help),
                               [&target](const std::string& text) { target.push_back(text); }});
    field.several = true;
    return field;
}

CommandField& CommandFields::lists(std::string names, std::vector<std::string>& target, std::string type,
                                   std::string help) {
    CommandField& field = texts(std::move(names), target, std::move(type), std::move(help));
    field.set = [&target](const std::string& text) {
        for (const std::string& part : split(text, ',')) {
            target.push_back(part);
        }
    };
    return field;
}

CommandField& CommandFields::toggle(std::string names, bool& target, std::string help) {
    return add({std::move(names), {}, std::move(help), [&target](const std::string&) { target = true; }});
}

CommandField& CommandFields::add(CommandField field) {
    fields_.erase(std::remove_if(fields_.begin(), fields_.end(),
                                 [&](const CommandField& each) { return each.names == field.names; }),
                  fields_.end());
    return fields_.emplace_back(std::move(field));
}

CommandFields& CommandFields::add(const CommandFields& fields, const std::string& group) {
    for (const CommandField& field : fields) {
        CommandField& added = add(field);
        if (!group.empty()) {
            added.group = group;
        }
    }
    return *this;
}

std::vector<std::string> texts_of(const std::vector<GivenArgument>& given,
                                  const std::vector<std::string>& without) {
    std::vector<std::string> texts;
    for (const GivenArgument& argument : given) {
        if (std::find(without.begin(), without.end(), argument.name) == without.end()) {
            texts.push_back(argument.text);
        }
    }
    return texts;
}

}  // namespace traincost
