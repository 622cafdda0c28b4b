#include "core/engine/draft_vocabulary.h"

#include "core/base/utf8.h"

#include <algorithm>

namespace minerva::engine {
namespace {

constexpr const char* anotherDraft = "Choose a smaller model of the same family, or none";

// A piece may be a part of a character.
std::string quoted(const text::Tokenizer& tokenizer, text::TokenId id) {
  const std::string kind = tokenizer.isControl(id) ? " (special)" : "";
  return '"' + utf8::printable(utf8::replaceBroken(tokenizer.piece(id))) + '"' + kind;
}

bool meansTheSame(const text::Tokenizer& target, const text::Tokenizer& draft, text::TokenId id) {
  return (target.isControl(id) && draft.isControl(id)) || target.piece(id) == draft.piece(id);
}

}  // namespace

Result<void> checkSameVocabulary(const text::Tokenizer* target, const text::Tokenizer* draft, const std::string& where) {
  if (target == nullptr || draft == nullptr) {
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The vocabularies of the model and its draft model cannot be compared",
                 .where = where,
                 .expected = "two models with tokenizers",
                 .actual = draft == nullptr ? "no usable tokenizer in the draft model" : "no usable tokenizer in the model",
                 .hint = anotherDraft});
  }
  const std::size_t both = std::min(target->vocabularySize(), draft->vocabularySize());
  for (std::size_t i = 0; i < both; ++i) {
    const auto id = static_cast<text::TokenId>(i);
    if (meansTheSame(*target, *draft, id)) continue;
    return fail({.kind = ErrorKind::unsupported,
                 .what = "The draft model has another vocabulary",
                 .where = where,
                 .expected = "token " + std::to_string(id) + " = " + quoted(*target, id),
                 .actual = quoted(*draft, id),
                 .hint = anotherDraft});
  }
  return {};
}

}  // namespace minerva::engine
