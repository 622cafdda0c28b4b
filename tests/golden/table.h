// What a run of test_golden found, for `--table FILE`.
#pragma once

#include <string>

namespace minerva::tests {

struct TableRow {
  std::string id, family, format, backend;
  bool exact;
  double largest;  // -1: it did not run
  bool passed;
};

void addToTable(TableRow row);
// Markdown: passed of total by family and format, then one line a case; one column a device and precision. False: the
// file cannot be written.
[[nodiscard]] bool writeTable(const std::string& path);

}  // namespace minerva::tests
