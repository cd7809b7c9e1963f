// References inside a configuration: ${a.b}, ${.sibling}, ${multiply:4, ${.x}}, ${NAME:default}.
#pragma once

#include "traincost/import/settings/setting.hpp"

namespace traincost {

/// Replaces every reference that the configuration itself answers; the environment is not asked, so that of
/// ${NAME:default} and ${oc.env:NAME,default} the default stays. What nobody answers stays as it is written.
void interpolate(Setting& root);

}  // namespace traincost
