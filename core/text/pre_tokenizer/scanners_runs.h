// Scanners for short patterns that pre-tokenizers apply in sequence; listed in the table of scanners.cpp.
#pragma once

#include <cstddef>
#include <string_view>

namespace minerva::text {

std::size_t scanLineEnds(std::string_view text, std::size_t pos);
std::size_t scanThreeDigits(std::string_view text, std::size_t pos);
std::size_t scanNumberRuns(std::string_view text, std::size_t pos);
std::size_t scanCjk(std::string_view text, std::size_t pos);
std::size_t scanKana(std::string_view text, std::size_t pos);
std::size_t scanFalconPunctuation(std::string_view text, std::size_t pos);
std::size_t scanPlainPunctuation(std::string_view text, std::size_t pos);
std::size_t scanDeepseekLetters(std::string_view text, std::size_t pos);
std::size_t scanDeepseekCasedLetters(std::string_view text, std::size_t pos);
std::size_t scanDeepseekPunctuation(std::string_view text, std::size_t pos);
std::size_t scanDeepseekSymbols(std::string_view text, std::size_t pos);
std::size_t scanSpaceAtEnd(std::string_view text, std::size_t pos);
std::size_t scanDeepseek3(std::string_view text, std::size_t pos);
std::size_t scanSpark25(std::string_view text, std::size_t pos);
std::size_t scanGroupedNumbers(std::string_view text, std::size_t pos);
std::size_t scanGroupedWords(std::string_view text, std::size_t pos);

}  // namespace minerva::text
