#include "traincost/fit/interconnect.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "traincost/base/text.hpp"

namespace traincost {

namespace {

bool digit(char c) {
    return c >= '0' && c <= '9';
}

/// The lower-case words of each network: parts between commas, plus signs and "and"; those that are storage
/// or management only are left out.
std::vector<std::string> compute_networks(std::string_view words) {
    std::vector<std::string> parts;
    const std::string text = lower(words);
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.size();
        std::size_t next = text.size();
        for (const std::string_view separator : {", ", " + ", " and "}) {
            if (const std::size_t at = text.find(separator, begin); at < end) {
                end = at;
                next = at + separator.size();
            }
        }
        std::string part = text.substr(begin, end - begin);
        begin = next;
        const std::size_t colon = std::min(part.find(':'), part.size());
        const std::string role = part.substr(0, colon);
        const bool other =
            colon < part.size() && role.find("compute") == std::string::npos &&
            (role.find("storage") != std::string::npos || role.find("management") != std::string::npos);
        if (!other) {
            parts.push_back(std::move(part));
        }
    }
    return parts;
}

/// Whether `word` stands in `text` by itself: "efa" is not in "default".
bool has_word(const std::string& text, std::string_view word) {
    const auto inside = [&](std::size_t i) {
        return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i])) != 0;
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        const bool counted = at > 1 && text[at - 1] == 'x' && digit(text[at - 2]);  // "2xbf3"
        if ((at == 0 || counted || !inside(at - 1)) && !inside(at + word.size())) {
            return true;
        }
    }
    return false;
}

/// Link data's name of the fabric that lower-case `text` names. A speed grade says more than "InfiniBand".
std::optional<std::string> fabric_name(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 19> names = {{
        {"efa v2 latency-bound", "EFA v2 latency-bound"},
        {"efa v2 without peer access", "EFA v2 without peer access"},
        {"efa v2", "EFA v2"},
        {"omni-path", "Omni-Path"},
        {"slingshot", "Slingshot"},
        {"efa", "EFA"},
        {"roce", "RoCE"},
        {"rocev", "RoCE"},
        {"ndr", "IB NDR"},
        {"xdr", "IB XDR"},
        {"hdr", "IB HDR"},
        {"edr", "IB EDR"},
        {"infiniband", "IB"},
        {"ib", "IB"},
        {"bf3", "RoCE"},
        {"ethernet", "Ethernet"},
        // A rate of unnamed cards, in clusters of InfiniBand's time.
        {"rdma", "IB"},
        {"inter-node", "IB"},
        {"gbps/node", "IB"},
    }};
    for (const auto& [word, name] : names) {
        if (has_word(text, word)) {
            return std::string(name);
        }
    }
    return std::nullopt;
}

/// Whether a comma at `i` parts thousands: three digits follow it, and no fourth.
bool parts_thousands(const std::string& text, std::size_t i) {
    const auto digit_at = [&](std::size_t at) { return at < text.size() && digit(text[at]); };
    return text[i] == ',' && digit_at(i + 1) && digit_at(i + 2) && digit_at(i + 3) && !digit_at(i + 4);
}

/// The whole number that begins at `i`, "3200" or "3,200", and where it ends.
std::pair<std::int64_t, std::size_t> number_at(const std::string& text, std::size_t i) {
    const std::size_t begin = i;
    std::int64_t x = 0;
    for (; i < text.size() && x < 1'000'000; ++i) {
        if (digit(text[i])) {
            x = x * 10 + (text[i] - '0');
        } else if (i == begin || !parts_thousands(text, i)) {
            break;
        }
    }
    return {x, i};
}

/// A rate in gigabits, and where it stands.
struct Rate {
    std::int64_t gigabits;
    std::size_t begin;
    std::size_t end;
};

/// The first "400Gb/s", "100 Gb", "1600 Gbps" of lower-case `text` whose b is a bit.
std::optional<Rate> first_rate(const std::string& text, std::string_view original_case) {
    for (std::size_t i = 0; i < text.size();) {
        if (!digit(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        const auto [x, end] = number_at(text, i);
        std::size_t unit = end;
        while (unit < text.size() && text[unit] == ' ') {
            ++unit;
        }
        const bool giga = text.compare(unit, 2, "gb") == 0;
        // "504 GB/s" are bytes, of PCIe; the case is lost here, so it is looked up in the original.
        const std::string written = text.substr(begin, end - begin);
        const bool is_bytes = original_case.find(written + " GB/s") != std::string_view::npos ||
                              original_case.find(written + "GB/s") != std::string_view::npos;
        if (giga && !is_bytes && text.compare(unit, 3, "gbe") != 0) {
            return Rate{x, begin, unit + 2};
        }
        i = std::max(end, i + 1);
    }
    return std::nullopt;
}

/// The "8x" or "4 x" that stands before `end`.
std::optional<std::int64_t> count_before(const std::string& text, std::size_t end) {
    std::optional<std::int64_t> found;
    for (std::size_t i = 0; i < end;) {
        if (!digit(text[i])) {
            ++i;
            continue;
        }
        const auto [x, after] = number_at(text, i);
        std::size_t mark = after;
        while (mark < end && text[mark] == ' ') {
            ++mark;
        }
        if (mark < end && text[mark] == 'x' && x > 0) {
            found = x;
        }
        i = std::max(after, i + 1);
    }
    return found;
}

/// The fabric that one part names.
std::optional<StatedFabric> fabric_of(const std::string& text, std::string_view original_case,
                                      std::int64_t per_node) {
    const auto name = fabric_name(text);
    if (!name) {
        return std::nullopt;
    }
    const auto rate = first_rate(text, original_case);
    if (!rate) {
        const bool certain = name->starts_with("EFA") || *name == "Omni-Path";
        return certain ? std::optional(StatedFabric{.name = *name, .per_node = {}, .nics = {}})
                       : std::nullopt;
    }
    using namespace literals;
    const ByteRate card = 1_Gbitps * static_cast<double>(rate->gigabits);
    const std::string_view after = std::string_view(text).substr(rate->end);
    if (after.find("per gpu") != std::string_view::npos || after.find(" a gpu") != std::string_view::npos) {
        return StatedFabric{*name, card * per_node, per_node};
    }
    if (const auto nics = count_before(text, rate->begin)) {
        return StatedFabric{*name, card * *nics, nics};
    }
    return StatedFabric{*name, card};
}

}  // namespace

std::optional<StatedFabric> fabric_from_words(std::string_view words, std::int64_t per_node) {
    if (words.find("single node") != std::string_view::npos) {
        return std::nullopt;
    }
    std::optional<StatedFabric> best;
    for (const std::string& part : compute_networks(words)) {
        const auto fabric = fabric_of(part, words, per_node);
        if (fabric && (!best || fabric->per_node > best->per_node)) {
            best = fabric;
        }
    }
    return best;
}

}  // namespace traincost
