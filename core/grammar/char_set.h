// A set of Unicode scalar values. A value type.
#pragma once

#include <string_view>
#include <vector>

namespace minerva::grammar {

class CharSet {
 public:
  struct Range {
    char32_t first, last;
    friend auto operator<=>(const Range&, const Range&) = default;
  };

  CharSet() = default;
  CharSet(char32_t first, char32_t last) { add(first, last); }
  // The characters of a UTF-8 text.
  [[nodiscard]] static CharSet of(std::string_view characters);
  [[nodiscard]] static CharSet everything() { return {0, 0x10FFFF}; }

  // Surrogates are left out.
  void add(char32_t first, char32_t last);
  void add(const CharSet& other);
  [[nodiscard]] CharSet complement() const;
  [[nodiscard]] CharSet without(const CharSet& other) const;
  [[nodiscard]] CharSet common(const CharSet& other) const { return without(other.complement()); }

  [[nodiscard]] bool empty() const { return m_ranges.empty(); }
  [[nodiscard]] bool contains(char32_t c) const { return containsAll(c, c); }
  [[nodiscard]] bool containsAll(char32_t first, char32_t last) const;
  [[nodiscard]] bool meets(char32_t first, char32_t last) const;
  [[nodiscard]] const std::vector<Range>& ranges() const { return m_ranges; }  // in order, not touching
  friend auto operator<=>(const CharSet&, const CharSet&) = default;

 private:
  std::vector<Range> m_ranges;
};

}  // namespace minerva::grammar
