#include "traincost/import/fact_sheet.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "traincost/base/contains_any.hpp"
#include "traincost/base/text.hpp"

namespace traincost {

std::optional<std::int64_t> FactSheet::count(Fact fact) const {
    const auto found = reading.facts.find(fact);
    if (found == reading.facts.end()) {
        return std::nullopt;
    }
    const auto* count = std::get_if<std::int64_t>(&found->second.value);
    return count == nullptr ? std::nullopt : std::optional(*count);
}

std::optional<std::string> FactSheet::word(Fact fact) const {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? std::nullopt : std::optional(to_text(found->second.value));
}

bool FactSheet::is_stated(Fact fact) const {
    const auto found = reading.facts.find(fact);
    return found != reading.facts.end() && found->second.how == How::stated;
}

bool FactSheet::is_unreadable(Fact fact) const {
    return std::find(unreadable_.begin(), unreadable_.end(), fact) != unreadable_.end();
}

void FactSheet::state(Fact fact, FactValue value, const Setting& by) {
    by.read = true;
    state(fact, std::move(value), by.where(), by.is_default ? How::by_default : How::stated);
}

namespace {

/// "AdamW" and "adamw_torch" are one optimizer under two names.
bool is_same(Fact fact, const FactValue& a, const FactValue& b) {
    if (a == b || fact != Fact::optimizer) {
        return a == b;
    }
    std::string longer = lower(to_text(a)), shorter = lower(to_text(b));
    if (longer.size() < shorter.size()) {
        std::swap(longer, shorter);
    }
    return longer == shorter || (longer.starts_with(shorter) && longer[shorter.size()] == '_');
}

}  // namespace

void FactSheet::state(Fact fact, FactValue value, const std::string& where, How how) {
    const auto found = reading.facts.find(fact);
    if (found != reading.facts.end() && found->second.how != How::by_default) {
        if (!is_same(fact, found->second.value, value) && how == How::stated) {
            contradiction(std::string(fact_name(fact)) + ": " + to_text(found->second.value) + " (" +
                          found->second.where + ") and " + to_text(value) + " (" + where + ")");
        }
        return;
    }
    reading.facts[fact] = {.value = std::move(value), .where = where, .how = how};
}

void FactSheet::assume(Fact fact, FactValue value, std::string_view of_key) {
    if (assumes && !has(fact) && !is_unreadable(fact)) {
        reading.facts[fact] = {
            .value = std::move(value), .where = "default of " + std::string(of_key), .how = How::by_default};
    }
}

void FactSheet::assume_as(Fact fact, const LaunchFact& value) {
    if (!has(fact) && !is_unreadable(fact)) {
        reading.facts[fact] = value;
    }
}

void FactSheet::add_unreadable(const FactSheet& other) {
    unreadable_.insert(unreadable_.end(), other.unreadable_.begin(), other.unreadable_.end());
}

void FactSheet::derive(Fact fact, FactValue value, const std::string& from) {
    if (!has(fact)) {
        reading.facts[fact] = {.value = std::move(value), .where = from, .how = How::derived};
    }
}

void FactSheet::forget(Fact fact) {
    reading.facts.erase(fact);
    unreadable_.push_back(fact);
}

void FactSheet::unknown(Fact fact, const Setting& by, const std::string& why) {
    unreadable_.push_back(fact);
    if (const auto found = reading.facts.find(fact);
        found != reading.facts.end() && found->second.how == How::by_default) {
        reading.facts.erase(found);
    }
    remark(by, why);
}

void FactSheet::contradiction(const std::string& line) {
    auto& lines = reading.contradictions;
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
        lines.push_back(line);
    }
}

void FactSheet::remark(const Setting& by, const std::string& why, bool matters) {
    by.read = true;
    UnreadSetting unread{.where = by.place(), .key = by.name, .matters = matters, .why = why};
    if (std::find(reading.unread.begin(), reading.unread.end(), unread) == reading.unread.end()) {
        reading.unread.push_back(std::move(unread));
    }
}

namespace {

std::string shown(const Setting& setting) {
    if (!setting.is_scalar()) {
        return setting.is_list() ? "a list" : setting.is_map() ? "a table" : "nothing";
    }
    std::string text = setting.text == "\x01\x01" ? "?" : setting.text.substr(0, 40);
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, '?');
    return "'" + text + "'";
}

}  // namespace

const Setting* FactSheet::whole(Fact fact, const Setting& root, Paths paths, std::int64_t low) {
    const Setting* at = first_of(root, paths);
    if (at == nullptr) {
        return nullptr;
    }
    const std::optional<std::int64_t> x = as_whole(*at);
    if (!x || *x < low) {
        unknown(fact, *at, shown(*at) + " is not a number of " + std::to_string(low) + " or more");
        return nullptr;
    }
    state(fact, *x, *at);
    return at;
}

namespace {

/// "llama-2-7b" of "$MODELS/llama-2-7b": the end of a path whose folder nobody knows, where it tells a
/// model's size or release.
std::optional<std::string> known_end(const std::string& path) {
    const std::size_t open = path.find_last_of("<>{}$\x01");
    const std::size_t slash = path.find('/', open == path.npos ? path.size() : open);
    if (slash == path.npos || path.find_first_of("0123456789", slash) == path.npos) {
        return std::nullopt;
    }
    return path.substr(slash + 1);
}

}  // namespace

const Setting* FactSheet::word(Fact fact, const Setting& root, Paths paths) {
    const Setting* at = first_of(root, paths);
    if (at == nullptr) {
        return nullptr;
    }
    std::optional<std::string> text = as_word(*at);
    if (fact == Fact::model && !text && at->is_scalar()) {
        text = known_end(at->text);
    }
    if (fact == Fact::model && as_truth(*at) && !as_number(*at)) {  // a flag whose word is left out
        unknown(fact, *at, "names no model");
        return nullptr;
    }
    if (!text) {
        unknown(fact, *at, shown(*at) + " is a placeholder");
        return nullptr;
    }
    state(fact, *text, *at);
    return at;
}

const Setting* FactSheet::truth(Fact fact, const Setting& root, Paths paths) {
    const Setting* at = first_of(root, paths);
    if (at == nullptr) {
        return nullptr;
    }
    const std::optional<bool> x = as_truth(*at);
    if (!x) {
        unknown(fact, *at, shown(*at) + " is neither true nor false");
        return nullptr;
    }
    state(fact, *x, *at);
    return at;
}

const Setting* first_of(const Setting& root, Paths paths) {
    const Setting* found = nullptr;
    for (const std::string_view path : paths) {
        const Setting* at = root.at(path);
        const bool better = found == nullptr || (found->is_default && at != nullptr && !at->is_default);
        if (better && at != nullptr && !says_nothing(*at)) {
            found = at;
        }
    }
    return found;
}

bool is_on(const Setting& root, std::string_view path) {
    const Setting* at = root.at(path);
    // A switch of a command line followed by words nobody knows is on.
    return at != nullptr && (as_truth(*at).value_or(false) || at->text == "\x01");
}

std::string last_part(std::string_view dotted) {
    return std::string(dotted.substr(dotted.rfind('.') == dotted.npos ? 0 : dotted.rfind('.') + 1));
}

namespace {

/// Parts of keys that change memory or time, and parts of keys that look like them and do not.
constexpr std::array<std::string_view, 46> matter = {
    "parallel",  "batch",      "seq_len",       "sequence", "max_length", "recompute",  "checkpointing",
    "remat",     "offload",    "precision",     "bf16",     "fp16",       "fp8",        "fp4",
    "dtype",     "zero",       "fsdp",          "shard",    "expert",     "moe",        "lora",
    "quant",     "pack",       "compile",       "optim",    "accumul",    "attention",  "attn",
    "pipeline",  "world_size", "gpu",           "nodes",    "galore",     "freeze",     "liger",
    "cut_cross", "4bit",       "8bit",          "overlap",  "mtp",        "num_layers", "hidden_size",
    "vocab",     "adapter",    "num_processes", "deepspeed"};
constexpr std::array<std::string_view, 25> do_not = {
    "save",  "load_dir",  "eval",    "val_",    "log",   "wandb",  "tensorboard",  "_path", "_dir",
    "/",     "seed",      "warmup",  "dropout", "beta",  "eps",    "weight_decay", "lr",    "interval",
    "test_", "lighteval", "metrics", "profil",  "cache", "_steps", "decay"};

}  // namespace

void list_unread(const Setting& root, std::vector<UnreadSetting>& unread) {
    if (root.read && (root.members.empty() || root.is_list())) {
        return;
    }
    if (root.is_map()) {
        std::unordered_map<std::string_view, const Setting*> last_of;
        for (const SettingMember& m : root.members) {
            last_of[m.key] = &m.value;
        }
        for (const SettingMember& m : root.members) {
            const Setting* last = last_of[m.key];
            if (last != &m.value) {
                unread.push_back(
                    {.where = m.value.place(),
                     .key = m.value.name,
                     .matters = true,
                     .why = "is given again in line " + std::to_string(last->line) + ", which overrides it"});
            } else {
                list_unread(m.value, unread);
            }
        }
        return;
    }
    if (root.name.empty() || root.name.find('$') != std::string::npos) {
        return;  // what the reader of the syntax put there
    }
    std::string key = lower(root.name);
    std::replace(key.begin(), key.end(), '-', '_');
    if (key.starts_with("#sbatch ")) {  // which would tell of a batch
        key.erase(0, key.find(' '));
    }
    const bool matters = !says_nothing(root) && !(as_truth(root) == false) && contains_any(key, matter) &&
                         !contains_any(key, do_not);
    unread.push_back({.where = root.place(), .key = root.name, .matters = matters, .why = ""});
}

}  // namespace traincost
