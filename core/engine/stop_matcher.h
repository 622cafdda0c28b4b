// Holds back text that may be the start of a stop string, and stops at the first complete one.
//
// Emitted text never contains a stop string or part of a matched one. A value type; one per sequence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minerva::engine {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);

  // Returns the text that can be shown now. After a match, all further text is dropped.
  [[nodiscard]] std::string push(std::string_view text);
  // Returns the text still held back, which turned out not to be a stop string.
  [[nodiscard]] std::string flush();
  [[nodiscard]] bool matched() const { return !m_match.empty(); }
  [[nodiscard]] const std::string& match() const { return m_match; }  // empty: none yet

 private:
  [[nodiscard]] std::size_t heldLength() const;
  std::vector<std::string> m_stops;
  std::string m_held;
  std::string m_match;
};

}  // namespace minerva::engine
