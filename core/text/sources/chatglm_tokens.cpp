#include "core/text/sources/chatglm_tokens.h"

#include <algorithm>

namespace minerva::text {
namespace {

using nlohmann::json;

constexpr std::string_view commands[] = {"[MASK]", "[gMASK]", "[sMASK]", "sop", "eop"};
constexpr std::string_view roles[] = {"<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"};

std::string textIn(const json& object, const char* name) {
  const json value = object.is_object() ? object.value(name, json()) : json();
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool namesRoles(const json& tokenizerConfig) {
  if (textIn(tokenizerConfig, "chat_template").find("<|user|>") != std::string::npos) return true;
  const json tokens = tokenizerConfig.is_object() ? tokenizerConfig.value("added_tokens_decoder", json()) : json();
  return tokens.is_object() && std::ranges::any_of(tokens, [](const json& token) { return textIn(token, "content") == "<|user|>"; });
}

// ChatGLM2 and what was made from it has no tokens of roles. Both generations name the same class; folders tell them apart by a name.
enum class Generation { second, third, unknown };
Generation generationOf(const TokenizerJsonContext& context) {
  const std::string names = textIn(context.modelConfig, "_name_or_path") + " " + textIn(context.tokenizerConfig, "name_or_path");
  const auto named = [&](const char* part) { return names.find(part) != std::string::npos; };
  if (named("chatglm3") || namesRoles(context.tokenizerConfig)) return Generation::third;
  return named("chatglm2") || named("codegeex2") ? Generation::second : Generation::unknown;
}

}  // namespace

bool isChatGlm(const TokenizerJsonContext& context) { return textIn(context.tokenizerConfig, "tokenizer_class") == "ChatGLMTokenizer"; }

Result<ChatGlmTokens> chatGlmTokens(const TokenizerJsonContext& context, Vocabulary& vocabulary) {
  ChatGlmTokens tokens;
  // "sop" may be a piece as well, of words: then the token has another name in the vocabulary. Only in a prompt's prefix is it no word.
  const auto add = [&](std::string_view text) -> Result<TokenId> {
    AddedToken token;
    token.id = static_cast<TokenId>(vocabulary.size());
    token.text = text;
    token.special = true;
    if (text == "sop" || text == "eop") token.follows = tokens.prefix.front();
    if (!vocabulary.add(token.id, text, TokenKind::control) && !vocabulary.add(token.id, "<" + token.text + ">", TokenKind::control))
      return fail({ErrorKind::corrupt, "a token of ChatGLM's is among the pieces already", "tokenizer.model", "pieces without it",
                   "'" + token.text + "'", "The files belong to different models; download them again."});
    tokens.added.push_back(std::move(token));
    return tokens.added.back().id;
  };
  for (const std::string_view text : commands) {
    MINERVA_ASSIGN(const TokenId id, add(text));
    if (text == "[gMASK]" || text == "sop") tokens.prefix.push_back(id);
  }
  const Generation generation = generationOf(context);
  if (generation == Generation::unknown)
    tokens.warnings.emplace_back("no file says whether this is ChatGLM2 or ChatGLM3: the tokens of ChatGLM3's roles are taken to be there");
  if (generation == Generation::second) return tokens;
  for (const std::string_view text : roles) {
    MINERVA_TRY(add(text));
  }
  return tokens;
}

}  // namespace minerva::text
