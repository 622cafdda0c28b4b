#include "core/serve/suffix_field.h"

#include "core/serve/fields.h"
#include "core/text/infill.h"

namespace minerva::serve {

Result<void> readSuffix(const Json& body, const Context& context, engine::Request& request) {
  MINERVA_ASSIGN(const auto suffix, stringField(body, "suffix"));
  if (!suffix || suffix->empty()) return {};
  if (!request.tokens.empty()) return wrongField("suffix", "a prompt that is text", "one of token ids");
  MINERVA_ASSIGN(request.tokens, infillTokens(context, request.prompt, *suffix, "suffix"));
  request.prompt.clear();
  return {};
}

Result<std::vector<text::TokenId>> infillTokens(const Context& context, const std::string& before, const std::string& after,
                                                const char* field) {
  const text::Tokenizer* const tokenizer = context.engine->tokenizer();
  auto tokens = tokenizer == nullptr ? std::nullopt : text::infillPrompt(*tokenizer, before, after);
  if (tokens) return std::move(*tokens);
  return fail({.kind = ErrorKind::unsupported,
               .what = "This model was not made to write what is between two texts",
               .where = field,
               .expected = "a model whose vocabulary has tokens for that",
               .actual = context.model,
               .hint = "Use one for code, such as Qwen2.5-Coder, or leave the suffix out."});
}

}  // namespace minerva::serve
