// tokenizer.json, or ranks as one, as tokenizer.ggml.* keys. GGUF states a tokenizer by fewer facts than tokenizer.json: a kind, the name
// of a known way to split, tokens and merges or scores. What has no such name is refused rather than converted wrongly.
#include "core/format/model_file.h"
#include "core/convert/source.h"
#include "core/format/json_reader.h"
#include "core/text/normalizer/base64.h"
#include "core/text/normalizer/normalizer.h"
#include "core/text/pre_tokenizer/pre_tokenizer.h"
#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
#include "core/text/ranked_vocabulary.h"
#include "core/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace minerva::convert {

namespace {

using Json = nlohmann::json;

// Ids of llama.cpp's token types.
enum : std::int32_t { normalToken = 1, unknownToken = 2, controlToken = 3, userToken = 4, unusedToken = 5, byteToken = 6 };

// Splits differ where words, marks, digits, white space, scripts and contractions meet: that is what this holds.
constexpr std::string_view probe =
    "Hello, World!  It's 12345.678 o'clock; we'LL see\tTABS\n\n  indented\r\nx = foo_bar(3, 'a b') // done?\n\n\n"
    "don't I'm they've HE'S 3.14e-10 100,000 ½ ² ٣٤٥ १२३ naïve café Straße ΑΒΓ абв 你好，世界。 日本語テキスト 한국어 ไทย "
    "العربية עברית हिन्दी 😀👍🏽👨‍👩‍👧 ...!!! $5 #tag @me a/b\\c <html> {\"k\": [1,2]} ~`^|+=* camelCaseWord XMLHttp v2.0 "
    "   trailing   \n \n\t\t end's  ";

class TokenizerDescription {
 public:
  TokenizerDescription(const format::ModelFile& file, const text::Tokenizer& tokenizer, std::size_t rows, Json json)
      : m_file(file), m_tokenizer(tokenizer), m_rows(rows), m_json(std::move(json)), m_model(m_json["model"]) {}

  Result<void> write(GgufWriter& writer);

 private:
  void listTokens();
  void readMerges();
  Result<void> writeBpe(GgufWriter& writer);
  Result<void> writeWordPiece(GgufWriter& writer);
  Result<void> writeUnigram(GgufWriter& writer);
  [[nodiscard]] bool isByteLevel() const {
    return contains(m_json["pre_tokenizer"], "ByteLevel") || contains(m_json["decoder"], "ByteLevel");
  }
  [[nodiscard]] static const Json* find(const Json& step, std::string_view type);
  [[nodiscard]] static bool contains(const Json& step, std::string_view type) { return find(step, type) != nullptr; }
  [[nodiscard]] std::optional<text::TokenId> configured(const char* name) const;
  [[nodiscard]] bool prependsSpace() const;
  Result<std::string_view> preTokenizerName() const;
  void writeScores(GgufWriter& writer) const;
  void writeSpecials(GgufWriter& writer) const;
  std::unexpected<Error> unsupported(std::string what, std::string expected, std::string actual) const {
    return fail({.kind = ErrorKind::unsupported,
                 .what = std::move(what),
                 .where = m_file.path().string() + ", tokenizer.json",
                 .expected = std::move(expected),
                 .actual = std::move(actual)});
  }

  const format::ModelFile& m_file;
  const text::Tokenizer& m_tokenizer;
  std::size_t m_rows;
  Json m_json;
  Json& m_model;
  std::vector<std::string> m_tokens, m_merges;
  std::vector<std::int32_t> m_types;
  std::unordered_map<std::string, float> m_scores;  // of merged tokens, by the merge that makes them first
};

// A step of this type, or one in a sequence of steps; null: there is none.
const Json* TokenizerDescription::find(const Json& step, std::string_view type) {
  if (!step.is_object()) return nullptr;
  if (step.value("type", Json()) == type) return &step;
  for (const char* list : {"pretokenizers", "normalizers", "decoders"}) {
    if (!step.contains(list) || !step[list].is_array()) continue;
    for (const Json& inner : step[list]) {
      if (const Json* found = find(inner, type)) return found;
    }
  }
  return nullptr;
}

// A token that tokenizer_config.json names: a text, or an object with "content".
std::optional<text::TokenId> TokenizerDescription::configured(const char* name) const {
  const Json& config = m_file.huggingFace().tokenizerConfig;
  const Json named = config.is_object() ? config.value(name, Json()) : Json();
  const Json text = named.is_object() ? named.value("content", Json()) : named;
  return text.is_string() ? m_tokenizer.find(text.get_ref<const std::string&>()) : std::nullopt;
}

void TokenizerDescription::listTokens() {
  const bool byteFallback = m_model.value("byte_fallback", Json()) == true;
  const auto put = [&](const std::string& token, const Json& id, std::int32_t type) {
    if (!id.is_number_unsigned()) return;
    const auto index = id.get<std::size_t>();
    if (index >= m_tokens.size()) {
      m_tokens.resize(index + 1);
      m_types.resize(index + 1, 0);
    }
    m_tokens[index] = token;
    m_types[index] = type;
  };
  const Json& vocabulary = m_model["vocab"];  // names and ids, or a list of names and scores
  for (const auto& [key, value] : vocabulary.items()) {
    if (vocabulary.is_array()) {
      put(value[0].get<std::string>(), std::stoul(key), normalToken);
      continue;
    }
    const bool byte = byteFallback && key.size() == 6 && key.starts_with("<0x") && key.ends_with('>');
    put(key, value, byte ? byteToken : normalToken);
  }
  for (const Json& added : m_json["added_tokens"]) {  // their ids in the file may be others than those the tokenizer gives them
    const auto content = added.value("content", std::string());
    if (const auto id = m_tokenizer.find(content))
      put(content, static_cast<std::size_t>(*id), added.value("special", false) ? controlToken : userToken);
  }
  const auto unknown = m_tokenizer.special().unknown;
  if (unknown && byteFallback && static_cast<std::size_t>(*unknown) < m_types.size())
    m_types[static_cast<std::size_t>(*unknown)] = unknownToken;
  // Rows of the embedding that no token has, and ids nobody named.
  m_tokens.resize(std::max(m_tokens.size(), m_rows));
  m_types.resize(m_tokens.size(), 0);
  for (std::size_t i = 0; i < m_tokens.size(); ++i) {
    if (m_types[i] != 0) continue;
    m_tokens[i] = "[PAD" + std::to_string(i) + "]";
    m_types[i] = unusedToken;
  }
}

// Merges are "left right", or ["left", "right"].
void TokenizerDescription::readMerges() {
  for (const Json& merge : m_model["merges"]) {
    std::string left, right;
    if (merge.is_array() && merge.size() == 2) {
      left = merge[0].get<std::string>();
      right = merge[1].get<std::string>();
    } else {
      const auto text = merge.get<std::string>();
      left = text.substr(0, text.find(' '));
      right = text.substr(std::min(text.size(), left.size() + 1));
    }
    m_merges.push_back(left + " " + right);
    m_scores.try_emplace(left + right, -static_cast<float>(m_merges.size()));
  }
}

// The first name whose patterns cut the probe as tokenizer.json's own steps do.
Result<std::string_view> TokenizerDescription::preTokenizerName() const {
  const auto cut = [](const text::PreTokenizer& preTokenizer) {
    text::Splitting splitting(probe, true);
    preTokenizer.apply(splitting);
    std::vector<std::string> pieces;
    for (const auto& piece : splitting.pieces) pieces.emplace_back(splitting.of(piece));
    return pieces;
  };
  MINERVA_ASSIGN(const text::PreTokenizer own, text::PreTokenizer::fromJson(m_json["pre_tokenizer"]));
  const auto pieces = cut(own);
  const bool wholeWordFirst = m_model.value("ignore_merges", Json()) == true;
  const bool nfc = contains(m_json["normalizer"], "NFC");
  std::string_view second;
  for (const text::PreTokenizerName& row : text::preTokenizerNames()) {
    if (row.name == "default" || row.wholeWordFirst != wholeWordFirst || row.symbols != text::MergedSymbols::bytes) continue;
    MINERVA_ASSIGN(const text::PreTokenizer candidate, text::PreTokenizer::fromPatterns(row.patterns));
    if (cut(candidate) != pieces) continue;
    if (row.nfc == nfc) return row.name;
    if (second.empty()) second = row.name;
  }
  if (!second.empty()) return second;
  return unsupported("GGUF has no name for this pre-tokenizer", "a known pre-tokenizer",
                     m_json["pre_tokenizer"].dump(-1, ' ', true, Json::error_handler_t::replace).substr(0, 200));
}

bool TokenizerDescription::prependsSpace() const {
  if (contains(m_json["normalizer"], "Prepend")) return true;
  const std::string text = m_json["pre_tokenizer"].dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.find("\"Metaspace\"") != std::string::npos && text.find("\"never\"") == std::string::npos &&
         text.find("\"add_prefix_space\":false") == std::string::npos;
}

// SentencePiece merges whatever neighbours make the token of the highest score: the earliest merge, so.
void TokenizerDescription::writeScores(GgufWriter& writer) const {
  std::vector<float> scores;
  for (std::size_t i = 0; i < m_tokens.size(); ++i) {
    const auto merged = m_scores.find(m_tokens[i]);
    const bool plain = m_types[i] == normalToken;
    scores.push_back(!plain ? 0 : merged != m_scores.end() ? merged->second : -1e9F);
  }
  writer.set("tokenizer.ggml.scores", scores);
}

void TokenizerDescription::writeSpecials(GgufWriter& writer) const {
  text::SpecialTokens special = m_tokenizer.special();
  const auto separator = configured("sep_token");
  if (!special.eos) special.eos = separator;
  const auto id = [&](const char* key, std::optional<text::TokenId> token) {
    if (token) writer.set(key, static_cast<std::uint32_t>(*token));
  };
  id("tokenizer.ggml.bos_token_id", special.bos);
  id("tokenizer.ggml.eos_token_id", special.eos);
  id("tokenizer.ggml.unknown_token_id", special.unknown);
  id("tokenizer.ggml.padding_token_id", special.pad);
  id("tokenizer.ggml.seperator_token_id", separator);  // the key is spelled like this
  id("tokenizer.ggml.mask_token_id", configured("mask_token"));
  std::vector<text::TokenId> otherEnds = special.endOfGeneration;
  if (special.eos) std::erase(otherEnds, *special.eos);
  if (!otherEnds.empty()) id("tokenizer.ggml.eot_token_id", otherEnds.front());
  if (otherEnds.size() > 1) writer.set("tokenizer.ggml.eos_token_ids", special.endOfGeneration);
  const auto encoded = m_tokenizer.encode("a", {.addSpecial = true, .parseSpecial = false});
  const bool addsEos = special.eos && !encoded.empty() && encoded.back() == *special.eos;
  writer.set("tokenizer.ggml.add_bos_token", m_tokenizer.addsBos());
  writer.set("tokenizer.ggml.add_eos_token", addsEos);
  // Of two texts, whether a separator stands between them beside the end of the first one.
  const auto plain = m_tokenizer.encode("a", {.addSpecial = false, .parseSpecial = false});
  const auto pair = m_tokenizer.encodePair("a", "a", {.addSpecial = true, .parseSpecial = false});
  if (separator) writer.set("tokenizer.ggml.add_sep_token", pair.size() > encoded.size() + plain.size() + (addsEos ? 1 : 0));
}

Result<void> TokenizerDescription::writeBpe(GgufWriter& writer) {
  readMerges();
  if (isByteLevel()) {
    MINERVA_ASSIGN(const std::string_view name, preTokenizerName());
    writer.set("tokenizer.ggml.model", "gpt2");
    writer.set("tokenizer.ggml.pre", name);
    writer.set("tokenizer.ggml.merges", m_merges);
    return {};
  }
  if (m_model.value("byte_fallback", Json()) != true) {
    return unsupported("This kind of tokenizer cannot be stored in GGUF", "byte-level BPE, or BPE with byte fallback",
                       m_tokenizer.description());
  }
  writer.set("tokenizer.ggml.model", "llama");
  writer.set("tokenizer.ggml.pre", "default");
  writeScores(writer);
  writer.set("tokenizer.ggml.add_space_prefix", prependsSpace());
  return {};
}

// GGUF marks the first piece of a word ("\u2581") where BERT's own files mark the others ("##").
Result<void> TokenizerDescription::writeWordPiece(GgufWriter& writer) {
  const std::string continuing = m_model.value("continuing_subword_prefix", std::string("##"));
  m_json["normalizer"] = text::configuredNormalizer(std::move(m_json["normalizer"]), m_file.huggingFace().tokenizerConfig);
  const Json* normalizer = find(m_json["normalizer"], "BertNormalizer");
  if (!normalizer || !contains(m_json["pre_tokenizer"], "BertPreTokenizer") || continuing.empty()) {
    return unsupported("This kind of WordPiece tokenizer cannot be stored in GGUF",
                       "one with BertNormalizer and BertPreTokenizer that marks the pieces within a word", m_tokenizer.description());
  }
  for (std::size_t i = 0; i < m_tokens.size(); ++i) {
    if (m_types[i] == controlToken) continue;
    m_tokens[i] = m_tokens[i].starts_with(continuing) ? m_tokens[i].substr(continuing.size()) : "\u2581" + m_tokens[i];
  }
  writer.set("tokenizer.ggml.model", "bert");
  writer.set("tokenizer.ggml.pre", "default");
  for (const char* key : {"lowercase", "strip_accents"}) {
    const Json value = normalizer->value(key, Json());
    if (value.is_boolean()) writer.set(std::string("tokenizer.ggml.normalizer.") + key, value.get<bool>());
  }
  return {};
}

// XLM-RoBERTa's. Whether spaces are removed at the ends, and all but one within, follows from several steps of tokenizer.json.
Result<void> TokenizerDescription::writeUnigram(GgufWriter& writer) {
  constexpr float unused = -10000;
  std::vector<float> scores(m_tokens.size(), unused);
  const Json& vocabulary = m_model["vocab"];
  for (std::size_t i = 0; i < vocabulary.size(); ++i) scores[i] = vocabulary[i][1].get<float>();
  if (const auto unknown = m_tokenizer.special().unknown) m_types[static_cast<std::size_t>(*unknown)] = unknownToken;
  writer.set("tokenizer.ggml.model", "t5");
  writer.set("tokenizer.ggml.pre", "default");
  writer.set("tokenizer.ggml.scores", scores);
  writer.set("tokenizer.ggml.add_space_prefix", prependsSpace());
  writer.set("tokenizer.ggml.remove_extra_whitespaces",
             contains(m_json["pre_tokenizer"], "WhitespaceSplit") || contains(m_json["normalizer"], "Replace"));
  const Json* rules = find(m_json["normalizer"], "Precompiled");
  const auto bytes = rules ? text::decodeBase64(rules->value("precompiled_charsmap", std::string())) : std::nullopt;
  if (bytes && !bytes->empty()) {
    writer.set("tokenizer.ggml.precompiled_charsmap", std::span(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()));
  }
  return {};
}

Result<void> TokenizerDescription::write(GgufWriter& writer) {
  const bool named = m_model.is_object() && m_model["vocab"].is_object();
  const bool merges = named && m_model["merges"].is_array(), words = named && m_model.value("type", Json()) == "WordPiece";
  const bool scored = m_model.is_object() && m_model["vocab"].is_array();
  if (!merges && !words && !scored) {
    return unsupported("This kind of tokenizer cannot be converted yet", "BPE, WordPiece or Unigram", m_tokenizer.description());
  }
  listTokens();
  MINERVA_TRY(merges ? writeBpe(writer) : words ? writeWordPiece(writer) : writeUnigram(writer));
  writer.set("tokenizer.ggml.tokens", m_tokens);
  writer.set("tokenizer.ggml.token_type", m_types);
  writeSpecials(writer);
  const std::string &chatTemplate = m_file.huggingFace().chatTemplate, &toolTemplate = m_file.huggingFace().toolTemplate;
  if (!chatTemplate.empty()) writer.set("tokenizer.chat_template", chatTemplate);
  if (chatTemplate.empty() || toolTemplate.empty()) return {};
  writer.set("tokenizer.chat_template.tool_use", toolTemplate);
  writer.set("tokenizer.chat_templates", std::vector<std::string>{"tool_use"});
  return {};
}

}  // namespace

Result<void> describeTokenizer(const format::ModelFile& file, std::size_t rows, GgufWriter& writer) {
  // The tokenizer itself checks every field that is read here.
  MINERVA_ASSIGN(const auto tokenizer, text::createTokenizer(file));
  const format::HuggingFaceFiles& files = file.huggingFace();
  const bool written = !files.tokenizerJson.empty();
  if (!written && !text::isRanked(files)) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "A tokenizer.model cannot be converted yet",
                 .where = file.path().string(),
                 .expected = "tokenizer.json",
                 .actual = "tokenizer.model"});
  }
  MINERVA_ASSIGN(Json json, written ? format::parseJson(files.tokenizerJson, file.path().string() + ", tokenizer.json")
                                    : text::tokenizerJsonOfRanks(files));
  return TokenizerDescription(file, *tokenizer, rows, std::move(json)).write(writer);
}

}  // namespace minerva::convert
