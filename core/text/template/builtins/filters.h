// The filters: one row in a table each (filters_sequence.cpp, filters_text.cpp, filters_number.cpp).
#pragma once

#include "core/text/template/interpreter/interpreter.h"

#include <span>

namespace minerva::text::jinja {

struct FilterEntry {
  const char* name;
  NativeFunction function;
};

[[nodiscard]] std::span<const FilterEntry> sequenceFilters();
[[nodiscard]] std::span<const FilterEntry> textFilters();
[[nodiscard]] std::span<const FilterEntry> valueFilters();
[[nodiscard]] const FilterEntry* findFilter(std::string_view name);  // null: none of that name

}  // namespace minerva::text::jinja
