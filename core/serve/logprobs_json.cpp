#include "core/serve/logprobs_json.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <string_view>

namespace minerva::serve {
namespace {

// JSON has no minus infinity; OpenAI writes this number.
double finite(float logprob) { return std::max(static_cast<double>(logprob), -9999.0); }

// Parts of characters as OpenAI writes them in completions, so that no two tokens are one member.
std::string completionToken(engine::TokenId id, const text::Tokenizer& tokenizer) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string bytes = tokenizer.piece(id);
  if (utf8::isValid(bytes)) return bytes;
  std::string out = "bytes:";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
  }
  return out;
}

Json tokenJson(engine::TokenId id, float logprob, const text::Tokenizer& tokenizer) {
  const std::string bytes = tokenizer.piece(id);
  Json list = Json::array();
  for (const char c : bytes) list.push_back(static_cast<unsigned char>(c));
  return {{"id", id}, {"token", utf8::replaceBroken(bytes)}, {"logprob", finite(logprob)}, {"bytes", std::move(list)}};
}

}  // namespace

Json chatLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer) {
  Json content = Json::array();
  for (const TokenProbability& one : tokens) {
    Json made = tokenJson(one.token, one.logprobs.chosen, tokenizer);
    made["top_logprobs"] = Json::array();
    for (const engine::TokenLogprob& top : one.logprobs.top) made["top_logprobs"].push_back(tokenJson(top.token, top.logprob, tokenizer));
    content.push_back(std::move(made));
  }
  if (content.empty()) return {};
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

// An array alone; of chats', without ids, and without a list of others that is empty.
Json ollamaLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer) {
  Json made = chatLogprobs(tokens, tokenizer);
  if (made.is_null()) return made;
  for (Json& one : made["content"]) {
    one.erase("id");
    for (Json& other : one["top_logprobs"]) other.erase("id");
    if (one["top_logprobs"].empty()) one.erase("top_logprobs");
  }
  return std::move(made["content"]);
}

Json textLogprobs(const std::vector<TokenProbability>& tokens, const text::Tokenizer& tokenizer) {
  Json out{{"tokens", Json::array()}, {"token_logprobs", Json::array()}, {"top_logprobs", Json::array()}, {"text_offset", Json::array()}};
  for (const TokenProbability& one : tokens) {
    out["tokens"].push_back(completionToken(one.token, tokenizer));
    out["token_logprobs"].push_back(finite(one.logprobs.chosen));
    Json top = Json::object();
    for (const engine::TokenLogprob& likely : one.logprobs.top) top[completionToken(likely.token, tokenizer)] = finite(likely.logprob);
    out["top_logprobs"].push_back(std::move(top));
    out["text_offset"].push_back(one.offset);
  }
  if (out["tokens"].empty()) return {};
  return out;
}

}  // namespace minerva::serve
