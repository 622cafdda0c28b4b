// Which controls of its reasoning a chat template knows: a switch (enable_thinking, thinking, reasoning) and levels of
// effort (reasoning_effort, thinking_effort). Implemented in template/.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

struct ReasoningControls {
  bool canSwitch = false;
  std::string switchVariable;  // the boolean variable that switches; empty if canSwitch is false
  bool onByDefault = true;     // whether the model reasons if the variable is not given
  // The values that the template knows, weakest first; empty if it has no levels.
  std::vector<std::string> efforts;
  std::string effortVariable;  // empty if efforts is
  std::string defaultEffort;   // the value that the template assumes; empty: none of `efforts` is the same as saying nothing
  friend bool operator==(const ReasoningControls&, const ReasoningControls&) = default;
};

// Renders a short conversation with different values of the known variables and compares the prompts, because templates read
// these variables in too many ways to recognize them by their text. A template that cannot be parsed or rendered has none,
// and neither has one for which all this takes longer than `time`.
[[nodiscard]] ReasoningControls reasoningControlsOf(std::string_view templateSource,
                                                    std::chrono::milliseconds time = std::chrono::milliseconds(2000));

}  // namespace minerva::text
