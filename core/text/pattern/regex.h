// Regular expressions of tokenizer.json (Oniguruma, Ruby syntax), run by PCRE2 with limits, so that a malicious pattern
// cannot hang.
//
// Immutable after compile(), thread-safe. Invalid UTF-8 bytes match as U+FFFD. If a pattern exceeds the limits on a text,
// the rest of that text counts as not matched.
#pragma once

#include "core/base/error.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

struct MatchRange {
  std::size_t begin = 0, end = 0;
};

class Regex {
 public:
  // Errors: corrupt (with the pattern, the offset and PCRE2's message), limit (a pattern of more than 64 KiB).
  [[nodiscard]] static Result<Regex> compile(std::string_view onigurumaPattern);
  // All matches from left to right, including empty ones except directly at the end of the previous match.
  [[nodiscard]] std::vector<MatchRange> matches(std::string_view text) const;

 private:
  struct Code;
  explicit Regex(std::shared_ptr<const Code> code) : m_code(std::move(code)) {}
  [[nodiscard]] std::vector<MatchRange> matchesInValid(std::string_view text) const;
  std::shared_ptr<const Code> m_code;
};

// Translates to PCRE2 syntax what Oniguruma means otherwise: sets of characters (properties.h), (?m), {,3}, a sign after an interval, bytes
// (\xC3\xA9); nested classes and intersections (&&) are expanded. Errors: corrupt (bytes that are no character; `where` and `actual`).
[[nodiscard]] Result<std::string> toPcre2Syntax(std::string_view onigurumaPattern);

}  // namespace minerva::text
