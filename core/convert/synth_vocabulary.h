// A valid byte-level BPE vocabulary of the size asked for: bytes, pairs of letters, beginnings of words and four-letter pieces,
// so that random tokens make text of about the length a real model's would.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace minerva::convert {

struct SynthVocabulary {
  std::vector<std::string> tokens;       // in id order, in GPT-2's byte alphabet
  std::vector<std::int32_t> tokenTypes;  // ids of llama.cpp's token types
  std::vector<std::string> merges;       // "a b"
  std::uint32_t bos = 0;
  std::uint32_t eos = 0;
  std::string chatTemplate;
};

// size: 1024 to 475 000.
[[nodiscard]] SynthVocabulary synthVocabulary(int size);
// The same as a tokenizer.json.
[[nodiscard]] std::string tokenizerJson(const SynthVocabulary& vocabulary);

}  // namespace minerva::convert
