// Reads a large JSON text sequentially without building a document: vocabulary and merges in tokenizer.json have about a
// million strings, those in tekken.json half as many.
//
// After the first error every call returns false, and error() says where it is and what was expected. Not thread-safe.
// Returned views are valid until the next call, and no longer than the text.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace minerva::text {

class JsonCursor {
 public:
  // file, offset: its name, which must outlive the cursor, and the position of `text` in it, for error messages.
  explicit JsonCursor(std::string_view text, std::size_t offset = 0, std::string_view file = "tokenizer.json")
      : m_text(text), m_file(file), m_offset(offset) {}

  void skipSpace();
  // The next character that is not white space, without consuming it; '\0' at the end.
  [[nodiscard]] char peek();
  // Consumes one structural character.
  [[nodiscard]] bool take(char expected);
  // Call after '{' or '[' (with first == true) and after each member. Returns true if another member follows, false at the
  // closing bracket (which is consumed) or on error.
  [[nodiscard]] bool next(char close, bool& first);
  [[nodiscard]] bool string(std::string_view& out);
  [[nodiscard]] bool key(std::string_view& out) { return string(out) && take(':'); }
  [[nodiscard]] bool integer(std::int64_t& out);
  [[nodiscard]] bool number(double& out);
  // Skips any value without parsing it: only brackets and strings are tracked.
  [[nodiscard]] bool skip(std::string_view& raw);

  [[nodiscard]] std::size_t position() const { return m_offset + m_pos; }
  [[nodiscard]] bool failed() const { return !m_expected.empty(); }
  [[nodiscard]] Error error() const;
  bool failAt(std::string expected);  // always returns false

 private:
  bool escaped(std::string_view& out);
  bool escape(std::string& out);
  bool unicodeEscape(std::string& out);
  bool hexDigits(char32_t& unit);

  std::string_view m_text, m_file;
  std::size_t m_offset;
  std::size_t m_pos = 0;
  std::string m_unescaped;
  std::string m_expected;
};

}  // namespace minerva::text
