// Normalizers of tokenizer.json, applied to a text before it is split. Each has a small class and a row in the table of
// normalizer.cpp. Immutable, thread-safe. Invalid UTF-8 bytes pass unchanged.
#pragma once

#include "core/base/error.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

namespace minerva::text {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(std::string& text) const = 0;
};

// Returns null for JSON null. Errors: corrupt (a field), unsupported (names the unknown type), limit (nested too deeply).
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> makeNormalizer(const nlohmann::json& json);
// Implemented in normalizer_bert.cpp and normalizer_precompiled.cpp; errors as above.
[[nodiscard]] Result<std::vector<std::unique_ptr<const Normalizer>>> makeBertSteps(const nlohmann::json& json);
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> makePrecompiled(const nlohmann::json& json);
// Transformers' own classes for BERT's tokenizer make its normalizer from tokenizer_config.json (do_lower_case, strip_accents,
// tokenize_chinese_chars), whatever tokenizer.json says; of other classes the latter stays.
[[nodiscard]] nlohmann::json configuredNormalizer(nlohmann::json normalizer, const nlohmann::json& tokenizerConfig);
// Removes nonspacing marks (Mn) only.
[[nodiscard]] std::unique_ptr<const Normalizer> makeNonspacingMarksStripper();
// Unicode's canonical composition (NFC).
[[nodiscard]] std::unique_ptr<const Normalizer> makeNfc();
// Replaces every space by "▁" and, if prepend is set, adds one before a non-empty text (SentencePiece's rule).
[[nodiscard]] std::unique_ptr<const Normalizer> makeSpaceMarker(bool prepend);

}  // namespace minerva::text
