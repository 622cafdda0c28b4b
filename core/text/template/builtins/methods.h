// Methods of Python's built-in types, one row each in the tables of methods_string.cpp and methods_other.cpp.
#pragma once

#include "core/text/template/interpreter/interpreter.h"

#include <span>

namespace minerva::text::jinja {

struct MethodEntry {
  const char* name;
  NativeFunction function;  // null: it would modify its object, which the sandbox forbids
};

[[nodiscard]] std::span<const MethodEntry> stringMethods();
// The method (or data attribute) of this name of the value's type, bound to the value; nullopt if there is none.
[[nodiscard]] std::optional<Value> findMethod(Interpreter& interpreter, const Value& value, const std::string& name);

}  // namespace minerva::text::jinja
