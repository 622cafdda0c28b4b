// What a run of test_golden found, for `--table FILE`.
#pragma once

#include <string>

namespace minerva::tests {

struct TableRow {
  std::string id, backend;
  bool exact;
  double largest;    // -1: it did not run
  double tolerance;
  bool passed;
};

void addToTable(TableRow row);
// Markdown: one line a case, one column a device and precision. False: the file cannot be written.
[[nodiscard]] bool writeTable(const std::string& path);

}  // namespace minerva::tests
