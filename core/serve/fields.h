// Typed fields of a request. A field that is missing or null gives nullopt; one of the wrong type or out of range is an error
// (invalidArgument) whose `where` is the field's name.
#pragma once

#include "core/serve/parse_json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace minerva::serve {

[[nodiscard]] std::unexpected<Error> wrongField(const std::string& field, const std::string& expected, const std::string& actual);
// Null if the field is missing or null.
[[nodiscard]] const Json* present(const Json& body, const char* field);

[[nodiscard]] Result<std::optional<bool>> boolField(const Json& body, const char* field);
[[nodiscard]] Result<std::optional<std::string>> stringField(const Json& body, const char* field);
// A finite number in [least, most].
[[nodiscard]] Result<std::optional<double>> numberField(const Json& body, const char* field, double least, double most);
// An integer in [least, most]; 3.0 counts as one.
[[nodiscard]] Result<std::optional<std::int64_t>> integerField(const Json& body, const char* field, std::int64_t least, std::int64_t most);
// A string, or an array of at most `most` strings. Empty ones are left out.
[[nodiscard]] Result<std::vector<std::string>> stringsField(const Json& body, const char* field, std::size_t most);
// Error: unsupported, if the field is there and is none of the values that ask for nothing (false, 0, "", {}, []).
[[nodiscard]] Result<void> refuseField(const Json& body, const char* field);

}  // namespace minerva::serve
