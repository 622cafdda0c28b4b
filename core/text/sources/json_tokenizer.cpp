#include "core/base/utf8.h"
#include "core/text/sources/json_model.h"
#include "core/text/sources/tokenizer_sources.h"

namespace minerva::text {
namespace {

using nlohmann::json;

class JsonTokenizerReader {
 public:
  JsonTokenizerReader(RawFields top, const TokenizerJsonContext& context) : m_top(std::move(top)), m_context(context) {}

  Result<TokenizerParts> read() {
    const auto field = m_top.find("model");
    if (field == m_top.end() || !field->second.text.starts_with('{'))
      return fail(
          corruptJson("tokenizer.json has no model", "an object 'model'", field == m_top.end() ? "nothing" : inQuotes(field->second.text)));
    MINERVA_ASSIGN(const JsonModel model, JsonModel::read(field->second, vocabulary()));
    MINERVA_ASSIGN(json normalizer, smallField(m_top, "normalizer"));
    MINERVA_ASSIGN(m_parts.normalizer, makeNormalizer(configuredNormalizer(std::move(normalizer), m_context.tokenizerConfig)));
    MINERVA_ASSIGN(const json addedTokens, smallField(m_top, "added_tokens"));
    MINERVA_TRY(readAddedTokens(addedTokens));
    MINERVA_ASSIGN(const json postProcessor, smallField(m_top, "post_processor"));
    MINERVA_ASSIGN(m_parts.postProcessor, PostProcessor::fromJson(postProcessor, vocabulary()));
    MINERVA_ASSIGN(const json decoder, smallField(m_top, "decoder"));
    MINERVA_ASSIGN(m_parts.decoder, Decoder::fromJson(decoder));
    m_parts.specialsAsWritten = false;
    MINERVA_ASSIGN(const json preTokenizer, smallField(m_top, "pre_tokenizer"));
    MINERVA_ASSIGN(m_parts.preTokenizer, PreTokenizer::fromJson(preTokenizer));
    MINERVA_TRY(model.build(m_parts));
    readConfiguredSpecials(m_context, {}, m_parts);
    return std::move(m_parts);
  }

 private:
  Vocabulary& vocabulary() { return *m_parts.vocabulary; }

  Result<std::monostate> readAddedTokens(const json& tokens) {
    if (tokens.is_null()) return {};
    if (!tokens.is_array()) return fail(fieldError("added tokens", "added_tokens", "an array", &tokens));
    const std::string name = "added token";
    // Ids normally continue where the vocabulary ends. A distant id would only be noticed much later, as a missing
    // embedding.
    const std::int64_t highest = static_cast<std::int64_t>(vocabulary().size() + tokens.size()) + 65536;
    std::vector<AddedToken> added;
    for (const json& entry : tokens) {
      AddedToken token;
      MINERVA_ASSIGN(token.text, stringField(entry, "content", name));
      MINERVA_ASSIGN(const std::int64_t id, integerField(entry, "id", name));
      MINERVA_ASSIGN(token.special, boolFieldOr(entry, "special", false, name));
      MINERVA_ASSIGN(token.singleWord, boolFieldOr(entry, "single_word", false, name));
      MINERVA_ASSIGN(token.stripsLeft, boolFieldOr(entry, "lstrip", false, name));
      MINERVA_ASSIGN(token.stripsRight, boolFieldOr(entry, "rstrip", false, name));
      MINERVA_ASSIGN(token.normalized, boolFieldOr(entry, "normalized", !token.special, name));
      if (id > highest)
        return fail(corruptJson("added token " + inQuotes(token.text) + " is far outside the vocabulary",
                                "an id below " + std::to_string(highest), std::to_string(id)));
      const TokenKind kind = token.special ? TokenKind::control : TokenKind::userDefined;
      const bool known = vocabulary().find(token.text) != noToken;
      MINERVA_TRY(addJsonToken(vocabulary(), token.text, id, kind));
      token.id = static_cast<TokenId>(id);
      vocabulary().setKind(token.id, kind);
      if (!known) vocabulary().setBesideModel(token.id);
      if (token.text.size() > longestAddedToken)
        return fail(
            corruptJson("added token " + std::to_string(id) + " is too long", "at most 1024 bytes", std::to_string(token.text.size())));
      added.push_back(std::move(token));
    }
    const auto normalize = [normalizer = m_parts.normalizer.get()](std::string_view text) {
      std::string normalized(text);
      if (normalizer != nullptr) normalizer->apply(normalized);
      return normalized;
    };
    for (const AddedToken& token : added)
      if (token.normalized && normalize(token.text) != token.text) m_parts.decodedAs[token.id] = normalize(token.text);
    m_parts.added = AddedTokens(std::move(added), normalize);
    return {};
  }

  RawFields m_top;
  const TokenizerJsonContext& m_context;
  TokenizerParts m_parts;
};

}  // namespace

Result<TokenizerParts> tokenizerFromJson(std::string_view text, const TokenizerJsonContext& context) {
  const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  MINERVA_ASSIGN(RawFields top, readRawFields(text.substr(mark), mark));
  return JsonTokenizerReader(std::move(top), context).read();
}

}  // namespace minerva::text
