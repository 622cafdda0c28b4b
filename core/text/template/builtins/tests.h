// Tests (`x is defined`), one row each in the table of tests.cpp.
#pragma once

#include "core/text/template/interpreter/interpreter.h"

namespace minerva::text::jinja {

struct TestEntry {
  const char* name;
  NativeTest function;
};

[[nodiscard]] const TestEntry* findTest(std::string_view name);  // null: no test of that name

}  // namespace minerva::text::jinja
