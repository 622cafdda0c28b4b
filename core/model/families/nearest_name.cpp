#include "core/model/families/nearest_name.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace minerva::model {
namespace {

constexpr std::size_t alikeFor = 3, comparedCharacters = 64;

std::string plainName(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, comparedCharacters)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

// Levenshtein's distance.
std::size_t changesBetween(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearestName(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string plain = plainName(wanted);
  std::string_view nearest;
  std::size_t alike = alikeFor, changes = 0;
  for (const std::string_view name : names) {
    const std::string other = plainName(name);
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(plain, other).in1 - plain.begin());
    if (same < alike) continue;
    const std::size_t needed = changesBetween(plain, other);
    if (!nearest.empty() && same == alike && needed >= changes) continue;
    nearest = name;
    alike = same;
    changes = needed;
  }
  return nearest;
}

}  // namespace minerva::model
