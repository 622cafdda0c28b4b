// Arbitrary bytes as a reply with every format of tool calls known: however it is cut, the parts and the calls are the same, and
// every argument is JSON; and what pieces tell of calls is what these have in the end.
#include "core/text/channels.h"
#include "tests/core/text/named_tokens.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace minerva::text;

const NamedTokens& tokenizer() {
  static const NamedTokens made({});
  return made;
}

ChannelFormat formatWith(bool bare) {
  std::string templateSource = "</think>";
  for (const ToolCallFormat& row : toolCallFormats())
    if (row.open.empty() == bare) templateSource += row.inTemplate.empty() ? row.open : row.inTemplate;
  return channelFormatFor(tokenizer(), templateSource);
}

// step: number of bytes given at once; 0: all. ended: by the model; such a reply has tools that it may call by name.
ReplyParts split(const ChannelFormat& format, std::string_view reply, std::size_t step, bool ended) {
  ChannelSplitter splitter(format, tokenizer(), {}, ended ? std::vector<std::string>{"f", "python"} : std::vector<std::string>());
  ReplyParts all;
  for (std::size_t at = 0; at < reply.size(); at += step == 0 ? reply.size() : step)
    all += splitter.text(reply.substr(at, step == 0 ? reply.size() : step));
  return all += splitter.flush(ended);
}

// One of them takes nothing but strings, one has no schema.
const nlohmann::ordered_json& toldTools() {
  static const auto tools = nlohmann::ordered_json::parse(R"([{"function":{"name":"f","parameters":{"properties":{"a":{"type":"string"},
    "b":{"type":["string","null"]},"path":{"enum":["x","y"]}}}}},{"function":{"name":"python"}},{"function":{"name":"g"}}])");
  return tools;
}

// Whether pieces tell of calls what they have.
bool toldRight(const ChannelFormat& format, std::string_view reply, std::size_t step, bool ended) {
  ChannelSplitter splitter(format, tokenizer(), {}, ended ? std::vector<std::string>{"f", "python"} : std::vector<std::string>());
  splitter.tellOfCalls(toldTools());
  ReplyParts all;
  for (std::size_t at = 0; at < reply.size(); at += step) all += splitter.text(reply.substr(at, step));
  all += splitter.flush(ended);
  useDeclaredTypes(all.calls, toldTools());  // which they have already
  std::vector<std::string> told(all.calls.size());
  for (const CallPiece& piece : all.pieces) {
    if (piece.call >= told.size() || piece.name != all.calls[piece.call].name) return false;
    told[piece.call] += piece.arguments;
  }
  for (std::size_t i = 0; i < told.size(); ++i)
    if (all.calls[i].told.value_or(0) != told[i].size() || !argumentsText(all.calls[i]).starts_with(told[i])) return false;
  return true;
}

bool same(const ReplyParts& a, const ReplyParts& b) {
  const auto equal = [](const ToolCall& x, const ToolCall& y) {
    const auto argument = [](const ToolArgument& s, const ToolArgument& t) { return s.name == t.name && s.json == t.json; };
    return x.name == y.name && x.text == y.text && x.place == y.place && std::ranges::equal(x.arguments, y.arguments, argument);
  };
  return a.answer == b.answer && a.reasoning == b.reasoning && a.toolCall == b.toolCall && std::ranges::equal(a.calls, b.calls, equal);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ChannelFormat marked = formatWith(false), bare = formatWith(true);
  const std::string_view reply(reinterpret_cast<const char*>(data), size);
  for (const ChannelFormat* format : {&marked, &bare}) {
    for (const bool ended : {false, true}) {
      const ReplyParts whole = split(*format, reply, 0, ended);
      for (const std::size_t step : {1, 3, 7})
        if (!same(split(*format, reply, step, ended), whole) || !toldRight(*format, reply, step, ended)) std::abort();
      for (const ToolCall& call : whole.calls) {
        if (call.name.empty() || call.place > whole.answer.size()) std::abort();
        for (const ToolArgument& argument : call.arguments)
          if (!nlohmann::json::accept(argument.json)) std::abort();
      }
    }
  }
  return 0;
}
