// Special tokens as configured in config.json, generation_config.json and tokenizer_config.json.
#include "core/text/sources/tokenizer_sources.h"
#include "core/text/vocabulary/end_of_generation.h"

namespace minerva::text {
namespace {

using nlohmann::json;

class ConfigReader {
 public:
  ConfigReader(const TokenizerJsonContext& context, AddedByDefault defaults, TokenizerParts& parts)
      : m_context(context), m_defaults(defaults), m_parts(parts) {}

  void read() {
    SpecialTokens& special = m_parts.special;
    std::vector<TokenId> begins, ends, pads;
    if (const auto id = specialId("bos_token", "bos_token_id", begins)) special.bos = id;
    if (const auto id = specialId("eos_token", "eos_token_id", ends)) special.eos = id;
    if (const auto id = specialId("pad_token", "pad_token_id", pads)) special.pad = id;
    if (const auto unknown = configuredToken("unk_token")) special.unknown = unknown;
    if (special.eos) ends.push_back(*special.eos);
    special.endOfGeneration = endOfGeneration(vocabulary(), ends, m_context.chatTemplate);
    if (!m_parts.postProcessor.hasTemplate()) wrapAsConfigured();
    const auto before = m_parts.postProcessor.before();
    if (!special.bos && before.size() == 1) special.bos = before[0];
    m_parts.addsBos = special.bos && !before.empty() && before[0] == *special.bos;
  }

 private:
  // Such as "bos_token" in tokenizer_config.json: a string, or an object with "content".
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

  // Collects ids from config.json or generation_config.json: one, or a list. Ids outside the vocabulary are ignored.
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

  // Without a template, add_bos_token and add_eos_token of tokenizer_config.json apply.
  void wrapAsConfigured() {
    const json& config = m_context.tokenizerConfig;
    const auto asked = [&](const char* name, bool fallback) {
      return config.is_object() && config.contains(name) && config[name].is_boolean() ? config[name].get<bool>() : fallback;
    };
    const TokenId before = asked("add_bos_token", m_defaults.bos) ? m_parts.special.bos.value_or(noToken) : noToken;
    const TokenId after = asked("add_eos_token", m_defaults.eos) ? m_parts.special.eos.value_or(noToken) : noToken;
    if (before != noToken || after != noToken) m_parts.postProcessor = PostProcessor(before, after);
  }

  Vocabulary& vocabulary() { return *m_parts.vocabulary; }

  const TokenizerJsonContext& m_context;
  AddedByDefault m_defaults;
  TokenizerParts& m_parts;
};

}  // namespace

void readConfiguredSpecials(const TokenizerJsonContext& context, AddedByDefault defaults, TokenizerParts& parts) {
  ConfigReader(context, defaults, parts).read();
}

}  // namespace minerva::text
