// What the scopes of a Python program say of its training: by the names they count with and by what they
// call.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traincost/import/settings/python/python_trainer.hpp"
#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// What several places say, where they agree.
struct Agreed {
    const Setting* at = nullptr;
    bool differs = false;

    void add(const Setting* said);
    const Setting* get() const {
        return differs ? nullptr : at;
    }
};

/// Whether something is made or named for looking at a model rather than training it.
bool is_beside_training(std::string_view name);

/// Every call of the functions that train, and the name whose value holds it.
void visit_training_calls(const std::vector<PythonScope>& scopes,
                          const std::function<void(const std::string&, const Setting&)>& seen);

/// A whole number above 0.
bool is_count(const Setting& value);
/// A string.
bool is_text(const Setting& value);

/// What the program gives one of `names`: on its command line, among its names, in an object of settings.
/// The first name that is given anything decides; nothing where it is given several.
const Setting* told(const std::vector<PythonScope>& scopes, std::span<const std::string_view> names,
                    bool (*wanted)(const Setting&));

/// The same for every name that `means` it; nothing where they are given several.
const Setting* told_by(const std::vector<PythonScope>& scopes, bool (*means)(std::string_view),
                       bool (*wanted)(const Setting&));

/// The length of a sequence: what the tokenizer cuts its rows to, where all its calls agree on one; what the
/// command line says, or a name that means nothing else.
void put_length(Setting& root, const std::vector<PythonScope>& scopes);

}  // namespace traincost
