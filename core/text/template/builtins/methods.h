// Methods of Python's built-in types: one row in a table each (methods_string.cpp, methods_other.cpp).
#pragma once

#include "core/text/template/interpreter/interpreter.h"

#include <span>

namespace minerva::text::jinja {

struct MethodEntry {
  const char* name;
  NativeFunction function;  // null: changes its object, which the sandbox forbids
};

[[nodiscard]] std::span<const MethodEntry> stringMethods();
// The method of that name of the value's type, bound to it; nothing if there is none.
[[nodiscard]] std::optional<Value> findMethod(Interpreter& interpreter, const Value& value, const std::string& name);

}  // namespace minerva::text::jinja
