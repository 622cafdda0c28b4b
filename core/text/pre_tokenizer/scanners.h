// Hand-written equivalents of the split patterns of real models, each tested against PCRE2 on the same pattern.
//
// A scanner finds the end of the piece that begins at pos, for a pattern whose matches and gaps both become pieces (Hugging
// Face's "Isolated"). Pure functions on any bytes: an invalid UTF-8 byte counts as a symbol. Amortized O(1) per byte.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace minerva::text {

// Returns a position in (pos, text.size()]. Precondition: pos < text.size().
using Scanner = std::size_t (*)(std::string_view text, std::size_t pos);

struct KnownPattern {
  std::string_view pattern;  // as written in tokenizer.json
  Scanner scanner;
};

[[nodiscard]] std::span<const KnownPattern> knownPatterns();
// Returns null if the pattern has no scanner.
[[nodiscard]] Scanner scannerFor(std::string_view pattern);

namespace patterns {
inline constexpr std::string_view gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view llama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view qwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view qwen35 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view o200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view tekken =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view cl100k =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
inline constexpr std::string_view digit = R"(\p{N})";
// The steps of DeepSeek's and Falcon's pre-tokenizers.
inline constexpr std::string_view lineEnd = "[\r\n]";
inline constexpr std::string_view threeDigits = "[0-9][0-9][0-9]";
inline constexpr std::string_view numbers = R"(\p{N}+)";
inline constexpr std::string_view cjk = "[一-龥ࠀ-一가-퟿]+";
inline constexpr std::string_view kana = "[一-龥぀-ゟ゠-ヿ]+";
inline constexpr std::string_view falconPunctuation = R"([\p{P}\$\+<=>\^~\|`]+)";
inline constexpr std::string_view plainPunctuation = R"([\p{P}\$\+<=>\^~\|]+)";
inline constexpr std::string_view deepseekLetters = R"(\s?\p{L}+)";
inline constexpr std::string_view deepseekCasedLetters = R"(\s?[\p{Lu}\p{Ll}\p{Lt}]+)";
inline constexpr std::string_view deepseekPunctuation = R"(\s?\p{P}+)";
inline constexpr std::string_view deepseekSymbols = R"(\s?[!-/:-~！-／：-～‘-‟　-。]+)";
inline constexpr std::string_view spaceAtEnd = R"(\s+$)";
inline constexpr std::string_view deepseek3Words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view spark25Words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
// Llama 3's with numbers of any length.
inline constexpr std::string_view miniCpm5Words =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view digits3 = R"(\p{N}{1,3})";
// Digits in threes, counted from the end of the number (AFMoE, Tiny Aya).
inline constexpr std::string_view groupedNumbers = R"(\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))";
inline constexpr std::string_view groupedWords = R"(\d{1,3}(?=(?:\d{3})*\b))";
}  // namespace patterns

}  // namespace minerva::text
