#include "core/speed/document.h"

#include "core/base/utf8.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace minerva::speed {
namespace {

std::string tableRow(const Cells& cells, std::size_t columns) {
  std::string out = "|";
  for (std::size_t i = 0; i < columns; ++i) {
    out += ' ';
    for (const char c : i < cells.size() ? utf8::printable(cells[i]) : std::string())
      out += c == '|' ? std::string("\\|") : std::string(1, c);
    out += " |";
  }
  return out + "\n";
}

}  // namespace

std::string markdownTable(const Cells& header, const std::vector<Cells>& rows) {
  std::string out = tableRow(header, header.size()) + "|";
  for (std::size_t i = 0; i < header.size(); ++i) out += "---|";
  out += "\n";
  for (const Cells& row : rows) out += tableRow(row, header.size());
  return out;
}

std::string figure(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  std::array<char, 400> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

Result<void> writeReport(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return {};
  return fail({.kind = ErrorKind::io,
               .what = "The report could not be written",
               .where = path.string(),
               .hint = "Choose a folder that exists and may be written to."});
}

}  // namespace minerva::speed
