#include "tests/golden/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string_view>
#include <vector>

namespace minerva::tests {
namespace {

std::vector<TableRow>& rows() {
  static std::vector<TableRow> all;
  return all;
}

std::string column(const TableRow& row) { return row.backend + (row.exact ? " exact" : " standard"); }

std::string cell(const TableRow& row) {
  char text[64];
  std::snprintf(text, sizeof text, "%s%.2g", row.passed ? "" : "**", row.largest);
  return std::string(text) + (row.passed ? "" : "**");
}

}  // namespace

void addToTable(TableRow row) { rows().push_back(std::move(row)); }

namespace {

struct Count {
  int passed = 0, total = 0;
};

void writeHeader(std::ostream& out, const std::string& first, const std::vector<std::string>& columns) {
  out << "\n\n| " << first << " |";
  for (const std::string& name : columns) out << ' ' << name << " |";
  out << "\n|---|";
  for (std::size_t i = 0; i < columns.size(); ++i) out << "---|";
}

void writeCounts(std::ostream& out, const std::vector<std::string>& columns) {
  std::map<std::string, std::map<std::string, Count>> counts;
  for (const TableRow& row : rows()) {
    for (const std::string& line : {row.family + ", " + row.format, std::string("zz")}) {
      Count& count = counts[line][column(row)];
      count.passed += row.passed ? 1 : 0;
      ++count.total;
    }
  }
  out << "Cases passed / total, by architecture and format.";
  writeHeader(out, "architecture, format", columns);
  for (auto& [line, found] : counts) {
    out << "\n| " << (line == "zz" ? "**all**" : line) << " |";
    for (const std::string& name : columns) out << ' ' << found[name].passed << " / " << found[name].total << " |";
  }
  out << "\n\n";
}

}  // namespace

bool writeTable(const std::string& path) {
  std::vector<std::string> columns;
  std::map<std::string, std::map<std::string, std::string>> cells;
  for (const TableRow& row : rows()) {
    if (std::ranges::find(columns, column(row)) == columns.end()) columns.push_back(column(row));
    cells[row.id][column(row)] = cell(row);
  }
  std::ofstream out(path);
  out << "# Agreement with the oracle\n\nMade by `test_golden --gtest_filter='*Oracle*' --table FILE`.\n\n";
  writeCounts(out, columns);
  out << "Largest difference of a logit from the oracle, any position of any prompt (bold: beyond the tolerance).";
  writeHeader(out, "case", columns);
  for (auto& [id, found] : cells) {
    out << "\n| " << id << " |";
    for (const std::string& name : columns) out << ' ' << found[name] << " |";
  }
  out << '\n';
  return static_cast<bool>(out);
}

}  // namespace minerva::tests

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string table;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string_view(argv[i]) == "--table") table = argv[i + 1];
  }
  const int failed = RUN_ALL_TESTS();
  if (!table.empty() && !minerva::tests::writeTable(table)) {
    std::fprintf(stderr, "cannot write %s\n", table.c_str());
    return 1;
  }
  return failed;
}
