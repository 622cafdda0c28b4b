// The tests (`x is defined`): one row in tests.cpp's table each.
#pragma once

#include "core/text/template/interpreter/interpreter.h"

namespace minerva::text::jinja {

struct TestEntry {
  const char* name;
  NativeTest function;
};

[[nodiscard]] const TestEntry* findTest(std::string_view name);  // null: none of that name

}  // namespace minerva::text::jinja
