// Prompts for the text between two others, as editors ask for code at the cursor ("fill in the middle"; Bavarian et al. 2022,
// arXiv:2207.14255), in the form that a model was trained on. Its vocabulary tells which.
#pragma once

#include "core/text/tokenizer.h"

namespace minerva::text {

// nullopt: the model has no tokens for it.
[[nodiscard]] std::optional<std::vector<TokenId>> infillPrompt(const Tokenizer& tokenizer, std::string_view before, std::string_view after);
// Other texts of a project, to stand before such a prompt (behind its first token, if that begins a text): in the form that a model was
// trained on (Qwen2.5-Coder, arXiv:2409.12186), if its vocabulary has the tokens, otherwise one after the other.
struct InfillFile {
  std::string name, text;
};
[[nodiscard]] std::vector<TokenId> infillContext(const Tokenizer& tokenizer, std::span<const InfillFile> files);
[[nodiscard]] bool canInfill(const Tokenizer& tokenizer);
// By the vocabulary in the file, of which no tokenizer is made.
[[nodiscard]] bool canInfill(const format::ModelFile& file);

}  // namespace minerva::text
