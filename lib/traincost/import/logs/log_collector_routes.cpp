// Lines of the forms that frameworks print: found by their anchors, or, where their shape was read before, by
// the way that the earlier line went.

#include <string>

#include "traincost/import/logs/lines/log_scan.hpp"
#include "traincost/import/logs/log_collector.hpp"

namespace traincost {

/// Reads the line as of form `i`, whose anchor stands at `at`; what it was.
LogCollector::Taken LogCollector::take_as(std::size_t i, std::size_t at, const LogLine& line,
                                          LogTrace& trace) {
    const LogForm& form = forms_[i];
    Taken taken = Taken::nothing;
    for (std::size_t begin = 0;;) {
        const std::string_view text = line.text.substr(begin);
        LogFacts& facts = facts_;
        facts.clear();
        facts.decimals = {};
        facts.trace = &trace;
        trace.begin();
        const bool read = form.read(text, begin == 0 ? at : 0, facts);
        facts.trace = nullptr;
        const std::size_t next = facts.next;
        if (read) {
            drop_cut_number(form.family, facts, line);
            keep_memory(facts);
            if (!facts.iteration) {
                side(form.family, facts, line.number);
                if (form.family == LogFamily::hugging_face || form.family == LogFamily::megatron) {
                    look_for_dialects(form.family, text, facts, dialects_);
                }
                return Taken::beside;
            }
            step(form.family, facts, {line.number, text.substr(0, next == 0 ? text.npos : next), line.ended});
            taken = Taken::step;
        }
        if (next == 0) {
            return taken;
        }
        way_.reset();  // a line of several steps
        begin += next;
    }
}

/// Whether the line is a step, or one of which nothing is to be looked at any more.
bool LogCollector::take_by_forms(const LogLine& line) {
    bool routed = true;  // what a form says of the line, it says of all lines of its shape
    // Most lines of most logs are of the same form as the last step.
    const std::size_t at =
        trusted_form() != 0 ? find_in(line.text, forms_[last_form_].anchor) : line.text.npos;
    if (at != line.text.npos) {
        way_ = {.form = last_form_, .step = true};
        if (take_as(last_form_, at, line, trace_) == Taken::step) {
            return true;
        }
        routed = false;
        way_.reset();
    }
    if (take_known(line)) {
        return true;
    }
    anchors_.find(line.text, hits_);
    if (!hits_.any()) {
        return true;
    }
    words_ |= hits_.from(forms_.size());
    for (std::size_t i = 0; i < forms_.size(); ++i) {
        if (!hits_.has(i)) {
            continue;
        }
        way_ = routed ? std::optional(LogRoute{.form = i, .searched = true}) : std::nullopt;
        const Taken taken = take_as(i, hits_.first[i], line, trace_);
        if (taken == Taken::step) {
            if (way_) {
                way_->step = true;
            }
            count_form(i);
            return true;
        }
        if (taken == Taken::beside) {
            break;
        }
        routed &= !trace_.is_doubtful();
        way_ = routed ? std::optional(LogRoute{}) : std::nullopt;
    }
    if (way_) {
        way_->words = hits_.from(forms_.size());
    }
    return false;
}

void LogCollector::count_form(std::size_t form) {
    same_form_ = form == last_form_ ? same_form_ + 1 : 0;
    last_form_ = form;
}

/// What the words of a line mean that is no step of a form.
void LogCollector::take_words(const LogLine& line, std::uint64_t words) {
    const auto here = [&](LogWord w) { return (words >> static_cast<int>(w) & 1U) != 0; };
    using enum LogWord;
    if (here(step_cell) || here(epoch_cell)) {
        metrics_.begin_cells();
        take_metrics(line);
        return;
    }
    if (here(step_word) && metrics_.begin_block(line.text)) {
        return;
    }
    const bool numbered = here(step_word) || here(iter_word) || here(batch_word) || here(loss_behind_bar);
    if (numbered || here(epoch_word) || here(train_title)) {
        take_named(line, numbered);
    }
    const bool beside = here(evaluation) || here(validation) || here(validation_loss) ||
                        here(validation_loss_key) || here(checkpoint) || here(checkpoint_title);
    const bool start = here(training_starts) || here(training_begins) || here(resuming);
    if (beside || start) {
        metrics_.forget_named_shape();
    }
    beside_ |= beside;
    start_ |= start;
}

/// Whether nothing around the line has a say in how it is read.
bool LogCollector::stands_alone(const LogLine& line) const {
    const bool no_header = lines_of_file_ >= lines_before_names || line.text.starts_with("{\"");
    return line.ended && head_of_bar_.empty() && no_header && metrics_.is_idle();
}

/// Takes a line of a known shape as the earlier one was taken; false where it is to be read in full.
bool LogCollector::take_by_route(const LogLine& line) {
    LogRoute* const route = routes_.find(line.text, trusted_form());
    if (route == nullptr) {
        return false;
    }
    if (wrapped_ && continue_wrapped(line)) {
        return true;
    }
    if (route->form) {
        const std::size_t at = find_in(line.text, forms_[*route->form].anchor);
        const Taken taken = take_as(*route->form, at, line, route->trace);
        if (taken == Taken::nothing) {
            return false;
        }
        if (taken == Taken::step) {
            if (route->searched) {
                count_form(*route->form);
            }
            return true;
        }
    }
    take_words(line, route->words);
    return true;
}

/// Learns the way of a line that was just read, unless more than its shape had a say; `shapes`: those of
/// named values, before.
void LogCollector::learn_route(const LogLine& line, std::size_t shapes) {
    const bool alone = stands_alone(line) && metrics_.shapes() == shapes;
    const bool bars = line.text.front() == '|' || line.text.starts_with("[{");
    const bool holds_object =
        !line.text.starts_with("{\"") && line.text.ends_with('}') && holds(line.text, "{\"");
    if (!alone || bars || holds_object) {
        return;
    }
    way_->trace = trace_;
    routes_.learn(line.text, *way_);
}

}  // namespace traincost
