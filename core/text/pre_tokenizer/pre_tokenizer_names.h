// The names GGUF's tokenizer.ggml.pre gives split patterns, one row each (pre_tokenizer_names.cpp).
#pragma once

#include "core/base/error.h"

#include <span>
#include <string_view>

namespace minerva::text {

struct PreTokenizerName {
  std::string_view name;
  std::span<const std::string_view> patterns;  // applied one after the other, matches and gaps both pieces
  bool nfc = false;                            // the publisher's tokenizer.json normalizes to NFC
  bool wholeWordFirst = false;                 // and has ignore_merges
  bool addsBos = false;                        // where the file does not say
};

// Errors: unsupported, with every name known.
[[nodiscard]] Result<const PreTokenizerName*> preTokenizerNamed(std::string_view name);

// Every row, the usual name of a set of patterns before its others.
[[nodiscard]] std::span<const PreTokenizerName> preTokenizerNames();

}  // namespace minerva::text
