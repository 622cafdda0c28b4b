// GPT-2's byte alphabet, used by vocabularies of byte-level BPE: every byte is written as one visible character (" " as
// "Ġ").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace minerva::text {

// The character that represents a byte, as UTF-8 (one or two bytes).
[[nodiscard]] std::string_view byteToWritten(std::uint8_t byte);
// The byte that a character represents; nullopt if the character is not in the alphabet.
[[nodiscard]] std::optional<std::uint8_t> writtenToByte(char32_t character);

void appendWritten(std::string& out, std::string_view bytes);
// Appends the bytes that a token represents; a token with a character outside the alphabet is appended unchanged.
void appendBytesOfWritten(std::string& out, std::string_view written);

}  // namespace minerva::text
