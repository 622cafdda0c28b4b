// Adds control tokens around an encoded text: TemplateProcessing and similar post-processors of tokenizer.json. Immutable,
// thread-safe.
#pragma once

#include "core/text/json/json_fields.h"
#include "core/text/vocabulary/vocabulary.h"

#include <span>
#include <variant>
#include <vector>

namespace minerva::text {

class PostProcessor {
 public:
  // Adds no tokens.
  PostProcessor() = default;
  // One token before and one after; noToken for none.
  PostProcessor(TokenId before, TokenId after);
  // Several tokens before, none after; two texts of a pair follow each other, then `afterPair`, unless it is noToken.
  PostProcessor(std::vector<TokenId> before, TokenId afterPair);
  // Errors: corrupt (including tokens outside the vocabulary), unsupported, limit.
  [[nodiscard]] static Result<PostProcessor> fromJson(const nlohmann::json& json, const Vocabulary& vocabulary);

  [[nodiscard]] std::span<const TokenId> before() const { return m_before; }
  [[nodiscard]] std::span<const TokenId> after() const { return m_after; }
  // Always includes the text, even if a malformed template does not.
  [[nodiscard]] std::vector<TokenId> single(std::span<const TokenId> text) const;
  [[nodiscard]] std::vector<TokenId> pair(std::span<const TokenId> a, std::span<const TokenId> b) const;
  // A pair of texts: between them the end of the first one, and `separator` unless it is noToken.
  void joinPairsBy(TokenId separator);
  [[nodiscard]] bool hasTemplate() const { return m_hasTemplate; }

 private:
  struct Item {
    int sequence = -1;  // 0: the text, 1: the second text of a pair, -1: the tokens
    std::vector<TokenId> tokens;
  };
  static Result<std::vector<Item>> parseTemplate(const nlohmann::json& json, const char* field, const Vocabulary& vocabulary);
  [[nodiscard]] Result<std::monostate> add(const nlohmann::json& json, const Vocabulary& vocabulary, int depth);
  [[nodiscard]] Result<std::monostate> addClassic(const nlohmann::json& json, const Vocabulary& vocabulary, bool doubleSeparator);
  void setSingle(std::vector<Item> items);

  std::vector<TokenId> m_before, m_after;
  std::vector<Item> m_pair{{0, {}}, {1, {}}};
  bool m_hasTemplate = false;
};

}  // namespace minerva::text
