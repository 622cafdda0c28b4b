// Replies with calls of tools, cut at every byte, and what the splitter makes of them.
#pragma once

#include "core/text/channels.h"
#include "named_tokens.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace minerva::text {

// "f(a=1, b="x")" for comparison; text that is not arguments follows in braces.
inline std::string shown(const std::vector<ToolCall>& calls) {
  std::string all;
  for (const ToolCall& call : calls) {
    all += (all.empty() ? "" : "; ") + call.name + '(';
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      all += (i > 0 ? ", " : "") + call.arguments[i].name + '=' + call.arguments[i].json;
    all += ')';
    if (!call.text.empty()) all += '{' + call.text + '}';
  }
  return all;
}

struct Heard {
  ReplyParts parts;
  std::string ordered;  // the answer with the calls at their places
};

inline void add(Heard& heard, const ReplyParts& more) {
  std::size_t done = 0;
  for (const ToolCall& call : more.calls) {
    heard.ordered += more.answer.substr(done, call.place - done) + '[' + shown({call}) + ']';
    done = call.place;
  }
  heard.ordered += more.answer.substr(done);
  heard.parts += more;
}

// What pieces told of calls is what these have.
inline void checkPieces(const ReplyParts& parts, const char* name) {
  std::vector<std::string> told(parts.calls.size());
  std::vector<bool> begun(parts.calls.size());
  std::size_t last = 0;
  for (const CallPiece& piece : parts.pieces) {
    ASSERT_LT(piece.call, told.size()) << name;
    ASSERT_GE(piece.call, last) << name;
    ASSERT_EQ(piece.begins, !begun[piece.call]) << name;
    ASSERT_EQ(piece.name, parts.calls[piece.call].name) << name;
    begun[last = piece.call] = true;
    told[piece.call] += piece.arguments;
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    ASSERT_EQ(parts.calls[i].told.has_value(), begun[i]) << name;
    ASSERT_EQ(parts.calls[i].told.value_or(0), told[i].size()) << name;
    ASSERT_TRUE(argumentsText(parts.calls[i]).starts_with(told[i])) << name << ": " << told[i] << ", " << argumentsText(parts.calls[i]);
  }
}

// Tools without schemas.
inline nlohmann::ordered_json toolsNamed(const std::vector<std::string>& names) {
  auto tools = nlohmann::ordered_json::array();
  for (const std::string& name : names) tools.push_back({{"type", "function"}, {"function", {{"name", name}}}});
  return tools;
}

// Splits the reply; text without tokens is cut at these places, in bytes of the reply.
inline Heard splitCalls(const NamedTokens& tokenizer, std::string_view source, std::string_view prompt, std::string_view reply,
                        const std::vector<std::size_t>& cuts, bool ended = false, const std::vector<std::string>& tools = {},
                        const std::vector<std::string>& told = {}) {
  const ChannelFormat format = channelFormatFor(tokenizer, source);
  ChannelSplitter splitter(format, tokenizer, tokenizer.encode(prompt, {}), tools);
  if (!told.empty()) splitter.tellOfCalls(toolsNamed(told));
  Heard heard;
  std::string text;
  std::size_t place = 0;
  for (const TokenId id : tokenizer.encode(reply, {})) {
    if (std::find(cuts.begin(), cuts.end(), place) != cuts.end()) add(heard, splitter.text(std::exchange(text, {})));
    place += tokenizer.piece(id).size();
    if (format.isMarker(id)) {
      add(heard, splitter.text(std::exchange(text, {})));
      add(heard, splitter.marker(id));
    } else if (!tokenizer.isControl(id)) {
      text += tokenizer.piece(id);
    }
  }
  add(heard, splitter.text(text));
  add(heard, splitter.flush(ended));
  return heard;
}

struct CallCase {
  const char *name, *reply, *calls, *answer = "";
  const char* reasoning = "";
};

inline std::vector<std::string> namesOf(const std::vector<ToolCall>& calls) {
  std::vector<std::string> names;
  for (const ToolCall& call : calls) names.push_back(call.name);
  return names;
}

// Uncut, cut in two at every byte, and byte by byte. ended: by the model.
inline void checkCalls(const NamedTokens& tokenizer, std::string_view source, std::span<const CallCase> cases, bool ended = false,
                       const std::vector<std::string>& tools = {}) {
  for (const CallCase& c : cases) {
    const std::size_t size = std::string_view(c.reply).size();
    std::vector<std::size_t> everywhere(size);
    for (std::size_t i = 0; i < size; ++i) everywhere[i] = i;
    for (std::size_t cut = 0; cut <= size; ++cut) {
      const Heard got = splitCalls(tokenizer, source, "", c.reply, cut == size ? everywhere : std::vector<std::size_t>{cut}, ended, tools);
      ASSERT_EQ(shown(got.parts.calls), c.calls) << c.name << ", cut at " << cut;
      ASSERT_EQ(got.parts.answer, c.answer) << c.name << ", cut at " << cut;
      ASSERT_EQ(got.parts.reasoning, c.reasoning) << c.name << ", cut at " << cut;
      // Where pieces tell of calls, the calls are the same.
      const Heard told = splitCalls(tokenizer, source, "", c.reply, cut == size ? everywhere : std::vector<std::size_t>{cut}, ended, tools,
                                    namesOf(got.parts.calls));
      ASSERT_EQ(shown(told.parts.calls), c.calls) << c.name << ", told, cut at " << cut;
      ASSERT_EQ(told.parts.answer, c.answer) << c.name << ", told, cut at " << cut;
      ASSERT_NO_FATAL_FAILURE(checkPieces(told.parts, c.name)) << "cut at " << cut;
      for (const ToolCall& call : got.parts.calls)
        for (const ToolArgument& argument : call.arguments)
          ASSERT_TRUE(nlohmann::json::accept(argument.json)) << c.name << ": " << argument.json;
    }
  }
}

// The same with the markers as tokens of the vocabulary and as plain text.
inline void checkBoth(std::vector<std::string> markers, std::string_view source, std::span<const CallCase> cases) {
  checkCalls(NamedTokens(std::move(markers)), "", cases);
  checkCalls(NamedTokens({}), source, cases);
}

}  // namespace minerva::text
