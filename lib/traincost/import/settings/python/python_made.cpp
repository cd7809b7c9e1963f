#include "traincost/import/settings/python/python_made.hpp"

#include <algorithm>
#include <array>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/text.hpp"

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

std::optional<Setting> lesser(const std::vector<Setting>& two) {
    const auto a = as_number(two.front()), b = as_number(two.back());
    if (a && b) {
        return *a <= *b ? two.front() : two.back();
    }
    const Setting& other = a ? two.back() : two.front();
    const bool bounds = other.text.find("model_max_length") != other.text.npos ||
                        other.text.find("max_position_embeddings") != other.text.npos;
    return bounds && (a || b) ? std::optional(a ? two.front() : two.back()) : std::nullopt;
}

std::optional<bool> is_device(const Setting& device, const Setting& name) {
    const std::string said = lower(device.is_map() ? std::string(class_path(device)) : device.text);
    if (device.quoted || !name.quoted || device.is_list() || said.find("device") == said.npos) {
        return std::nullopt;
    }
    const bool known = name.text == "cuda" || name.text == "cpu" || name.text == "mps";
    return known ? std::optional(name.text == "cuda") : std::nullopt;
}

bool is_checkpoint(std::string_view question, const Setting& path) {
    static constexpr std::array<std::string_view, 5> of_runs = {"ckpt", "checkpoint", "resume", "latest",
                                                                "snapshot"};
    const bool asks =
        question.ends_with(".exists") || question.ends_with(".isdir") || question.ends_with(".isfile");
    const std::string said = lower(path.is_scalar() ? path.text : std::string(class_path(path)));
    return asks && (contains_any(said, of_runs) || contains_any(lower(path.name), of_runs));
}

}  // namespace traincost
