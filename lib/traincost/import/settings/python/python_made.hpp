// What a Python program makes by calling classes: maps that know their class ("$class").
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// "peft.LoraConfig": what is called; empty where nothing is.
std::string_view class_path(const Setting& made);

/// "LoraConfig" of it: what follows the last dot.
std::string_view class_name(const Setting& made);

/// Every call in `value`, the outer one first.
void visit_calls(const Setting& value, const std::function<void(const Setting&)>& seen);

/// min(a, b); what a tokenizer can take at most is more than what a program asks for.
std::optional<Setting> lesser(const std::vector<Setting>& two);

/// Whether a device that nobody knows is the one named: what is counted here trains on GPUs.
std::optional<bool> is_device(const Setting& device, const Setting& name);

/// Whether a question is whether something of an earlier run is there: a run begins without it.
bool is_checkpoint(std::string_view question, const Setting& path);

}  // namespace traincost
