// The members of a question as the texts that flags would have.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "traincost/base/error.hpp"
#include "traincost/import/importers.hpp"
#include "traincost/io/json.hpp"
#include "traincost/spec/draft/job_fields.hpp"

namespace traincost {

/// The text that a flag would have.
std::string flag_text(const JsonNode& node);

/// The texts of a list: an array of names or numbers, or one text with commas.
std::string list_text(const JsonNode& node);

/// A file whose text is in the question.
LaunchFile file_in(const JsonNode& node);

/// An `Error` with its messages under the flag that the caller's member stands for.
Error at_flag(std::string_view flag, const Error& error);

/// What a member says of the job. A wrong true or false is named as such, not as the text it is read as.
void say_member(JobDraft& draft, const JobField& field, const JsonNode& node);

/// The members of an object, each a number. `Error` of kind input for another.
std::map<std::string, double> numbers_in(const JsonNode& node);

}  // namespace traincost
