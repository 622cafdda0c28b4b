#include "core/serve/suffix_field.h"

#include "core/serve/fields.h"
#include "core/text/infill.h"

namespace minerva::serve {

Result<void> readSuffix(const Json& body, const Context& context, engine::Request& request) {
  MINERVA_ASSIGN(const auto suffix, stringField(body, "suffix"));
  if (!suffix || suffix->empty()) return {};
  if (!request.tokens.empty()) return wrongField("suffix", "a prompt that is text", "one of token ids");
  const text::Tokenizer* const tokenizer = context.engine->tokenizer();
  auto tokens = tokenizer == nullptr ? std::nullopt : text::infillPrompt(*tokenizer, request.prompt, *suffix);
  if (!tokens) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "This model was not made to write what is between two texts",
                 .where = "suffix",
                 .expected = "a model whose vocabulary has tokens for that",
                 .actual = context.model,
                 .hint = "Use one for code, such as Qwen2.5-Coder, or leave the suffix out."});
  }
  request.prompt.clear();
  request.tokens = std::move(*tokens);
  return {};
}

}  // namespace minerva::serve
