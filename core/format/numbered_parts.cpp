#include "core/format/numbered_parts.h"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace minerva::format {

namespace {

constexpr std::size_t digits = 5;
constexpr std::string_view between = "-of-";

// Parses five digits; nullopt otherwise.
std::optional<int> number(std::string_view text) {
  if (text.size() != digits || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  int value = 0;
  for (const char c : text) value = 10 * value + (c - '0');
  return value;
}

}  // namespace

std::filesystem::path NumberedPart::part(int other) const {
  char numbers[32];
  std::snprintf(numbers, sizeof numbers, "-%05d-of-%05d", other, count);
  return folder / (start + numbers + ending);
}

std::optional<NumberedPart> numberedPart(const std::filesystem::path& path) {
  constexpr std::size_t length = 1 + digits + between.size() + digits;  // "-00002-of-00005"
  const std::string stem = path.stem().string();
  if (stem.size() < length) return std::nullopt;
  const std::string_view numbers = std::string_view(stem).substr(stem.size() - length);
  if (numbers[0] != '-' || numbers.substr(1 + digits, between.size()) != between) return std::nullopt;
  const auto own = number(numbers.substr(1, digits));
  const auto count = number(numbers.substr(1 + digits + between.size()));
  if (!own || !count || *own < 1 || *own > *count) return std::nullopt;
  return NumberedPart{path.parent_path(), stem.substr(0, stem.size() - length), path.extension().string(), *own, *count};
}

}  // namespace minerva::format
