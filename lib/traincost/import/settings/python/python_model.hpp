// What a Python program says of the model that it trains, by the names of a trainer's command line.
#pragma once

#include <string_view>

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// A name whose value nobody knows.
bool is_open(const Setting& value);

/// A name that was given no value here is none of the values it may have.
void hide_names(Setting& value);

/// Gives `root` the value unless it knows one; null says nothing.
void put(Setting& root, std::string_view key, const Setting* value);

/// Whether a class is a model of language, by its name.
bool is_language_model(std::string_view name);

/// What a call says of the model beside the trainer's arguments: its name, its dimensions, its adapter, its
/// bits.
void put_model(Setting& root, const Setting& call);

}  // namespace traincost
