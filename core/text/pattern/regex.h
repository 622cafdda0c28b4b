// Patterns of tokenizer.json (Oniguruma, Ruby syntax) on PCRE2, with limits: a hostile pattern ends, it does not hang.
//
// Immutable after compile(), thread-safe. Bytes that are no characters match as U+FFFD. Where a pattern exceeds the limits
// on a text, the rest of that text counts as not matched.
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
  // Errors: corrupt (pattern, place and PCRE2's words), limit (a pattern of more than 64 KiB).
  [[nodiscard]] static Result<Regex> compile(std::string_view onigurumaPattern);
  // Every match from left to right; empty ones too, but not right at the end of the match before.
  [[nodiscard]] std::vector<MatchRange> matches(std::string_view text) const;

 private:
  struct Code;
  explicit Regex(std::shared_ptr<const Code> code) : m_code(std::move(code)) {}
  [[nodiscard]] std::vector<MatchRange> matchesInValid(std::string_view text) const;
  std::shared_ptr<const Code> m_code;
};

// The same pattern in PCRE2's syntax: \h, \s, \w as Oniguruma has them, nested classes and intersections (&&) unfolded.
[[nodiscard]] std::string toPcre2Syntax(std::string_view onigurumaPattern);

}  // namespace minerva::text
