// The steps of a pre-tokenizer. Semantics: Hugging Face's NormalizedString::split and its five behaviours.
#pragma once

#include "core/text/characters/unicode.h"
#include "core/text/pre_tokenizer/pre_tokenizer.h"

namespace minerva::text {

enum class SplitBehaviour { removed, isolated, mergedWithPrevious, mergedWithNext, contiguous };
[[nodiscard]] Result<SplitBehaviour> splitBehaviour(const nlohmann::json& owner, const char* fallback, const std::string& name);

enum class PrependScheme { always, first, never };

[[nodiscard]] std::unique_ptr<const SplitStep> makePatternSplit(Pattern pattern, SplitBehaviour behaviour, bool invert);
[[nodiscard]] std::unique_ptr<const SplitStep> makeScannerSplit(Scanner scanner);
// Splits at single characters for which `matches` is true.
using CharacterTest = bool (*)(char32_t);
[[nodiscard]] std::unique_ptr<const SplitStep> makeCharacterSplit(CharacterTest matches, SplitBehaviour behaviour);
[[nodiscard]] std::unique_ptr<const SplitStep> makeDelimiterSplit(std::string delimiter);
[[nodiscard]] std::unique_ptr<const SplitStep> makeWordSplit();  // \w+|[^\w\s]+
[[nodiscard]] std::unique_ptr<const SplitStep> makeFixedLength(std::size_t characters);
[[nodiscard]] std::unique_ptr<const SplitStep> makeMetaspace(std::string replacement, PrependScheme scheme, bool split);
[[nodiscard]] std::unique_ptr<const SplitStep> makePrefixSpace();   // before every piece that does not start with one
[[nodiscard]] std::unique_ptr<const SplitStep> makeByteAlphabet();  // writes the pieces in GPT-2's byte alphabet

}  // namespace minerva::text
