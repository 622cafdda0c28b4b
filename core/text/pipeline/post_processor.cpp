#include "core/text/pipeline/post_processor.h"

namespace minerva::text {
namespace {

Error noSuchToken(const std::string& name, const nlohmann::json& json) {
  return fieldError("post-processor", name, "tokens of the vocabulary", &json);
}

}  // namespace

PostProcessor::PostProcessor(TokenId before, TokenId after) {
  if (before != noToken) m_before.push_back(before);
  if (after != noToken) m_after.push_back(after);
  m_pair = {{-1, m_before}, {0, {}}, {-1, m_after}, {-1, m_before}, {1, {}}, {-1, m_after}};
  m_hasTemplate = true;
}

PostProcessor::PostProcessor(std::vector<TokenId> before, TokenId afterPair) : m_before(std::move(before)), m_hasTemplate(true) {
  m_pair = {{-1, m_before}, {0, {}}, {1, {}}};
  if (afterPair != noToken) m_pair.push_back({-1, {afterPair}});
}

void PostProcessor::joinPairsBy(TokenId separator) {
  std::vector<TokenId> between = m_after;
  if (separator != noToken) between.push_back(separator);
  m_pair = {{-1, m_before}, {0, {}}, {-1, std::move(between)}, {1, {}}, {-1, m_after}};
}

std::vector<TokenId> PostProcessor::single(std::span<const TokenId> text) const {
  std::vector<TokenId> out(m_before);
  out.insert(out.end(), text.begin(), text.end());
  out.insert(out.end(), m_after.begin(), m_after.end());
  return out;
}

std::vector<TokenId> PostProcessor::pair(std::span<const TokenId> a, std::span<const TokenId> b) const {
  std::vector<TokenId> out;
  for (const Item& item : m_pair) {
    const std::span<const TokenId> part = item.sequence == 0 ? a : item.sequence == 1 ? b : std::span<const TokenId>(item.tokens);
    out.insert(out.end(), part.begin(), part.end());
  }
  return out;
}

void PostProcessor::setSingle(std::vector<Item> items) {
  m_before.clear();
  m_after.clear();
  bool seen = false;
  for (const Item& item : items) {
    if (item.sequence >= 0) seen = true;
    std::vector<TokenId>& side = seen ? m_after : m_before;
    side.insert(side.end(), item.tokens.begin(), item.tokens.end());
  }
  m_hasTemplate = true;
}

Result<std::vector<PostProcessor::Item>> PostProcessor::parseTemplate(const nlohmann::json& json, const char* field,
                                                                      const Vocabulary& vocabulary) {
  const std::string name = "post-processor 'TemplateProcessing'";
  MINERVA_ASSIGN(const nlohmann::json* members, arrayField(json, field, name));
  std::vector<Item> items;
  for (const nlohmann::json& member : *members) {
    if (member.is_object() && member.contains("Sequence")) {
      const auto which = stringField(member["Sequence"], "id", name);
      if (!which) return fail(which.error());
      items.push_back({which->starts_with('B') ? 1 : 0, {}});
      continue;
    }
    if (!member.is_object() || !member.contains("SpecialToken")) return fail(fieldError(name, field, "Sequence or SpecialToken", &member));
    MINERVA_ASSIGN(const std::string token, stringField(member["SpecialToken"], "id", name));
    const auto specials = json.find("special_tokens");
    if (specials == json.end() || !specials->is_object() || !specials->contains(token))
      return fail(fieldError(name, "special_tokens", "an entry '" + token + "'", nullptr));
    MINERVA_ASSIGN(const nlohmann::json* ids, arrayField((*specials)[token], "ids", name));
    Item item;
    for (const nlohmann::json& id : *ids) {
      if (!id.is_number_integer() || id < 0 || id > highestTokenId || !vocabulary.has(id.get<TokenId>()))
        return fail(noSuchToken("special_tokens", id));
      item.tokens.push_back(id.get<TokenId>());
    }
    items.push_back(std::move(item));
  }
  return items;
}

// BertProcessing and RobertaProcessing: {"sep": [text, id], "cls": [text, id]}.
Result<std::monostate> PostProcessor::addClassic(const nlohmann::json& json, const Vocabulary& vocabulary, bool doubleSeparator) {
  const auto read = [&](const char* field) -> Result<TokenId> {
    MINERVA_ASSIGN(const nlohmann::json* entry, arrayField(json, field, "post-processor"));
    const bool good = entry->size() == 2 && (*entry)[1].is_number_integer() && (*entry)[1] >= 0 && (*entry)[1] <= highestTokenId &&
                      vocabulary.has((*entry)[1].get<TokenId>());
    if (!good) return fail(noSuchToken(field, *entry));
    return (*entry)[1].get<TokenId>();
  };
  MINERVA_ASSIGN(const TokenId separator, read("sep"));
  MINERVA_ASSIGN(const TokenId start, read("cls"));
  setSingle({{-1, {start}}, {0, {}}, {-1, {separator}}});
  m_pair = {{-1, {start}}, {0, {}}, {-1, {separator}}, {1, {}}, {-1, {separator}}};
  if (doubleSeparator) m_pair[2].tokens.push_back(separator);
  return {};
}

Result<std::monostate> PostProcessor::add(const nlohmann::json& json, const Vocabulary& vocabulary, int depth) {
  if (json.is_null()) return {};
  if (depth > deepestNesting)
    return fail({ErrorKind::limit, "the tokenizer's post-processors are nested too deeply", "tokenizer.json", "at most 16 levels", "", ""});
  MINERVA_ASSIGN(const std::string type, stringField(json, "type", "post-processor"));
  if (type == "ByteLevel") return {};  // it only changes offsets
  if (type == "BertProcessing") return addClassic(json, vocabulary, false);
  if (type == "RobertaProcessing") return addClassic(json, vocabulary, true);
  if (type == "Sequence") {
    MINERVA_ASSIGN(const nlohmann::json* members, arrayField(json, "processors", "post-processor 'Sequence'"));
    for (const nlohmann::json& member : *members) MINERVA_TRY(add(member, vocabulary, depth + 1));
    return {};
  }
  if (type == "TemplateProcessing") {
    MINERVA_ASSIGN(std::vector<Item> items, parseTemplate(json, "single", vocabulary));
    setSingle(std::move(items));
    MINERVA_ASSIGN(m_pair, parseTemplate(json, "pair", vocabulary));
    return {};
  }
  return fail({ErrorKind::unsupported, "post-processor '" + type + "' is not known", "tokenizer.json",
               "Sequence, TemplateProcessing, ByteLevel, BertProcessing, RobertaProcessing", type, ""});
}

Result<PostProcessor> PostProcessor::fromJson(const nlohmann::json& json, const Vocabulary& vocabulary) {
  PostProcessor made;
  MINERVA_TRY(made.add(json, vocabulary, 0));
  return made;
}

}  // namespace minerva::text
