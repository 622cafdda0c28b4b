// Holds back text that may be the beginning of a stop string, and ends at the first that is complete.
//
// What was emitted never contains a stop string, nor the beginning of one that came to its end. Values; one a sequence.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace minerva::engine {

class StopMatcher {
 public:
  explicit StopMatcher(std::vector<std::string> stops);

  // The text that can be shown now. Once matched() is true, everything later is dropped.
  [[nodiscard]] std::string push(std::string_view text);
  // What is still held back: no stop string, as it turned out.
  [[nodiscard]] std::string flush();
  [[nodiscard]] bool matched() const { return m_matched; }

 private:
  [[nodiscard]] std::size_t heldLength() const;
  std::vector<std::string> m_stops;
  std::string m_held;
  bool m_matched = false;
};

}  // namespace minerva::engine
