// Reads a large JSON text front to back without building it: tokenizer.json's vocabulary and merges have a million strings.
//
// Every call says false (or fails) after the first error; error() tells where and what. Not thread-safe. Views returned
// live until the next call or as long as the text.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace minerva::text {

class JsonCursor {
 public:
  // offset: where `text` begins in the file, for messages.
  explicit JsonCursor(std::string_view text, std::size_t offset = 0) : m_text(text), m_offset(offset) {}

  void skipSpace();
  // The next character that is not white space; '\0' at the end.
  [[nodiscard]] char peek();
  // Takes one structural character.
  [[nodiscard]] bool take(char expected);
  // After '{' or '[' or a value in one: true if another member follows, false at the closing bracket (taken) or on error.
  [[nodiscard]] bool next(char close, bool& first);
  [[nodiscard]] bool string(std::string_view& out);
  [[nodiscard]] bool key(std::string_view& out) { return string(out) && take(':'); }
  [[nodiscard]] bool integer(std::int64_t& out);
  [[nodiscard]] bool number(double& out);
  // Any value, unread: only brackets and strings are followed.
  [[nodiscard]] bool skip(std::string_view& raw);

  [[nodiscard]] std::size_t position() const { return m_offset + m_pos; }
  [[nodiscard]] bool failed() const { return !m_expected.empty(); }
  [[nodiscard]] Error error() const;
  bool failAt(std::string expected);  // always false

 private:
  bool escaped(std::string_view& out);
  bool escape(std::string& out);
  bool unicodeEscape(std::string& out);
  bool hexDigits(char32_t& unit);

  std::string_view m_text;
  std::size_t m_offset;
  std::size_t m_pos = 0;
  std::string m_unescaped;
  std::string m_expected;
};

}  // namespace minerva::text
