// Split patterns by the names that GGUF's tokenizer.ggml.pre uses, one row each (pre_tokenizer_names.cpp).
#pragma once

#include "core/base/error.h"

#include <span>
#include <string_view>

namespace minerva::text {

// What the merges of a vocabulary combine: bytes in GPT-2's alphabet, characters after spaces were written as "▁", or plain
// characters.
enum class MergedSymbols { bytes, markedCharacters, characters };

struct PreTokenizerName {
  std::string_view name;
  std::span<const std::string_view> patterns;  // applied in order; matches and gaps both become pieces
  bool nfc = false;                            // the publisher's tokenizer.json normalizes to NFC
  bool wholeWordFirst = false;                 // the publisher's tokenizer.json has ignore_merges
  bool addsBos = false;                        // default if the file does not say
  MergedSymbols symbols = MergedSymbols::bytes;
};

// Errors: unsupported, listing all known names.
[[nodiscard]] Result<const PreTokenizerName*> preTokenizerNamed(std::string_view name);

// All rows. The usual name of a set of patterns comes before its aliases.
[[nodiscard]] std::span<const PreTokenizerName> preTokenizerNames();

}  // namespace minerva::text
