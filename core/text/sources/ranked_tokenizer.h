// A vocabulary of bytes with ranks, from which a tokenizer is made. tiktoken is the reference: a word that is a token is that token; else
// two neighbours merge if together they are a token, the lowest rank first.
#pragma once

#include "core/text/pipeline/pipeline_tokenizer.h"

#include <nlohmann/json.hpp>

namespace minerva::text {

class RankedVocabulary {
 public:
  // file: its name, for errors. firstId: the id of rank 0.
  RankedVocabulary(std::string file, std::int64_t firstId) : m_file(std::move(file)), m_firstId(firstId) {}

  [[nodiscard]] Result<std::monostate> add(std::string_view base64, std::int64_t rank);
  [[nodiscard]] Result<std::monostate> addSpecial(AddedToken token);
  // The number of ranks; all below it must have been added.
  [[nodiscard]] std::size_t ranks() const { return m_ranks; }
  [[nodiscard]] Result<TokenizerParts> finish();
  // As a tokenizer.json.
  [[nodiscard]] nlohmann::json written(bool wholeWordFirst) const;

  [[nodiscard]] Vocabulary& vocabulary() { return *m_parts.vocabulary; }
  [[nodiscard]] const Vocabulary& vocabulary() const { return *m_parts.vocabulary; }
  void addConfigured(std::vector<AddedToken> tokens) { m_added = std::move(tokens); }
  void setPattern(std::string_view pattern) { m_pattern = pattern; }
  void setNfc() { m_nfc = true; }
  [[nodiscard]] std::unexpected<Error> corruptRanks(std::string what, std::string expected, std::string actual) const {
    return fail({ErrorKind::corrupt, std::move(what), m_file, std::move(expected), std::move(actual), ""});
  }

 private:
  std::string m_file;
  std::int64_t m_firstId;
  std::size_t m_ranks = 0;
  bool m_nfc = false;  // text is normalized to NFC before it is split
  std::string m_written, m_pattern;
  std::vector<AddedToken> m_added;
  TokenizerParts m_parts;
};

// The control token of this name, if there is one, as `id`.
void setNamed(std::optional<TokenId>& id, const Vocabulary& vocabulary, std::string_view name);

// A tekken.json as a tokenizer.json; for tokenizerJsonOfRanks().
[[nodiscard]] Result<nlohmann::json> tokenizerJsonOfTekken(std::string_view text);

}  // namespace minerva::text
