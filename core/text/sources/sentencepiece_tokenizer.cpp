// Creates a tokenizer from a tokenizer.model and the JSON files next to it.
#include "core/text/sources/sentencepiece.h"
#include "core/text/sources/tokenizer_sources.h"

namespace minerva::text {
namespace {

std::optional<TokenId> controlSymbol(const Vocabulary& vocabulary, std::string_view name) {
  const TokenId id = vocabulary.find(name);
  return vocabulary.kind(id) == TokenKind::control ? std::optional(id) : std::nullopt;
}

}  // namespace

Result<TokenizerParts> tokenizerFromSentencePiece(std::string_view bytes, const TokenizerJsonContext& context) {
  MINERVA_ASSIGN(SentencePieceModel model, readSentencePieceModel(bytes));
  MINERVA_ASSIGN(std::vector<AddedToken> added, configuredTokens(context.tokenizerConfig, *model.vocabulary));
  model.scores.resize(model.vocabulary->size(), 0);
  const bool bpe = model.kind == SentencePieceModel::Kind::bpe;
  MINERVA_ASSIGN(TokenizerParts parts, sentencePieceParts(std::move(model), std::move(added)));
  parts.special.bos = controlSymbol(*parts.vocabulary, "<s>");
  if (!parts.special.bos) parts.special.bos = controlSymbol(*parts.vocabulary, "<bos>");
  parts.special.eos = controlSymbol(*parts.vocabulary, "</s>");
  if (!parts.special.eos) parts.special.eos = controlSymbol(*parts.vocabulary, "<eos>");
  parts.special.pad = controlSymbol(*parts.vocabulary, "<pad>");
  // Transformers' classes for these models (Llama, T5) add BOS or EOS by default; sentencepiece itself adds neither.
  const bool inFolder = context.tokenizerConfig.is_object() || context.modelConfig.is_object();
  readConfiguredSpecials(context, {inFolder && bpe, inFolder && !bpe}, parts);
  return parts;
}

}  // namespace minerva::text
