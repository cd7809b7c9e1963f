// Log lines inside JSON objects, as container runtimes and cloud loggers keep them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace traincost {

/// The text that a program printed, of a line like {"log":"step: 1\n","stream":"stdout"}: also under
/// "message", "msg" and "textPayload". Nothing where the line is no such object. Escapes are undone.
std::optional<std::string> text_in_envelope(std::string_view line);

}  // namespace traincost
