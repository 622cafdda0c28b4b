// JSON of clients, who are not trusted, and JSON for them.
#pragma once

#include "core/base/error.h"
#include "core/serve/options.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace minerva::serve {

using Json = nlohmann::ordered_json;

// An object. Errors: invalidArgument (not JSON, not UTF-8, not an object), limit (nesting, members of an object).
[[nodiscard]] Result<Json> parseJson(std::string_view text, const Limits& limits);
// Compact. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string written(const Json& value);

}  // namespace minerva::serve
