#include "traincost/import/settings/python_made.hpp"

namespace traincost {

std::string_view class_path(const Setting& made) {
    const Setting* kind = made.peek("$class");
    return kind == nullptr ? std::string_view() : std::string_view(kind->text);
}

std::string_view class_name(const Setting& made) {
    const std::string_view text = class_path(made);
    return text.substr(text.rfind('.') == text.npos ? 0 : text.rfind('.') + 1);
}

void visit_calls(const Setting& value, const std::function<void(const Setting&)>& seen) {
    if (value.is_map() && value.has("$class")) {
        seen(value);
    }
    for (const SettingMember& m : value.members) {
        visit_calls(m.value, seen);
    }
    for (const Setting& item : value.items) {
        visit_calls(item, seen);
    }
}

}  // namespace traincost
