// Regular expressions of JSON schema's `pattern` (ECMA-262) as a grammar of the characters of a JSON string. Without what is not
// regular: look-ahead, back references, word boundaries. Anchors only at the ends of alternatives; where there is none, any text may
// stand before or after.
#pragma once

#include "core/base/error.h"
#include "core/grammar/schema/json_text.h"

#include <string_view>

namespace minerva::grammar {

struct PatternNode {
  NodeId node = 0;
  std::uint64_t least = 0, most = 0;  // characters; most may be `unlimited`
};

// Errors: unsupported, invalidArgument, limit; `where` is empty.
[[nodiscard]] Result<PatternNode> patternNode(Rules& rules, JsonText& json, std::string_view pattern);
// The pattern of a `format`; empty: unknown.
[[nodiscard]] std::string_view patternOfFormat(std::string_view format);

}  // namespace minerva::grammar
