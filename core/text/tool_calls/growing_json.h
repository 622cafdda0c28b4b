// Arguments that are a JSON object.
//
// Stops for good at the first character that JSON does not have there, since only the end of the call tells what such a slip means
// (json_slips.cpp), and waits where a slip may still come: a comma may precede a closing bracket, and a number or an escape may go on.
#pragma once

#include "core/text/growing_arguments.h"

namespace minerva::text::calls {

class GrowingJson final : public GrowingArguments {
 public:
  // text: from the first brace on.
  void read(std::string_view text, std::string& out) override;
  [[nodiscard]] bool isComplete() const override { return m_expected == Expected::nothing; }

 private:
  enum class Expected { object, value, valueOrClose, key, keyOrClose, commaOrClose, nothing };
  bool step(std::string_view text, std::string& out);
  bool stringStep(std::string_view text, std::string& out);
  bool escapeStep(std::string_view text, std::string& out);
  bool keyStep(std::string_view text, std::string& out);
  bool valueStep(std::string_view text, std::string& out);
  bool closeStep(char c, std::string& out);
  void open(char c, std::string& out);
  void take(std::string_view more, std::string& out);
  void stop() { m_stopped = true; }
  [[nodiscard]] bool isOuter() const { return m_open.size() == 1; }

  Expected m_expected = Expected::object;
  std::size_t m_at = 0;
  std::string m_open;    // brackets
  std::string m_before;  // inside values: a comma and white space, which belong to what follows
  bool m_inString = false, m_hasMembers = false, m_stopped = false;
};

}  // namespace minerva::text::calls
