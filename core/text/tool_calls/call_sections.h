// Calls one after the other, each as `begin` name `separator` JSON `end`: the markers of DeepSeek, Kimi and Solar Open.
#pragma once

#include <string_view>

namespace minerva::text::calls {

struct Sections {
  std::string_view begin, separator, end;
};
inline constexpr Sections deepSeekSections{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"};
inline constexpr Sections kimiSections{"<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"};
inline constexpr Sections solarSections{"<|tool_call:begin|>", "<|tool_call:args|>", "<|tool_call:end|>"};

}  // namespace minerva::text::calls
