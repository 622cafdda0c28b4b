// Regular expressions of JSON schema's `pattern` (ECMA-262 with the flag u) as trees. Without what is not regular or depends on what
// stands around a place: back references, look-behind, word boundaries. With what Python's expressions have beside: (?i), (?P<name>...).
#pragma once

#include "core/base/error.h"
#include "core/grammar/char_set.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace minerva::grammar {

struct RegexNode {
  enum class Kind : std::uint8_t {
    chars,     // one character of `set`
    sequence,  // `parts`, one after the other
    choice,    // one of `parts`
    repeat,    // parts[0], `least` to `most` times
    start,     // ^
    end,       // $
    ahead,     // (?=parts[0]); with most 0: (?!parts[0])
  } kind = Kind::sequence;
  CharSet set;
  std::vector<std::uint32_t> parts;
  std::uint32_t least = 0, most = 0;
  bool asserts = false;  // it has a start, an end or an ahead in it
};

struct Regex {
  std::vector<RegexNode> nodes;
  std::uint32_t root = 0;  // a choice of sequences
};

// Errors: unsupported, invalidArgument, limit; `where` is empty.
[[nodiscard]] Result<Regex> parseRegex(std::string_view pattern);

}  // namespace minerva::grammar
