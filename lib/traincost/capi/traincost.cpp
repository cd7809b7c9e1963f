#include "traincost/capi/traincost.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "traincost/base/version.hpp"
#include "traincost/capi/answer.hpp"

namespace {

char* copied(const std::string& text) {
    auto* answer = static_cast<char*>(std::malloc(text.size() + 1));
    if (answer != nullptr)
        std::memcpy(answer, text.c_str(), text.size() + 1);
    return answer;
}

}  // namespace

extern "C" char* traincost_ask(const char* json) {
    try {
        return copied(traincost::answer_json(json != nullptr ? json : ""));
    } catch (...) {
        return copied(
            R"({"error": {"kind": "internal", "problems": [{"path": "", "message": "out of memory"}]}})");
    }
}

extern "C" void traincost_free(char* answer) {
    std::free(answer);
}

extern "C" const char* traincost_version() {
    static const std::string text(traincost::version());
    return text.c_str();
}
