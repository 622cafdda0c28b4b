// GPT-2's byte alphabet: every byte written as one visible character (" " is "Ġ"), as vocabularies of byte-level BPE are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace minerva::text {

// The character that stands for a byte, as UTF-8 (one or two bytes).
[[nodiscard]] std::string_view byteToWritten(std::uint8_t byte);
// The byte a character stands for.
[[nodiscard]] std::optional<std::uint8_t> writtenToByte(char32_t character);

void appendWritten(std::string& out, std::string_view bytes);
// The bytes a written token stands for; a token with a character outside the alphabet stands for itself.
void appendBytesOfWritten(std::string& out, std::string_view written);

}  // namespace minerva::text
