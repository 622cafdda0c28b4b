// A tokenizer for tests of what the engine does with markers.
#pragma once

#include "core/text/tokenizer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace minerva::text {

// A tokenizer with some named tokens, of which the first are control tokens; every other token is a single byte, with id 1000 + byte.
class NamedTokens final : public Tokenizer {
 public:
  explicit NamedTokens(std::vector<std::string> names, TokenId controls = 1000) : m_names(std::move(names)), m_controls(controls) {}
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text, EncodeOptions) const override {
    std::vector<TokenId> ids;
    while (!text.empty()) {
      TokenId id = 1000 + static_cast<unsigned char>(text[0]);
      std::size_t length = 1;
      for (std::size_t i = 0; i < m_names.size(); ++i)
        if (text.starts_with(m_names[i])) id = static_cast<TokenId>(i), length = m_names[i].size();
      ids.push_back(id);
      text.remove_prefix(length);
    }
    return ids;
  }
  [[nodiscard]] std::string decode(std::span<const TokenId> ids, DecodeOptions) const override {
    std::string text;
    for (const TokenId id : ids) text += piece(id);
    return text;
  }
  [[nodiscard]] std::string piece(TokenId id) const override {
    return id >= 1000 ? std::string(1, static_cast<char>(id - 1000)) : m_names[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] std::size_t vocabularySize() const override { return 1256; }
  [[nodiscard]] bool isControl(TokenId id) const override {
    const bool isText = id >= m_controls && static_cast<std::size_t>(id) < m_names.size();
    return id < 1000 && !isText;
  }
  [[nodiscard]] std::optional<TokenId> find(std::string_view token) const override {
    for (std::size_t i = 0; i < m_names.size(); ++i)
      if (m_names[i] == token) return static_cast<TokenId>(i);
    return std::nullopt;
  }
  [[nodiscard]] const SpecialTokens& special() const override { return m_special; }
  [[nodiscard]] bool addsBos() const override { return false; }
  [[nodiscard]] std::string description() const override { return "names"; }

 private:
  std::vector<std::string> m_names;
  TokenId m_controls;
  SpecialTokens m_special;
};

}  // namespace minerva::text
