#include "core/base/utf8.h"
#include "core/text/sources/json_model.h"
#include "core/text/sources/tokenizer_sources.h"

#include <map>

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

  static Result<AddedToken> readAddedToken(const json& entry) {
    const std::string name = "added token";
    AddedToken token;
    MINERVA_ASSIGN(token.text, stringField(entry, "content", name));
    MINERVA_ASSIGN(token.special, boolFieldOr(entry, "special", false, name));
    MINERVA_ASSIGN(token.singleWord, boolFieldOr(entry, "single_word", false, name));
    MINERVA_ASSIGN(token.stripsLeft, boolFieldOr(entry, "lstrip", false, name));
    MINERVA_ASSIGN(token.stripsRight, boolFieldOr(entry, "rstrip", false, name));
    MINERVA_ASSIGN(token.normalized, boolFieldOr(entry, "normalized", !token.special, name));
    if (token.text.size() > longestAddedToken)
      return fail(
          corruptJson("added token " + inQuotes(token.text) + " is too long", "at most 1024 bytes", std::to_string(token.text.size())));
    return token;
  }

  // As in Hugging Face's library, which ignores the id in the file: a text that is known keeps its id, the others are numbered on after
  // the vocabulary. The file's id counts only if that number is taken, which leaves Hugging Face's with two tokens of one id.
  Result<TokenId> idOf(const AddedToken& token, std::int64_t stated, std::int64_t& next) {
    if (const TokenId known = vocabulary().find(token.text); known != noToken) return known;
    const std::int64_t id = vocabulary().has(static_cast<TokenId>(next)) ? stated : next++;
    MINERVA_TRY(addJsonToken(vocabulary(), token.text, id, TokenKind::userDefined));
    vocabulary().setBesideModel(static_cast<TokenId>(id));
    return static_cast<TokenId>(id);
  }

  Result<std::vector<AddedToken>> listAddedTokens(const json& tokens) {
    // Ids normally continue where the vocabulary ends. A distant one means that the file does not belong to this vocabulary.
    const std::int64_t highest = static_cast<std::int64_t>(vocabulary().size() + tokens.size()) + 65536;
    auto next = static_cast<std::int64_t>(vocabulary().count());
    std::vector<AddedToken> added;
    std::map<TokenId, std::size_t> places;
    std::string renumbered;
    for (const json& entry : tokens) {
      MINERVA_ASSIGN(AddedToken token, readAddedToken(entry));
      MINERVA_ASSIGN(const std::int64_t stated, integerField(entry, "id", "added token"));
      if (stated < 0 || stated > highest)
        return fail(corruptJson("added token " + inQuotes(token.text) + " is far outside the vocabulary",
                                "an id from 0 to " + std::to_string(highest), std::to_string(stated)));
      if (token.text.empty()) continue;
      MINERVA_ASSIGN(token.id, idOf(token, stated, next));
      if (token.id != stated && renumbered.empty())
        renumbered = inQuotes(token.text) + " has the id " + std::to_string(token.id) + ", not " + std::to_string(stated);
      const auto [place, isNew] = places.try_emplace(token.id, added.size());
      if (isNew) {
        added.push_back(std::move(token));
      } else {  // named twice: the last properties count
        token.special = token.special || added[place->second].special;
        added[place->second] = std::move(token);
      }
    }
    if (!renumbered.empty())
      m_parts.warnings.push_back("Added tokens of tokenizer.json contradict its vocabulary, which counts: " + renumbered);
    return added;
  }

  Result<std::monostate> readAddedTokens(const json& tokens) {
    if (tokens.is_null()) return {};
    if (!tokens.is_array()) return fail(fieldError("added tokens", "added_tokens", "an array", &tokens));
    MINERVA_ASSIGN(std::vector<AddedToken> added, listAddedTokens(tokens));
    const auto normalize = [normalizer = m_parts.normalizer.get()](std::string_view text) {
      std::string normalized(text);
      if (normalizer != nullptr) normalizer->apply(normalized);
      return normalized;
    };
    for (const AddedToken& token : added) {
      vocabulary().setKind(token.id, token.special ? TokenKind::control : TokenKind::userDefined);
      if (token.normalized && normalize(token.text) != token.text) m_parts.decodedAs[token.id] = normalize(token.text);
    }
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
