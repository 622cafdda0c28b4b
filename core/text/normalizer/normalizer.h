// What happens to a text before it is split: tokenizer.json's normalizers, one small class each and a row in the table
// of normalizer.cpp. Immutable, thread-safe. Bytes that are no characters pass unchanged.
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

// Null for none (JSON null). Errors: corrupt (a field), unsupported (a type not known, named).
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> makeNormalizer(const nlohmann::json& json);
// Two kinds with a file of their own (normalizer_bert.cpp, normalizer_precompiled.cpp); errors as above.
[[nodiscard]] Result<std::vector<std::unique_ptr<const Normalizer>>> makeBertSteps(const nlohmann::json& json);
[[nodiscard]] Result<std::unique_ptr<const Normalizer>> makePrecompiled(const nlohmann::json& json);
// Takes away nonspacing marks (Mn) only.
[[nodiscard]] std::unique_ptr<const Normalizer> makeNonspacingMarksStripper();
// Unicode's canonical composition, as above.
[[nodiscard]] std::unique_ptr<const Normalizer> makeNfc();
// "▁" for every space and, where asked, one before a text that is not empty (SentencePiece's own rule).
[[nodiscard]] std::unique_ptr<const Normalizer> makeSpaceMarker(bool prepend);

}  // namespace minerva::text
