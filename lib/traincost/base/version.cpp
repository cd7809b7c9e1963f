#include <traincost/base/version.hpp>

namespace traincost {

std::string_view version() {
    return TRAINCOST_VERSION;
}

}  // namespace traincost
