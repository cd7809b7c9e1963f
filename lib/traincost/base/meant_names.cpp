#include "traincost/base/meant_names.hpp"

#include <algorithm>
#include <vector>

#include "traincost/base/text.hpp"

namespace traincost {

std::string meant_by_part(std::string_view name, std::span<const std::string> ids, const std::string& list) {
    constexpr std::size_t most = 4;
    const std::vector<std::string> meant = names_with(name, ids);
    if (meant.empty()) {
        return "";
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(most, meant.size()); ++i) {
        const bool last = i > 0 && i + 1 == meant.size();
        text += (i == 0 ? "" : last ? " or " : ", ") + ("'" + meant[i] + "'");
    }
    if (meant.size() <= most) {
        return "; did you mean " + text + "?";
    }
    return "; did you mean " + text + " or another? '" + list + " --filter " + std::string(name) +
           "' names them";
}

}  // namespace traincost
