// What a launch file says, as the tests of its readers ask for it.
#pragma once

#include <traincost/import/importers.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace traincost::test {

/// What is read of one file with this text.
inline LaunchReading said_in(const std::string& text, std::string_view select = {}) {
    return read_launch_files(std::vector<LaunchFile>{{"job", text}}, select);
}

/// What is read of a program of one's own and the command that starts it.
inline LaunchReading said_of(const std::string& program, const std::string& command) {
    return read_launch_files(std::vector<LaunchFile>{{"train.py", program}, {"run.sh", command + "\n"}}, {});
}

/// The end of such a program: the model, and a step.
inline const std::string loop_of =
    "model = AutoModelForCausalLM.from_pretrained('acme/m-1b')\n"
    "loss = model(**batch).loss\nloss.backward()\n";

/// "4096"; "-" where the fact is absent.
inline std::string said(const LaunchReading& reading, Fact fact) {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? "-" : to_text(found->second.value);
}

/// "job:3 --seq-length"; "-" where the fact is absent.
inline std::string where_said(const LaunchReading& reading, Fact fact) {
    const auto found = reading.facts.find(fact);
    return found == reading.facts.end() ? "-" : found->second.where;
}

/// Whether a setting that matters was not understood.
inline bool is_unread(const LaunchReading& reading, const std::string& key) {
    return std::any_of(reading.unread.begin(), reading.unread.end(),
                       [&](const UnreadSetting& unread) { return unread.key == key && unread.matters; });
}

}  // namespace traincost::test
