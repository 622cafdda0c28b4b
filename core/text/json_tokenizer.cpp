#include "core/base/utf8.h"
#include "core/format/json_reader.h"
#include "core/text/bpe.h"
#include "core/text/end_of_generation.h"
#include "core/text/json_cursor.h"
#include "core/text/tokenizer_sources.h"

#include <algorithm>
#include <map>

namespace minerva::text {
namespace {

using nlohmann::json;
constexpr std::size_t longestAddedToken = 1024;  // each place of a text may be compared with so many bytes

// Members of one object, unread: name -> text and place.
struct RawField {
  std::string_view text;
  std::size_t position = 0;
};
using RawFields = std::map<std::string, RawField, std::less<>>;

Result<RawFields> readFields(std::string_view text, std::size_t offset) {
  JsonCursor cursor(text, offset);
  RawFields fields;
  bool first = true;
  if (!cursor.take('{')) return fail(cursor.error());
  while (cursor.next('}', first)) {
    std::string_view key;
    RawField field;
    if (!cursor.key(key)) break;
    std::string name(key);
    cursor.skipSpace();
    field.position = cursor.position();
    if (cursor.skip(field.text)) fields.insert_or_assign(std::move(name), field);
  }
  if (!cursor.failed() && cursor.peek() != '\0') cursor.failAt("the end of the text");
  if (cursor.failed()) return fail(cursor.error());
  return fields;
}

Error corrupt(std::string what, std::string expected = "", std::string actual = "") {
  return {ErrorKind::corrupt, std::move(what), "tokenizer.json", std::move(expected), std::move(actual), ""};
}
std::string inQuotes(std::string_view text) { return "'" + utf8::replaceBroken(text.substr(0, 60)) + "'"; }

class JsonTokenizerReader {
 public:
  JsonTokenizerReader(RawFields top, RawFields model, const TokenizerJsonContext& context)
      : m_top(std::move(top)), m_model(std::move(model)), m_context(context) {}

  Result<TokenizerParts> read() {
    MINERVA_ASSIGN(const json addedTokens, small(m_top, "added_tokens"));
    MINERVA_TRY(readModel());
    MINERVA_TRY(readNormalizer());
    MINERVA_TRY(readAddedTokens(addedTokens));
    MINERVA_ASSIGN(const json postProcessor, small(m_top, "post_processor"));
    MINERVA_ASSIGN(m_parts.postProcessor, PostProcessor::fromJson(postProcessor, vocabulary()));
    MINERVA_ASSIGN(const json decoder, small(m_top, "decoder"));
    MINERVA_ASSIGN(m_parts.decoder, Decoder::fromJson(decoder));
    m_parts.specialsAsWritten = false;
    MINERVA_TRY(buildModel());
    readSpecials();
    return std::move(m_parts);
  }

 private:
  Vocabulary& vocabulary() { return *m_parts.vocabulary; }

  // A small member as a whole; null where absent.
  static Result<json> small(const RawFields& fields, const char* name) {
    const auto found = fields.find(name);
    if (found == fields.end()) return json();
    return format::parseJson(found->second.text, std::string("tokenizer.json, ") + name);
  }

  Result<std::monostate> readModel() {
    MINERVA_ASSIGN(const json vocabularyType, small(m_model, "type"));
    // Files from before the field existed are told by their merges.
    const std::string type = vocabularyType.is_string() ? vocabularyType.get<std::string>() : m_model.contains("merges") ? "BPE" : "";
    if (type != "BPE")
      return fail({ErrorKind::unsupported, "tokenizer model " + (type.empty() ? "without a type" : "'" + type.substr(0, 60) + "'") + " is not known",
                   "tokenizer.json, model", "BPE", type.empty() ? "nothing" : type.substr(0, 60), ""});
    MINERVA_TRY(readVocabulary());
    return {};
  }

  Result<std::monostate> readVocabulary() {
    const auto found = m_model.find("vocab");
    if (found == m_model.end()) return fail(corrupt("the tokenizer has no vocabulary", "model.vocab", "nothing"));
    const RawField& field = found->second;
    vocabulary().reserve(field.text.size() / 20, field.text.size() / 2);
    JsonCursor cursor(field.text, field.position);
    bool first = true;
    if (!cursor.take('{')) return fail(cursor.error());
    std::string token;
    while (cursor.next('}', first)) {
      std::string_view key;
      std::int64_t id = 0;
      if (!cursor.key(key)) break;
      token.assign(key);
      if (cursor.integer(id)) MINERVA_TRY(addToken(token, id, TokenKind::normal));
    }
    if (cursor.failed()) return fail(cursor.error());
    if (vocabulary().size() == 0) return fail(corrupt("the vocabulary is empty", "at least one token", "0"));
    return {};
  }

  Result<std::monostate> addToken(std::string_view text, std::int64_t id, TokenKind kind) {
    if (id < 0 || id > highestTokenId)
      return fail(corrupt("token " + inQuotes(text) + " has an impossible id", "0 to " + std::to_string(highestTokenId), std::to_string(id)));
    const auto token = static_cast<TokenId>(id);
    if (vocabulary().add(token, text, kind)) return {};
    if (vocabulary().has(token))
      return fail(corrupt("two tokens have the id " + std::to_string(id), "one token an id", inQuotes(vocabulary().text(token)) + " and " + inQuotes(text)));
    return fail(corrupt("token " + inQuotes(text) + " has two ids", "one id a token", std::to_string(vocabulary().find(text)) + " and " + std::to_string(id)));
  }

  Result<std::monostate> readNormalizer() {
    MINERVA_ASSIGN(const json normalizer, small(m_top, "normalizer"));
    MINERVA_ASSIGN(m_parts.normalizer, makeNormalizer(normalizer));
    return {};
  }

  Result<std::monostate> readAddedTokens(const json& tokens) {
    if (tokens.is_null()) return {};
    if (!tokens.is_array()) return fail(fieldError("added tokens", "added_tokens", "an array", &tokens));
    const std::string name = "added token";
    // Ids go on where the vocabulary ends; a far-off one would only be found as a missing embedding much later.
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
        return fail(corrupt("added token " + inQuotes(token.text) + " lies far outside the vocabulary", "an id below " + std::to_string(highest), std::to_string(id)));
      const TokenKind kind = token.special ? TokenKind::control : TokenKind::userDefined;
      MINERVA_TRY(addToken(token.text, id, kind));
      token.id = static_cast<TokenId>(id);
      vocabulary().setKind(token.id, kind);
      if (token.text.size() > longestAddedToken) return fail(corrupt("added token " + std::to_string(id) + " is too long", "at most 1024 bytes", std::to_string(token.text.size())));
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

  Result<std::monostate> buildModel() {
    MINERVA_ASSIGN(const json preTokenizer, small(m_top, "pre_tokenizer"));
    MINERVA_ASSIGN(m_parts.preTokenizer, PreTokenizer::fromJson(preTokenizer));
    BpeOptions options;
    MINERVA_TRY(readOptions(options));
    options.rawBytes = m_parts.preTokenizer.leavesBytesToModel();
    MINERVA_ASSIGN(MergeTable merges, readMerges(options.continuingPrefix));
    m_parts.description = options.rawBytes ? "byte-level BPE (tokenizer.json)" : options.byteFallback ? "BPE with byte fallback (tokenizer.json)" : "BPE (tokenizer.json)";
    m_parts.model = std::make_unique<Bpe>(vocabulary(), std::move(merges), std::move(options));
    return {};
  }

  Result<std::monostate> readOptions(BpeOptions& options) {
    json fields = json::object();
    for (const char* name : {"unk_token", "fuse_unk", "byte_fallback", "ignore_merges", "continuing_subword_prefix", "end_of_word_suffix"}) {
      MINERVA_ASSIGN(fields[name], small(m_model, name));
    }
    MINERVA_ASSIGN(options.byteFallback, boolFieldOr(fields, "byte_fallback", false, "model"));
    MINERVA_ASSIGN(options.fuseUnknown, boolFieldOr(fields, "fuse_unk", false, "model"));
    MINERVA_ASSIGN(options.wholeWordFirst, boolFieldOr(fields, "ignore_merges", false, "model"));
    MINERVA_ASSIGN(options.continuingPrefix, stringFieldOr(fields, "continuing_subword_prefix", "", "model"));
    MINERVA_ASSIGN(options.endSuffix, stringFieldOr(fields, "end_of_word_suffix", "", "model"));
    MINERVA_ASSIGN(const std::string unknown, stringFieldOr(fields, "unk_token", "", "model"));
    if (unknown.empty()) return {};
    options.unknown = vocabulary().find(unknown);
    if (options.unknown == noToken) return fail(corrupt("the unknown token is not in the vocabulary", "a token of the vocabulary", inQuotes(unknown)));
    m_parts.special.unknown = options.unknown;
    return {};
  }

  // Merges are "left right", or ["left", "right"] since tokens may hold spaces.
  Result<MergeTable> readMerges(const std::string& continuingPrefix) {
    const auto found = m_model.find("merges");
    if (found == m_model.end()) return fail(corrupt("the tokenizer has no merges", "model.merges", "nothing"));
    const RawField& field = found->second;
    JsonCursor cursor(field.text, field.position);
    MergeTable table;
    table.reserve(field.text.size() / 24);
    bool first = true;
    if (!cursor.take('[')) return fail(cursor.error());
    std::string left, right, joined;
    for (std::uint32_t rank = 0; cursor.next(']', first); ++rank) {
      if (!readMerge(cursor, left, right)) break;
      joined = left;
      joined += std::string_view(right).substr(right.starts_with(continuingPrefix) ? continuingPrefix.size() : 0);
      const Merge merge{vocabulary().find(left), vocabulary().find(right), rank, vocabulary().find(joined)};
      if (merge.left == noToken || merge.right == noToken || merge.result == noToken)
        return fail(corrupt("merge " + std::to_string(rank) + " names a token that is not in the vocabulary", "tokens of the vocabulary", inQuotes(left + " " + right)));
      table.add(merge);
    }
    if (cursor.failed()) return fail(cursor.error());
    return table;
  }

  static bool readMerge(JsonCursor& cursor, std::string& left, std::string& right) {
    std::string_view part;
    if (cursor.peek() == '"') {
      if (!cursor.string(part)) return false;
      const std::size_t space = part.find(' ');
      if (space == std::string_view::npos || space == 0 || space + 1 == part.size() || part.find(' ', space + 1) != std::string_view::npos)
        return cursor.failAt("a merge of two tokens with a space between");
      left.assign(part.substr(0, space));
      right.assign(part.substr(space + 1));
      return true;
    }
    bool first = true;
    if (!cursor.take('[') || !cursor.next(']', first)) return cursor.failAt("a merge of two tokens");
    if (!cursor.string(part)) return false;
    left.assign(part);
    if (!cursor.next(']', first)) return cursor.failAt("a merge of two tokens");
    if (!cursor.string(part)) return false;
    right.assign(part);
    if (cursor.next(']', first)) return cursor.failAt("a merge of two tokens");
    return !cursor.failed();
  }

  // "bos_token" of tokenizer_config.json: a string, or an object with "content".
  std::optional<TokenId> configuredToken(const char* name) {
    const json& config = m_context.tokenizerConfig;
    if (!config.is_object() || !config.contains(name)) return std::nullopt;
    const json& value = config[name];
    const json* text = value.is_object() && value.contains("content") ? &value["content"] : &value;
    if (!text->is_string()) return std::nullopt;
    const TokenId id = vocabulary().find(text->get<std::string>());
    if (id != noToken) return id;
    m_parts.warnings.push_back(std::string("tokenizer_config.json's ") + name + " is not in the vocabulary: ignored");
    return std::nullopt;
  }

  // Ids under a name in config.json or generation_config.json: one, or a list. Those outside the vocabulary are left out.
  void collectIds(const json& config, const char* file, const char* name, std::vector<TokenId>& out) {
    if (!config.is_object() || !config.contains(name) || config[name].is_null()) return;
    const json list = config[name].is_array() ? config[name] : json::array({config[name]});
    for (const json& id : list) {
      const bool good = id.is_number_integer() && id >= 0 && id <= highestTokenId && vocabulary().has(id.get<TokenId>());
      if (good) out.push_back(id.get<TokenId>());
      else m_parts.warnings.push_back(std::string(file) + "'s " + name + " is outside the vocabulary: ignored");
    }
  }

  std::optional<TokenId> specialId(const char* tokenName, const char* idName, std::vector<TokenId>& all) {
    const std::optional<TokenId> named = configuredToken(tokenName);
    collectIds(m_context.modelConfig, "config.json", idName, all);
    collectIds(m_context.generationConfig, "generation_config.json", idName, all);
    if (named) return named;
    return all.empty() ? std::nullopt : std::optional(all.front());
  }

  void readSpecials() {
    SpecialTokens& special = m_parts.special;
    std::vector<TokenId> begins, ends, pads;
    special.bos = specialId("bos_token", "bos_token_id", begins);
    special.eos = specialId("eos_token", "eos_token_id", ends);
    special.pad = specialId("pad_token", "pad_token_id", pads);
    if (const auto unknown = configuredToken("unk_token")) special.unknown = unknown;
    if (special.eos) ends.push_back(*special.eos);
    special.endOfGeneration = endOfGeneration(vocabulary(), ends);
    if (!m_parts.postProcessor.hasTemplate()) wrapAsConfigured();
    const auto before = m_parts.postProcessor.before();
    if (!special.bos && before.size() == 1) special.bos = before[0];
    m_parts.addsBos = special.bos && !before.empty() && before[0] == *special.bos;
  }

  // Without a template, tokenizer_config.json's add_bos_token and add_eos_token count.
  void wrapAsConfigured() {
    const json& config = m_context.tokenizerConfig;
    const auto asked = [&](const char* name) { return config.is_object() && config.contains(name) && config[name].is_boolean() && config[name].get<bool>(); };
    const TokenId before = asked("add_bos_token") ? m_parts.special.bos.value_or(noToken) : noToken;
    const TokenId after = asked("add_eos_token") ? m_parts.special.eos.value_or(noToken) : noToken;
    if (before != noToken || after != noToken) m_parts.postProcessor = PostProcessor(before, after);
  }

  RawFields m_top, m_model;
  const TokenizerJsonContext& m_context;
  TokenizerParts m_parts;
};

}  // namespace

Result<TokenizerParts> tokenizerFromJson(std::string_view text, const TokenizerJsonContext& context) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  MINERVA_ASSIGN(RawFields top, readFields(text, 0));
  const auto model = top.find("model");
  if (model == top.end() || !model->second.text.starts_with('{'))
    return fail(corrupt("tokenizer.json has no model", "an object 'model'", model == top.end() ? "nothing" : inQuotes(model->second.text)));
  MINERVA_ASSIGN(RawFields fields, readFields(model->second.text, model->second.position));
  return JsonTokenizerReader(std::move(top), std::move(fields), context).read();
}

}  // namespace minerva::text
