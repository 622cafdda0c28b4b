// Filters, one row each in the tables of filters_sequence.cpp, filters_text.cpp and filters_value.cpp.
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
[[nodiscard]] const FilterEntry* findFilter(std::string_view name);  // null: no filter of that name

}  // namespace minerva::text::jinja
