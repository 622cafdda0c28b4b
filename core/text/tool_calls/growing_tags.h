// Arguments in markup: the tags of a parameter around each value. A value is told when its closing tag is certain, which what follows that
// tag shows; one that can only be a string, while it is written.
//
// Stops for good where the end of the call decides what a slip means: at tags within a value, or others than its format has.
#pragma once

#include "core/text/growing_arguments.h"
#include "core/text/tool_calls/call_tags.h"

#include <nlohmann/json_fwd.hpp>

namespace minerva::text::calls {

class GrowingTags final : public GrowingArguments {
 public:
  // tools: as in useDeclaredTypes(); both stay valid as long as this.
  GrowingTags(const Tags& tags, std::string name, const nlohmann::ordered_json& tools)
      : m_tags(tags), m_name(std::move(name)), m_tools(tools) {}

  // text: what follows the opening tag of the function.
  void read(std::string_view text, std::string& out) override;
  [[nodiscard]] bool isComplete() const override { return m_state == State::complete; }

 private:
  enum class State { begin, betweenParameters, value, text, afterText, complete, stopped };
  struct End {
    std::size_t at = std::string_view::npos;  // of the closing tag, in the value
    std::size_t certain = 0;                  // if there is none yet: bytes that are of the value
  };
  bool step(std::string_view text, std::string& out);
  bool stop();
  bool parameterStep(std::string_view text, std::string& out);
  bool valueStep(std::string_view text, std::string& out);
  bool textStep(std::string_view text, std::string& out);
  bool afterTextStep(std::string_view text);
  [[nodiscard]] bool isString() const;
  [[nodiscard]] End endOfValue(std::string_view rest) const;
  void tellName(std::string& out);
  void tellString(std::string_view certain, std::string& out);
  void tellRest(std::string_view value, std::string& out);

  const Tags& m_tags;
  const std::string m_name;
  const nlohmann::ordered_json& m_tools;
  State m_state = State::begin;
  std::size_t m_at = 0;           // where reading stands; in a value: where that begins
  std::string m_key;              // as in argumentInTags()
  std::size_t m_toldOfValue = 0;  // bytes of it, if it is a string
  bool m_isString = false;
  bool m_hasBegun = false;    // its name was told
  bool m_hasMembers = false;  // so was one before it, or its own
};

}  // namespace minerva::text::calls
