// JSON parser for untrusted files: bounded depth, no exceptions, errors with a position.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace minerva::format {

struct JsonLimits {
  std::size_t depth = 64;
  std::size_t bytes = std::size_t{256} << 20;
  bool uniqueKeys = false;  // duplicate keys in an object are an error
  bool infinities = false;  // Infinity and -Infinity, which Python's json writes, are read as null
};

// where: path for the Error. Errors: corrupt (not JSON, a duplicate key), limit (too deep, too large).
[[nodiscard]] Result<nlohmann::json> parseJson(std::string_view text, const std::string& where, JsonLimits limits = {});

}  // namespace minerva::format
