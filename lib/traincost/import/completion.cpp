#include "traincost/import/completion.hpp"

#include <algorithm>
#include <array>

namespace traincost {

namespace {

std::string named(const FactSheet& sheet, Fact fact) {
    return std::string(fact_name(fact)) + " " + to_text(sheet.reading.facts.at(fact).value);
}

/// product = left · right where two of them are known and the division is exact.
void solve(FactSheet& sheet, Fact product, Fact left, Fact right) {
    const auto p = sheet.count(product);
    const auto l = sheet.count(left);
    const auto r = sheet.count(right);
    const auto from = [&](Fact a, const char* sign, Fact b) {
        return named(sheet, a) + sign + named(sheet, b);
    };
    if (!p && l && r) {
        sheet.derive(product, times(*l, *r), from(left, " x ", right));
    } else if (p && l && !r && *l > 0 && *p % *l == 0) {
        sheet.derive(right, *p / *l, from(product, " / ", left));
    } else if (p && !l && r && *r > 0 && *p % *r == 0) {
        sheet.derive(left, *p / *r, from(product, " / ", right));
    } else if (p && l && r && *p != times(*l, *r) && sheet.is_stated(product)) {
        sheet.contradiction(named(sheet, product) + " is not " + from(left, " x ", right));
    }
}

void solve_data_parallel(FactSheet& sheet) {
    const auto tp = sheet.count(Fact::tp);
    const auto pp = sheet.count(Fact::pp);
    const auto cp = sheet.count(Fact::cp);
    if (!tp || !pp || !cp || sheet.experts_multiply_world) {
        return;
    }
    const std::int64_t model = times(times(*tp, *pp), *cp);
    const std::string degrees =
        named(sheet, Fact::tp) + ", " + named(sheet, Fact::pp) + ", " + named(sheet, Fact::cp);
    const auto gpus = sheet.count(Fact::gpus);
    const auto dp = sheet.count(Fact::dp);
    if (gpus && !dp && *gpus % model == 0) {
        sheet.derive(Fact::dp, *gpus / model, named(sheet, Fact::gpus) + " / (" + degrees + ")");
    } else if (gpus && !dp) {
        sheet.contradiction(named(sheet, Fact::gpus) + " cannot be divided by " + degrees);
    } else if (gpus && dp && *gpus != times(*dp, model)) {
        sheet.contradiction(named(sheet, Fact::gpus) + " is not " + named(sheet, Fact::dp) + " x " + degrees);
    } else if (!gpus && dp) {
        sheet.derive(Fact::gpus, times(*dp, model), named(sheet, Fact::dp) + " x " + degrees);
    }
}

void solve_batch(FactSheet& sheet) {
    if (const auto ranks = sheet.count(Fact::dp); ranks && sheet.shared_steps % *ranks != 0) {
        sheet.forget(Fact::global_batch);
        sheet.state(Fact::accumulation, sheet.shared_steps, sheet.shared_steps_at);
    }
    const auto micro = sheet.count(Fact::micro_batch);
    const auto global = sheet.count(Fact::global_batch);
    const auto steps = sheet.count(Fact::accumulation);
    const auto dp = sheet.count(Fact::dp);
    const std::array<Fact, 3> factors = {Fact::micro_batch, Fact::accumulation, Fact::dp};
    const int known = (micro ? 1 : 0) + (steps ? 1 : 0) + (dp ? 1 : 0);
    if (!global && known == 3) {
        sheet.derive(Fact::global_batch, times(times(*micro, *steps), *dp),
                     named(sheet, Fact::micro_batch) + " x " + named(sheet, Fact::accumulation) + " x " +
                         named(sheet, Fact::dp));
        return;
    }
    if (!global || known < 2) {
        return;
    }
    std::int64_t product = 1;
    std::string from = named(sheet, Fact::global_batch) + " / (";
    const Fact* missing = nullptr;
    for (const Fact& factor : factors) {
        if (const auto x = sheet.count(factor)) {
            product = times(product, *x);
            from += (from.back() == '(' ? "" : ", ") + named(sheet, factor);
        } else {
            missing = &factor;
        }
    }
    if (missing == nullptr) {
        if (product != *global) {
            sheet.contradiction(named(sheet, Fact::global_batch) + " is not " +
                                named(sheet, Fact::micro_batch) + " x " + named(sheet, Fact::accumulation) +
                                " x " + named(sheet, Fact::dp));
        }
    } else if (*global % product != 0) {
        sheet.contradiction(from + ") is not a whole number");
    } else {
        sheet.derive(*missing, *global / product, from + ")");
    }
}

}  // namespace

void settle_precision(FactSheet& trainer, FactSheet& launcher) {
    constexpr std::string_view off = "fp32";
    const auto own = trainer.word(Fact::precision);
    const auto around = launcher.word(Fact::precision);
    if (own && around && around == off) {
        launcher.reading.facts.erase(Fact::precision);
    } else if (own && around && own == off) {
        trainer.reading.facts.erase(Fact::precision);
    }
}

void merge_into(FactSheet& sheet, const FactSheet& more) {
    sheet.experts_multiply_world = sheet.experts_multiply_world || more.experts_multiply_world;
    if (sheet.shared_steps == 0) {
        sheet.shared_steps = more.shared_steps;
        sheet.shared_steps_at = more.shared_steps_at;
    }
    for (const auto& [fact, value] : more.reading.facts) {
        if (value.how == How::by_default) {
            sheet.assume_as(fact, value);
        } else {
            sheet.state(fact, value.value, value.where, value.how);
        }
    }
    sheet.add_unreadable(more);
    sheet.reading.loads_narrow = sheet.reading.loads_narrow || more.reading.loads_narrow;
    sheet.reading.deepspeed = sheet.reading.deepspeed || more.reading.deepspeed;
    sheet.reading.dispatches = sheet.reading.dispatches || more.reading.dispatches;
    sheet.reading.as_recipe = sheet.reading.as_recipe || more.reading.as_recipe;
    if (sheet.reading.tokenizer.empty())
        sheet.reading.tokenizer = more.reading.tokenizer;
    for (const UnreadSetting& unread : more.reading.unread) {
        sheet.reading.unread.push_back(unread);
    }
    for (const std::string& line : more.reading.contradictions) {
        sheet.contradiction(line);
    }
}

void keep_common(FactSheet& sheet, const FactSheet& other) {
    std::vector<Fact> differ;
    for (const auto& [fact, mine] : sheet.reading.facts) {
        const auto theirs = other.reading.facts.find(fact);
        if (theirs == other.reading.facts.end() || theirs->second.value != mine.value) {
            differ.push_back(fact);
        }
    }
    for (const Fact fact : differ) {
        const LaunchFact& mine = sheet.reading.facts.at(fact);
        const auto theirs = other.reading.facts.find(fact);
        sheet.contradiction("several jobs are started: " + std::string(fact_name(fact)) + " " +
                            to_text(mine.value) + " (" + mine.where + ") and " +
                            (theirs == other.reading.facts.end()
                                 ? std::string("none")
                                 : to_text(theirs->second.value) + " (" + theirs->second.where + ")"));
        sheet.forget(fact);
    }
    for (const auto& [fact, theirs] : other.reading.facts) {
        if (!sheet.has(fact)) {
            sheet.forget(fact);
        }
    }
}

void complete(FactSheet& sheet) {
    // One micro-step is the default of a global batch that nobody states, not of one nobody can read.
    if (sheet.has(Fact::accumulation) && !sheet.is_stated(Fact::accumulation) &&
        sheet.is_unreadable(Fact::global_batch)) {
        sheet.forget(Fact::accumulation);
    }
    // So is one node of a count of nodes.
    if (sheet.has(Fact::nodes) && !sheet.is_stated(Fact::nodes) && sheet.is_unreadable(Fact::nodes)) {
        sheet.forget(Fact::nodes);
    }
    solve(sheet, Fact::gpus, Fact::nodes, Fact::gpus_per_node);
    if (sheet.count(Fact::gpus) == 1) {
        for (const Fact degree : {Fact::tp, Fact::pp, Fact::cp}) {
            if (!sheet.has(degree)) {
                sheet.derive(degree, std::int64_t{1}, named(sheet, Fact::gpus));
            }
        }
    }
    solve_data_parallel(sheet);
    solve(sheet, Fact::gpus, Fact::nodes, Fact::gpus_per_node);
    solve_batch(sheet);
    solve_data_parallel(sheet);
    const auto ep = sheet.count(Fact::ep);
    const auto gpus = sheet.count(Fact::gpus);
    const auto pp = sheet.count(Fact::pp);
    if (ep && gpus && pp && *gpus / *pp > 0 && *ep > *gpus / *pp) {
        sheet.contradiction(named(sheet, Fact::ep) + " is more than the " + std::to_string(*gpus / *pp) +
                            " ranks of a pipeline stage");
    }
}

void show_unknown(LaunchReading& reading) {
    const auto shown = [](std::string& text) {
        std::replace_if(
            text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, '?');
    };
    for (auto& [fact, value] : reading.facts) {
        shown(value.where);
        if (auto* word = std::get_if<std::string>(&value.value)) {
            shown(*word);
        }
    }
    for (UnreadSetting& unread : reading.unread) {
        shown(unread.key);
        shown(unread.why);
    }
    std::for_each(reading.contradictions.begin(), reading.contradictions.end(), shown);
}

}  // namespace traincost
