// tekken.json, of Mistral.
#include "core/format/json_reader.h"
#include "core/text/ranked_vocabulary.h"
#include "core/text/sources/json_model.h"
#include "core/text/sources/ranked_tokenizer.h"
#include "core/text/sources/tokenizer_sources.h"

#include <algorithm>

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
// Those without a name take memory that the file does not. Published files have 1000.
constexpr std::int64_t mostTekkenSpecialTokens = 65536;

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
    return ranked.corruptRanks("the vocabulary is too small", std::to_string(count) + " tokens", std::to_string(ranked.ranks()));
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

// What GGUF calls tekken finds whole words first.
Result<json> tokenizerJsonOfTekken(std::string_view text) {
  MINERVA_ASSIGN(const RankedVocabulary ranked, readTekken(text));
  return ranked.written(true);
}

}  // namespace minerva::text
