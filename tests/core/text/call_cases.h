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

// Splits the reply; text without tokens is cut at these places, in bytes of the reply.
inline Heard splitCalls(const NamedTokens& tokenizer, std::string_view source, std::string_view prompt, std::string_view reply,
                        const std::vector<std::size_t>& cuts, bool ended = false, const std::vector<std::string>& tools = {}) {
  const ChannelFormat format = channelFormatFor(tokenizer, source);
  ChannelSplitter splitter(format, tokenizer, tokenizer.encode(prompt, {}), tools);
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
