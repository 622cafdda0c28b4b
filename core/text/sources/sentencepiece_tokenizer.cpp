// Creates a tokenizer from a tokenizer.model and the JSON files next to it.
#include "core/text/sources/chatglm_tokens.h"
#include "core/text/sources/sentencepiece.h"
#include "core/text/sources/tokenizer_sources.h"

namespace minerva::text {
namespace {

std::optional<TokenId> controlSymbol(const Vocabulary& vocabulary, std::string_view name) {
  const TokenId id = vocabulary.find(name);
  return vocabulary.kind(id) == TokenKind::control ? std::optional(id) : std::nullopt;
}

// Transformers' classes go by it rather than by the model, as converters to GGUF do.
void applyPrefixSpace(const nlohmann::json& tokenizerConfig, SentencePieceModel& model) {
  const nlohmann::json asked = tokenizerConfig.is_object() ? tokenizerConfig.value("add_prefix_space", nlohmann::json()) : nlohmann::json();
  if (asked.is_boolean()) model.addsDummyPrefix = asked.get<bool>();
}

}  // namespace

Result<TokenizerParts> tokenizerFromSentencePiece(std::string_view bytes, const TokenizerJsonContext& context) {
  MINERVA_ASSIGN(SentencePieceModel model, readSentencePieceModel(bytes));
  nlohmann::json config = context.tokenizerConfig;
  ChatGlmTokens glm;
  if (isChatGlm(context)) {
    MINERVA_ASSIGN(glm, chatGlmTokens(context, *model.vocabulary));
    const auto configured = config.find("added_tokens_decoder");  // later folders list some of them, as none that the class makes special
    for (const AddedToken& token : glm.added)
      if (configured != config.end() && configured->is_object()) configured->erase(std::to_string(token.id));
  } else {
    applyPrefixSpace(config, model);
  }
  MINERVA_ASSIGN(std::vector<AddedToken> added, configuredTokens(config, *model.vocabulary));
  added.insert(added.end(), glm.added.begin(), glm.added.end());
  model.scores.resize(model.vocabulary->size(), 0);
  const bool bpe = model.kind == SentencePieceModel::Kind::bpe;
  MINERVA_ASSIGN(TokenizerParts parts, sentencePieceParts(std::move(model), std::move(added)));
  parts.warnings = std::move(glm.warnings);
  parts.special.bos = controlSymbol(*parts.vocabulary, "<s>");
  if (!parts.special.bos) parts.special.bos = controlSymbol(*parts.vocabulary, "<bos>");
  parts.special.eos = controlSymbol(*parts.vocabulary, "</s>");
  if (!parts.special.eos) parts.special.eos = controlSymbol(*parts.vocabulary, "<eos>");
  parts.special.pad = controlSymbol(*parts.vocabulary, "<pad>");
  if (!glm.prefix.empty()) parts.postProcessor = PostProcessor(glm.prefix, parts.special.eos.value_or(noToken));
  // Transformers' classes for these models (Llama, T5) add BOS or EOS by default; sentencepiece itself adds neither.
  const bool inFolder = context.tokenizerConfig.is_object() || context.modelConfig.is_object();
  readConfiguredSpecials(context, {inFolder && bpe, inFolder && !bpe}, parts);
  return parts;
}

}  // namespace minerva::text
