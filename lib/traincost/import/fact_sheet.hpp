// Where the readers of formats write what they find.
#pragma once

#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "traincost/import/launch_fact.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// Paths that state the same fact, the one that a framework prefers first.
using Paths = std::initializer_list<std::string_view>;

/// The facts of one format's settings, as they are found. A fact stated twice with different values is a
/// contradiction, and the first stays.
class FactSheet {
public:
    LaunchReading reading;
    bool assumes = true;  ///< defaults are taken; off where another file may hold the settings
    bool experts_multiply_world = false;  ///< gpus = dp·tp·pp·cp·ep, unlike everywhere else
    /// nanoGPT: micro-steps that all ranks share, and what states them. Its train.py insists on even shares;
    /// the programs made from it that are given others do not divide, and each rank makes all.
    std::int64_t shared_steps = 0;
    std::string shared_steps_at;

    bool has(Fact fact) const {
        return reading.facts.contains(fact);
    }
    /// The value of a whole-number fact.
    std::optional<std::int64_t> count(Fact fact) const;
    std::optional<std::string> word(Fact fact) const;
    bool is_stated(Fact fact) const;
    bool is_unreadable(Fact fact) const;

    void state(Fact fact, FactValue value, const Setting& by);
    void state(Fact fact, FactValue value, const std::string& where, How how = How::stated);
    /// What the framework does when nobody says; nothing where the fact is known or stands somewhere
    /// unreadable.
    void assume(Fact fact, FactValue value, std::string_view of_key);
    /// Another sheet's default.
    void assume_as(Fact fact, const LaunchFact& value);
    void add_unreadable(const FactSheet& other);
    void derive(Fact fact, FactValue value, const std::string& from);
    void forget(Fact fact);
    /// A setting that states the fact in a way nobody can read: a placeholder, "auto". No default follows it.
    void unknown(Fact fact, const Setting& by, const std::string& why);
    void contradiction(const std::string& line);
    void remark(const Setting& by, const std::string& why, bool matters = true);

    /// The whole number at the first of `paths` that says anything, at least `low`.
    const Setting* whole(Fact fact, const Setting& root, Paths paths, std::int64_t low = 1);
    /// The word there, as `of` understands it; nothing where `of` gives nothing.
    const Setting* word(Fact fact, const Setting& root, Paths paths);
    /// true/false there.
    const Setting* truth(Fact fact, const Setting& root, Paths paths);

private:
    std::vector<Fact> unreadable_;
};

/// a · b for counts that a file states; the largest number where that is larger, which no job has.
inline std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

/// The first of `paths` that `root` has and that is not null; one that is said goes before an option's
/// default. Counts as read.
const Setting* first_of(const Setting& root, Paths paths);
/// Whether the switch at `path` is on: true, yes, on, 1.
bool is_on(const Setting& root, std::string_view path);

/// "adamw" of "torch.optim.AdamW": what follows the last dot.
std::string last_part(std::string_view dotted);

/// Collects the settings below `root` that no reader asked for.
void list_unread(const Setting& root, std::vector<UnreadSetting>& unread);

}  // namespace traincost
