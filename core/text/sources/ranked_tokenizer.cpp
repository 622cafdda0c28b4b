// Vocabularies of bytes with ranks, in base64: tekken.json and tiktoken.model. tiktoken is the reference: a word that is a token is
// that token; else two neighbours merge if together they are a token, the lowest rank first.
#include "core/text/ranked_vocabulary.h"

#include "core/base/utf8.h"
#include "core/format/json_reader.h"
#include "core/text/bpe/bpe.h"
#include "core/text/characters/byte_alphabet.h"
#include "core/text/normalizer/base64.h"
#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
#include "core/text/sources/json_model.h"
#include "core/text/sources/tokenizer_sources.h"

#include <algorithm>
#include <charconv>

namespace minerva::text {
namespace {

using nlohmann::json;

// Names of a tekken.json that lists none (of the versions up to 7).
constexpr std::string_view oldTekkenTokens[] = {"<unk>",
                                                "<s>",
                                                "</s>",
                                                "[INST]",
                                                "[/INST]",
                                                "[AVAILABLE_TOOLS]",
                                                "[/AVAILABLE_TOOLS]",
                                                "[TOOL_RESULTS]",
                                                "[/TOOL_RESULTS]",
                                                "[TOOL_CALLS]",
                                                "[IMG]",
                                                "<pad>",
                                                "[IMG_BREAK]",
                                                "[IMG_END]",
                                                "[PREFIX]",
                                                "[MIDDLE]",
                                                "[SUFFIX]",
                                                "[SYSTEM_PROMPT]",
                                                "[/SYSTEM_PROMPT]",
                                                "[TOOL_CONTENT]"};
// Kimi's special tokens follow its ranks: those without a name are reserved.
constexpr std::size_t kimiSpecialTokens = 256;
// Those without a name take memory that the file does not. Published files have 1000.
constexpr std::int64_t mostTekkenSpecialTokens = 65536;

class RankedVocabulary {
 public:
  // firstId: the id of rank 0.
  RankedVocabulary(std::string file, std::int64_t firstId) : m_file(std::move(file)), m_firstId(firstId) {}

  Result<std::monostate> add(std::string_view base64, std::int64_t rank);
  Result<std::monostate> addSpecial(AddedToken token);
  // The number of ranks; all below it must have been added.
  [[nodiscard]] std::size_t ranks() const { return m_ranks; }
  Result<TokenizerParts> finish();
  // As a tokenizer.json.
  [[nodiscard]] json written(bool wholeWordFirst) const;

  [[nodiscard]] Vocabulary& vocabulary() { return *m_parts.vocabulary; }
  [[nodiscard]] const Vocabulary& vocabulary() const { return *m_parts.vocabulary; }
  void addConfigured(std::vector<AddedToken> tokens) { m_added = std::move(tokens); }
  void setPattern(std::string_view pattern) { m_pattern = pattern; }
  [[nodiscard]] std::unexpected<Error> corrupt(std::string what, std::string expected, std::string actual) const {
    return fail({ErrorKind::corrupt, std::move(what), m_file, std::move(expected), std::move(actual), ""});
  }

 private:
  std::string m_file;
  std::int64_t m_firstId;
  std::size_t m_ranks = 0;
  std::string m_written, m_pattern;
  std::vector<AddedToken> m_added;
  TokenizerParts m_parts;
};

Result<std::monostate> RankedVocabulary::add(std::string_view base64, std::int64_t rank) {
  const auto bytes = decodeBase64(base64);
  if (!bytes || bytes->empty())
    return corrupt("the token of rank " + std::to_string(rank) + " is not in base64", "at least one byte", inQuotes(base64));
  if (rank < 0 || rank > highestTokenId - m_firstId)
    return corrupt("a token has an impossible rank", "0 to " + std::to_string(highestTokenId - m_firstId), std::to_string(rank));
  m_written.clear();
  appendWritten(m_written, *bytes);
  const auto id = static_cast<TokenId>(m_firstId + rank);
  if (vocabulary().has(id)) return corrupt("two tokens have the same rank", "one token per rank", std::to_string(rank));
  if (!vocabulary().add(id, m_written, TokenKind::normal))
    return corrupt("two tokens are the same", "every token once", inQuotes(*bytes) + " twice");
  ++m_ranks;
  return {};
}

Result<std::monostate> RankedVocabulary::addSpecial(AddedToken token) {
  const std::string id = std::to_string(token.id);
  if (token.text.empty() || token.text.size() > longestAddedToken)
    return corrupt("special token " + id + " has an impossible name", "1 to 1024 bytes", std::to_string(token.text.size()));
  if (vocabulary().has(token.id)) return corrupt("two special tokens have the same id", "one token per id", id);
  if (!vocabulary().add(token.id, token.text, TokenKind::control))
    return corrupt("two tokens are the same", "every token once", inQuotes(token.text) + " twice");
  m_added.push_back(std::move(token));
  return {};
}

json RankedVocabulary::written(bool wholeWordFirst) const {
  json vocab = json::object(), merges = json::array(), added = json::array();
  std::vector<std::pair<TokenId, TokenId>> pairs;
  for (std::size_t rank = 0; rank < m_ranks; ++rank) {
    const auto id = static_cast<TokenId>(m_firstId + static_cast<std::int64_t>(rank));
    const std::string_view text = vocabulary().text(id);
    vocab[std::string(text)] = static_cast<std::size_t>(id);
    if (text.size() > longestAddedToken) continue;  // as mergesFromScores() does: the loop is quadratic in the length
    pairs.clear();
    for (std::size_t cut = utf8::decode(text, 0).length; cut < text.size(); cut += utf8::decode(text, cut).length) {
      const TokenId left = vocabulary().find(text.substr(0, cut)), right = vocabulary().find(text.substr(cut));
      const auto isRanked = [&](TokenId part) { return part >= m_firstId && std::cmp_less(part - m_firstId, m_ranks); };
      if (isRanked(left) && isRanked(right)) pairs.emplace_back(left, right);
    }
    std::ranges::sort(pairs);
    for (const auto& [left, right] : pairs)
      merges.push_back(std::string(vocabulary().text(left)).append(" ").append(vocabulary().text(right)));
  }
  for (const AddedToken& token : m_added)
    added.push_back({{"id", static_cast<std::size_t>(token.id)}, {"content", token.text}, {"special", token.special}});
  const json split = {{"type", "Split"}, {"pattern", {{"Regex", m_pattern}}}, {"behavior", "Isolated"}, {"invert", false}};
  const json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
  return {{"added_tokens", std::move(added)},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}}},
          {"decoder", bytes},
          {"model", {{"type", "BPE"}, {"ignore_merges", wholeWordFirst}, {"vocab", std::move(vocab)}, {"merges", std::move(merges)}}}};
}

Result<TokenizerParts> RankedVocabulary::finish() {
  std::vector<double> scores(vocabulary().size(), 0);
  for (std::size_t rank = 0; rank < m_ranks; ++rank) {
    const std::size_t id = static_cast<std::size_t>(m_firstId) + rank;
    if (!vocabulary().has(static_cast<TokenId>(id)))
      return corrupt("a rank has no token", "every rank below " + std::to_string(m_ranks), "none of rank " + std::to_string(rank));
    scores[id] = -static_cast<double>(rank);
  }
  for (unsigned byte = 0; byte < 256; ++byte)
    if (vocabulary().find(byteToWritten(static_cast<std::uint8_t>(byte))) == noToken)
      return corrupt("a byte has no token", "all 256 bytes", "none for byte " + std::to_string(byte));
  const std::string_view patterns[] = {m_pattern};
  auto preTokenizer = PreTokenizer::fromPatterns(patterns);
  if (!preTokenizer) {
    preTokenizer.error().where = m_file + ", " + preTokenizer.error().where;
    return fail(std::move(preTokenizer.error()));
  }
  m_parts.preTokenizer = std::move(*preTokenizer);
  m_parts.preTokenizer.setLeavesBytes();
  for (const AddedToken& token : m_added) vocabulary().setKind(token.id, TokenKind::control);  // which nothing merges to
  BpeOptions options;
  options.rawBytes = true;
  options.wholeWordFirst = true;
  m_parts.model = std::make_unique<Bpe>(vocabulary(), mergesFromScores(vocabulary(), scores), options);
  m_parts.decoder = Decoder::byteLevel();
  for (const AddedToken& token : m_added)
    if (!token.special) vocabulary().setKind(token.id, TokenKind::userDefined);
  m_parts.added = AddedTokens(std::move(m_added), [](std::string_view text) { return std::string(text); });
  m_parts.description = "byte-level BPE (" + m_file + ")";
  return std::move(m_parts);
}

class TekkenReader {
 public:
  TekkenReader(RawFields fields) : m_fields(std::move(fields)) {}

  Result<RankedVocabulary> read();

 private:
  [[nodiscard]] Result<json> part(const char* name) const;
  Result<std::monostate> readRanks(RankedVocabulary& ranked, std::int64_t count) const;
  Result<std::monostate> readSpecials(RankedVocabulary& ranked, std::int64_t count) const;

  RawFields m_fields;
};

Error wrongField(const char* name, std::string expected, const json& actual) {
  return {ErrorKind::corrupt,
          std::string("tekken.json has no usable '") + name + "'",
          "tekken.json",
          std::move(expected),
          actual.is_null() ? "nothing" : actual.dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 60),
          ""};
}

// A member of the file, parsed; null if it is absent.
Result<json> TekkenReader::part(const char* name) const {
  const auto found = m_fields.find(name);
  if (found == m_fields.end()) return json();
  return format::parseJson(found->second.text, std::string("tekken.json, ") + name);
}

// [{"rank": 0, "token_bytes": "AA==", "token_str": "\u0000"}, ...]. More than the model has are left out.
Result<std::monostate> TekkenReader::readRanks(RankedVocabulary& ranked, std::int64_t count) const {
  const auto field = m_fields.find("vocab");
  if (field == m_fields.end()) return fail(wrongField("vocab", "a list of tokens", json()));
  ranked.vocabulary().reserve(field->second.text.size() / 64, field->second.text.size() / 8);
  JsonCursor cursor(field->second.text, field->second.position, "tekken.json");
  if (!cursor.take('[')) return fail(cursor.error());
  std::string bytes;
  for (bool first = true; cursor.next(']', first);) {
    if (!cursor.take('{')) break;
    std::int64_t rank = -1;
    bytes.clear();
    std::string_view key, text;
    for (bool firstField = true; cursor.next('}', firstField) && cursor.key(key);) {
      if (key == "rank") (void)cursor.integer(rank);
      else if (key == "token_bytes" && cursor.string(text)) bytes.assign(text);
      else (void)cursor.skip(text);
    }
    if (cursor.failed()) break;
    if (rank < count) MINERVA_TRY(ranked.add(bytes, rank));
  }
  if (cursor.failed()) return fail(cursor.error());
  if (std::cmp_less(ranked.ranks(), count))
    return ranked.corrupt("the vocabulary is too small", std::to_string(count) + " tokens", std::to_string(ranked.ranks()));
  return {};
}

// [{"rank": 0, "token_str": "<unk>", "is_control": true}, ...]. Ids without a name get one.
Result<std::monostate> TekkenReader::readSpecials(RankedVocabulary& ranked, std::int64_t count) const {
  MINERVA_ASSIGN(json list, part("special_tokens"));
  if (list.is_null()) {
    for (const std::string_view name : oldTekkenTokens) list.push_back({{"rank", list.size()}, {"token_str", name}, {"is_control", true}});
  }
  if (!list.is_array()) return fail(wrongField("special_tokens", "a list", list));
  for (const json& entry : list) {
    const bool named = entry.is_object() && entry.value("token_str", json()).is_string() && entry.value("rank", json()).is_number_integer();
    const auto id = named ? entry["rank"].get<std::int64_t>() : -1;
    if (id < 0 || id >= count) return fail(wrongField("special_tokens", "names and ranks below " + std::to_string(count), entry));
    AddedToken token;
    token.id = static_cast<TokenId>(id);
    token.text = entry["token_str"].get<std::string>();
    token.special = entry.value("is_control", json()) != false;
    MINERVA_TRY(ranked.addSpecial(std::move(token)));
  }
  for (TokenId id = 0; id < count; ++id) {
    if (ranked.vocabulary().has(id)) continue;
    AddedToken token;
    token.id = id;
    token.text = "<SPECIAL_" + std::to_string(id) + ">";
    token.special = true;
    MINERVA_TRY(ranked.addSpecial(std::move(token)));
  }
  return {};
}

Result<RankedVocabulary> TekkenReader::read() {
  MINERVA_ASSIGN(const json config, part("config"));
  const auto number = [&](const char* name, std::int64_t most) -> Result<std::int64_t> {
    const json value = config.is_object() ? config.value(name, json()) : json();
    if (!value.is_number_integer() || value < 0 || value > most) return fail(wrongField(name, "0 to " + std::to_string(most), value));
    return value.get<std::int64_t>();
  };
  MINERVA_ASSIGN(const std::int64_t size, number("default_vocab_size", highestTokenId));
  MINERVA_ASSIGN(const std::int64_t specials, number("default_num_special_tokens", std::min(size, mostTekkenSpecialTokens)));
  const json pattern = config.value("pattern", json());
  if (!pattern.is_string()) return fail(wrongField("pattern", "a regular expression", pattern));
  RankedVocabulary ranked("tekken.json", specials);
  MINERVA_TRY(readSpecials(ranked, specials));
  MINERVA_TRY(readRanks(ranked, size - specials));
  ranked.setPattern(pattern.get_ref<const std::string&>());
  return ranked;
}

Result<RankedVocabulary> readTekken(std::string_view text) {
  MINERVA_ASSIGN(RawFields fields, readRawFields(text, 0, "tekken.json"));
  return TekkenReader(std::move(fields)).read();
}

// Lines of a token in base64 and its rank.
Result<std::monostate> readRankLines(std::string_view text, RankedVocabulary& ranked) {
  ranked.vocabulary().reserve(text.size() / 16, text.size() / 2);
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view row = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), row.size() + 1));
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const std::size_t space = std::min(row.find(' '), row.size());
    const std::string_view digits = row.substr(std::min(row.size(), space + 1));
    std::int64_t rank = -1;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size())
      return ranked.corrupt("line " + std::to_string(line) + " is not a token and its rank", "base64, a space and a number", inQuotes(row));
    MINERVA_TRY(ranked.add(row.substr(0, space), rank));
  }
  return {};
}

// Kimi's way to split, which only its own Python file states.
Result<RankedVocabulary> readTiktoken(std::string_view text, const json& config) {
  const json named = config.is_object() ? config.value("tokenizer_class", json()) : json();
  if (named.is_string() && named != "TikTokenTokenizer")
    return fail({ErrorKind::unsupported, "it is not known how this tiktoken.model splits text", "tokenizer_config.json, tokenizer_class",
                 "TikTokenTokenizer, as Kimi and Moonlight have it", inQuotes(named.get_ref<const std::string&>()),
                 "Choose a GGUF of this model, or a folder with tokenizer.json."});
  RankedVocabulary ranked("tiktoken.model", 0);
  MINERVA_TRY(readRankLines(text, ranked));
  MINERVA_ASSIGN(std::vector<AddedToken> added, configuredTokens(config, ranked.vocabulary()));
  ranked.addConfigured(std::move(added));
  for (std::size_t i = 0; i < kimiSpecialTokens; ++i) {
    AddedToken token;
    token.id = static_cast<TokenId>(ranked.ranks() + i);
    if (ranked.vocabulary().has(token.id)) continue;
    token.text = "<|reserved_token_" + std::to_string(token.id) + "|>";
    token.special = true;
    MINERVA_TRY(ranked.addSpecial(std::move(token)));
  }
  MINERVA_ASSIGN(const PreTokenizerName* row, preTokenizerNamed("kimi-k2"));
  ranked.setPattern(row->patterns.front());
  return ranked;
}

void setNamed(std::optional<TokenId>& id, const Vocabulary& vocabulary, std::string_view name) {
  const TokenId found = vocabulary.find(name);
  if (vocabulary.kind(found) == TokenKind::control) id = found;
}

}  // namespace

Result<TokenizerParts> tokenizerFromTekken(std::string_view text, const TokenizerJsonContext& context) {
  MINERVA_ASSIGN(RankedVocabulary ranked, readTekken(text));
  MINERVA_ASSIGN(TokenizerParts parts, ranked.finish());
  setNamed(parts.special.bos, *parts.vocabulary, "<s>");
  setNamed(parts.special.eos, *parts.vocabulary, "</s>");
  setNamed(parts.special.pad, *parts.vocabulary, "<pad>");
  setNamed(parts.special.unknown, *parts.vocabulary, "<unk>");
  readConfiguredSpecials(context, {.bos = true, .eos = false}, parts);
  return parts;
}

Result<TokenizerParts> tokenizerFromTiktoken(std::string_view text, const TokenizerJsonContext& context) {
  MINERVA_ASSIGN(RankedVocabulary ranked, readTiktoken(text, context.tokenizerConfig));
  MINERVA_ASSIGN(TokenizerParts parts, ranked.finish());
  readConfiguredSpecials(context, {}, parts);
  return parts;
}

// What GGUF calls tekken finds whole words first; what it calls kimi-k2 does not.
Result<json> tokenizerJsonOfRanks(const format::HuggingFaceFiles& files) {
  if (!files.tekken.empty()) {
    MINERVA_ASSIGN(const RankedVocabulary ranked, readTekken(files.tekken));
    return ranked.written(true);
  }
  MINERVA_ASSIGN(const RankedVocabulary ranked, readTiktoken(files.tiktokenModel, files.tokenizerConfig));
  return ranked.written(false);
}

}  // namespace minerva::text
