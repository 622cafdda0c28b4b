// The tags of calls in markup, and how their values are read (calls_in_markup.cpp, growing_tags.cpp).
#pragma once

#include "core/text/tool_calls/call_reader.h"

namespace minerva::text::calls {

struct Tags {
  std::string_view function, parameter;  // up to the name
  std::string_view endOfName;
  std::string_view endOfParameter, endOfFunction;  // endOfFunction is empty if the marker that closes calls does that
  // What is not part of a value: a line break after the opening tag and one before the closing tag, the same only if both are there, or
  // nothing.
  enum class Lines { each, both, none } lines;
  std::string_view openText = {}, closeText = {};  // around a value that is a string and may have tags in it; empty: none
  std::string_view value = {};                     // between name and value; empty: the end of the name is the beginning of the value
};
inline constexpr Tags qwenTags{"<function=", "<parameter=", ">", "</parameter>", "</function>", Tags::Lines::each};
// What models that know Qwen's tags write at times.
inline constexpr Tags namedQwenTags{"<function name=\"", "<parameter name=\"", "\">", "</parameter>", "</function>", Tags::Lines::each};
inline constexpr Tags seedTags{"<function=", "<parameter=", ">", "</parameter>", "</function>", Tags::Lines::both};
inline constexpr Tags miniMaxTags{"<invoke name=\"", "<parameter name=\"", "\">", "</parameter>", "</invoke>", Tags::Lines::both};
inline constexpr Tags atemTags{"<atem:invoke name=\"", "<atem:parameter name=\"", "\">",
                               "</atem:parameter>",    "</atem:invoke>",          Tags::Lines::none};
inline constexpr Tags miniCpmTags{"<function name=\"", "<param name=\"",  "\">",       "</param>",
                                  "</function>",       Tags::Lines::none, "<![CDATA[", "]]>"};
inline constexpr Tags dsmlTags{"<｜DSML｜invoke name=\"", "<｜DSML｜parameter name=\"", "\">",
                               "</｜DSML｜parameter>",    "</｜DSML｜invoke>",          Tags::Lines::none};

// A line break ends a name as well, before which models forget the end of Qwen's tags.
[[nodiscard]] bool lineEndsName(const Tags& tags);
// Takes the name in an opening tag, and the end of the tag.
bool takeNameInTag(CallReader& reader, const Tags& tags, std::string_view& name);
[[nodiscard]] std::string_view withoutLinesAround(std::string_view value, Tags::Lines lines);
// DeepSeek's tags tell the type after the name, which is part of the key here: name="k" string="true".
[[nodiscard]] ToolArgument argumentInTags(std::string_view key, std::string_view value);
constexpr std::string_view typeAfterName = "\" string=\"";

}  // namespace minerva::text::calls
