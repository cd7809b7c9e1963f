#include "traincost/import/shell/interpolation.hpp"

#include <algorithm>
#include <cctype>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

constexpr int deepest_reference = 16;

std::string stripped(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '"' || text.front() == '\'')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '"' || text.back() == '\'')) {
        text.remove_suffix(1);
    }
    return std::string(text);
}

class Interpolator {
public:
    explicit Interpolator(const Setting& root) : root_(root) {
    }

    /// `above` are the maps that hold the text, the outermost first.
    std::optional<std::string> expanded(const std::string& text, const std::vector<const Setting*>& above,
                                        int depth) {
        std::string out;
        for (std::size_t i = 0; i < text.size();) {
            if (text.compare(i, 2, "${") != 0) {
                out += text[i++];
                continue;
            }
            int open = 0;
            std::size_t end = i + 1;
            for (; end < text.size(); ++end) {
                open += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
                if (open == 0) {
                    break;
                }
            }
            if (end >= text.size() || depth > deepest_reference) {
                return std::nullopt;
            }
            const auto value = answer(text.substr(i + 2, end - i - 2), above, depth + 1);
            if (!value) {
                return std::nullopt;
            }
            out += *value;
            i = end + 1;
        }
        return out;
    }

private:
    std::optional<std::string> answer(const std::string& raw, const std::vector<const Setting*>& above,
                                      int depth) {
        const auto inner = expanded(raw, above, depth);
        if (!inner) {
            return std::nullopt;
        }
        const std::size_t colon = inner->find(':');
        if (colon != std::string::npos) {
            return resolved(inner->substr(0, colon), inner->substr(colon + 1));
        }
        const Setting* from = &root_;
        std::string path = *inner;
        if (path.starts_with('.')) {
            std::size_t up = 0;
            while (up < path.size() && path[up] == '.') {
                ++up;
            }
            if (up > above.size()) {
                return std::nullopt;
            }
            from = above[above.size() - up];
            path = path.substr(up);
        }
        const Setting* found = from->peek(path);
        if (found == nullptr) {
            found = root_.peek("variables." + path);
        }
        if (found == nullptr || !found->is_scalar()) {
            return std::nullopt;
        }
        return expanded(found->text, {&root_}, depth);
    }
    static std::optional<std::string> resolved(const std::string& name, const std::string& rest) {
        const std::vector<std::string> parts = split(rest, ',');
        if (name == "multiply" || name == "sum" || name == "add" || name == "divide" ||
            name == "floor_divide") {
            double out = 0.0;
            for (std::size_t i = 0; i < parts.size(); ++i) {
                Setting part;
                part.kind = Setting::Kind::scalar;
                part.text = stripped(parts[i]);
                const auto x = as_number(part);
                if (!x) {
                    return std::nullopt;
                }
                out = i == 0                           ? *x
                      : name == "multiply"             ? out * *x
                      : name == "sum" || name == "add" ? out + *x
                                                       : out / *x;
            }
            return to_exact(out);
        }
        if (name == "oc.env" || name == "env") {
            return parts.size() > 1 ? std::optional(stripped(rest.substr(rest.find(',') + 1))) : std::nullopt;
        }
        // ${NAME:default} and ${NAME:-default}
        const bool upper = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
            return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
        });
        return upper ? std::optional(stripped(rest.starts_with('-') ? rest.substr(1) : rest)) : std::nullopt;
    }

    const Setting& root_;
};

void walk(Setting& setting, Interpolator& interpolator, std::vector<const Setting*>& above) {
    if (setting.is_scalar() && setting.text.find("${") != std::string::npos) {
        if (const auto text = interpolator.expanded(setting.text, above, 0)) {
            const bool whole =
                setting.text.starts_with("${") && setting.text.find('}') + 1 == setting.text.size();
            setting.quoted = setting.quoted && !whole;  // it has the other's type
            setting.text = *text;
        }
        return;
    }
    if (setting.is_map()) {
        above.push_back(&setting);
        for (SettingMember& m : setting.members) {
            walk(m.value, interpolator, above);
        }
        above.pop_back();
    }
    for (Setting& item : setting.items) {
        walk(item, interpolator, above);
    }
}

}  // namespace

void interpolate(Setting& root) {
    Interpolator interpolator(root);
    std::vector<const Setting*> above;
    walk(root, interpolator, above);
}

}  // namespace traincost
