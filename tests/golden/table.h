// The results of a run of test_golden, for `--table FILE`.
#pragma once

#include <string>

namespace minerva::tests {

struct TableRow {
  std::string id, family, format, backend;
  bool exact;
  double largest;  // -1: not run
  bool passed;
};

void addToTable(TableRow row);
// Writes Markdown: passed / total by family and format, then one row per case, with one column per device and precision.
// Returns false if the file cannot be written.
[[nodiscard]] bool writeTable(const std::string& path);

}  // namespace minerva::tests
