// What takes the values of a line: a reference to a function, called for every one of them.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace traincost {

/// Refers to a function that takes `Values`, and must not outlive it: a parameter, cheaper to make than a
/// std::function.
template <class... Values>
class LogTaker {
public:
    template <class Function, std::enable_if_t<!std::is_same_v<std::decay_t<Function>, LogTaker>, int> = 0>
    LogTaker(Function&& function)  // NOLINT(google-explicit-constructor): a function is passed as it is
        : function_(const_cast<void*>(static_cast<const void*>(std::addressof(function)))),
          call_([](void* to, Values... values) {
              (*static_cast<std::remove_reference_t<Function>*>(to))(std::move(values)...);
          }) {
    }
    void operator()(Values... values) const {
        call_(function_, std::move(values)...);
    }

private:
    void* function_;
    void (*call_)(void*, Values...);
};

}  // namespace traincost
