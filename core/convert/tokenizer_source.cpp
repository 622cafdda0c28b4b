// tokenizer.json as tokenizer.ggml.* keys. GGUF states a tokenizer by fewer facts than tokenizer.json: a kind, the name of a
// known way to split, tokens and merges or scores. What has no such name is refused rather than converted wrongly.
#include "core/convert/source.h"
#include "core/format/json_reader.h"
#include "core/text/pre_tokenizer/pre_tokenizer.h"
#include "core/text/pre_tokenizer/pre_tokenizer_names.h"
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
  [[nodiscard]] bool isByteLevel() const {
    return contains(m_json["pre_tokenizer"], "ByteLevel") || contains(m_json["decoder"], "ByteLevel");
  }
  [[nodiscard]] static bool contains(const Json& step, std::string_view type);
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

// A step of this type, or one in a sequence of steps.
bool TokenizerDescription::contains(const Json& step, std::string_view type) {
  if (!step.is_object()) return false;
  if (step.value("type", Json()) == type) return true;
  for (const char* list : {"pretokenizers", "normalizers", "decoders"}) {
    if (!step.contains(list) || !step[list].is_array()) continue;
    if (std::ranges::any_of(step[list], [&](const Json& inner) { return contains(inner, type); })) return true;
  }
  return false;
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
  for (const auto& [token, id] : m_model["vocab"].items()) {
    const bool byte = byteFallback && token.size() == 6 && token.starts_with("<0x") && token.ends_with('>');
    put(token, id, byte ? byteToken : normalToken);
  }
  for (const Json& added : m_json["added_tokens"]) {
    put(added.value("content", std::string()), added["id"], added.value("special", false) ? controlToken : userToken);
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
  const text::SpecialTokens& special = m_tokenizer.special();
  const auto id = [&](const char* key, std::optional<text::TokenId> token) {
    if (token) writer.set(key, static_cast<std::uint32_t>(*token));
  };
  id("tokenizer.ggml.bos_token_id", special.bos);
  id("tokenizer.ggml.eos_token_id", special.eos);
  id("tokenizer.ggml.unknown_token_id", special.unknown);
  id("tokenizer.ggml.padding_token_id", special.pad);
  for (const text::TokenId end : special.endOfGeneration) {
    if (special.eos && end == *special.eos) continue;
    id("tokenizer.ggml.eot_token_id", end);
    break;
  }
  const auto encoded = m_tokenizer.encode("a", {.addSpecial = true, .parseSpecial = false});
  const bool addsEos = special.eos && !encoded.empty() && encoded.back() == *special.eos;
  writer.set("tokenizer.ggml.add_bos_token", m_tokenizer.addsBos());
  writer.set("tokenizer.ggml.add_eos_token", addsEos);
}

Result<void> TokenizerDescription::write(GgufWriter& writer) {
  if (!m_model.is_object() || !m_model["vocab"].is_object() || !m_model["merges"].is_array()) {
    return unsupported("This kind of tokenizer cannot be converted yet", "BPE", m_tokenizer.description());
  }
  listTokens();
  readMerges();
  if (isByteLevel()) {
    MINERVA_ASSIGN(const std::string_view name, preTokenizerName());
    writer.set("tokenizer.ggml.model", "gpt2");
    writer.set("tokenizer.ggml.pre", name);
    writer.set("tokenizer.ggml.merges", m_merges);
  } else if (m_model.value("byte_fallback", Json()) == true) {
    writer.set("tokenizer.ggml.model", "llama");
    writer.set("tokenizer.ggml.pre", "default");
    writeScores(writer);
    writer.set("tokenizer.ggml.add_space_prefix", prependsSpace());
  } else {
    return unsupported("This kind of tokenizer cannot be stored in GGUF", "byte-level BPE, or BPE with byte fallback",
                       m_tokenizer.description());
  }
  writer.set("tokenizer.ggml.tokens", m_tokens);
  writer.set("tokenizer.ggml.token_type", m_types);
  writeSpecials(writer);
  const std::string& chatTemplate = m_file.huggingFace().chatTemplate;
  if (!chatTemplate.empty()) writer.set("tokenizer.chat_template", chatTemplate);
  return {};
}

}  // namespace

Result<void> describeTokenizer(const format::ModelFile& file, std::size_t rows, GgufWriter& writer) {
  // The tokenizer itself checks every field that is read here.
  MINERVA_ASSIGN(const auto tokenizer, text::createTokenizer(file));
  if (file.huggingFace().tokenizerJson.empty()) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "A tokenizer.model cannot be converted yet",
                 .where = file.path().string(),
                 .expected = "tokenizer.json",
                 .actual = "tokenizer.model"});
  }
  MINERVA_ASSIGN(Json json, format::parseJson(file.huggingFace().tokenizerJson, file.path().string() + ", tokenizer.json"));
  return TokenizerDescription(file, *tokenizer, rows, std::move(json)).write(writer);
}

}  // namespace minerva::convert
