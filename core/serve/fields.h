// Typed fields of a request. A field that is missing or null gives nullopt; one of the wrong type or out of range is an error
// (invalidArgument) whose `where` is the field's name.
#pragma once

#include "core/serve/parse_json.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minerva::serve {

[[nodiscard]] std::unexpected<Error> wrongField(const std::string& field, const std::string& expected, const std::string& actual);
// A value that clients may send to other servers: unsupported.
[[nodiscard]] std::unexpected<Error> notServed(const std::string& where, const std::string& expected, const std::string& actual,
                                               const char* hint = "");
// Null if the field is missing or null.
[[nodiscard]] const Json* present(const Json& body, const char* field);

[[nodiscard]] Result<std::optional<bool>> boolField(const Json& body, const char* field);
[[nodiscard]] Result<std::optional<std::string>> stringField(const Json& body, const char* field);
// The text that an object within the request must have; path: the object's.
[[nodiscard]] Result<std::string> textMember(const Json& object, const char* field, const std::string& path);
// A finite number in [least, most].
[[nodiscard]] Result<std::optional<double>> numberField(const Json& body, const char* field, double least, double most);
// An integer in [least, most]; 3.0 counts as one.
[[nodiscard]] Result<std::optional<std::int64_t>> integerField(const Json& body, const char* field, std::int64_t least, std::int64_t most);
// A string, or an array of at most `most` strings. Empty ones are left out.
[[nodiscard]] Result<std::vector<std::string>> stringsField(const Json& body, const char* field, std::size_t most);
// Error: unsupported, if the field is there and is none of the values that ask for nothing (false, 0, "", {}, []).
[[nodiscard]] Result<void> refuseField(const Json& body, const char* field);

// A field's name here, and the one by which the client sent it.
using SentAs = std::pair<std::string_view, std::string_view>;
// Of an error about a field that was translated: names what the client sent. The first name that `where` begins with counts.
[[nodiscard]] Error asSent(Error error, std::span<const SentAs> names);

}  // namespace minerva::serve
