// Python's operators on values, and the iteration that operators, filters and tests share. All throw TemplateError with
// Python's message where Python raises.
#pragma once

#include "core/text/template/value/value.h"

#include <string>

namespace minerva::text::jinja {

[[nodiscard]] bool truthy(const Value& value);
[[nodiscard]] bool equals(const Value& a, const Value& b);
[[nodiscard]] int compareValues(const Value& a, const Value& b, const char* op);        // < 0, 0, > 0; op is used in the message
[[nodiscard]] bool contains(const Value& container, const Value& item);                 // item in container
[[nodiscard]] bool compareWith(const std::string& op, const Value& a, const Value& b);  // ==, !=, <, ..., in, notin
[[nodiscard]] bool isHashable(const Value& value);

[[nodiscard]] Value add(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value subtract(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value multiply(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value divide(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value floorDivide(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value modulo(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value power(Heap& heap, const Value& a, const Value& b);
[[nodiscard]] Value negate(const Value& a);
[[nodiscard]] Value positive(const Value& a);

// Throws "'x' object is not iterable". The puller keeps the value alive.
[[nodiscard]] Puller iterate(Heap& heap, const Value& value);
[[nodiscard]] std::vector<Value> toVector(Heap& heap, const Value& value);
[[nodiscard]] std::optional<std::size_t> lengthOf(const Value& value);  // nullopt: it has no len()
[[nodiscard]] std::size_t requireLength(const Value& value);

// value[index] of strings, lists, tuples and ranges; nullopt if out of range or if the value cannot be indexed.
[[nodiscard]] std::optional<Value> indexed(Heap& heap, const Value& value, Int index);
[[nodiscard]] Value sliced(Heap& heap, const Value& value, const Value& start, const Value& stop, const Value& step);
// Characters [first, last) of a string, as a view into it.
[[nodiscard]] std::string_view characters(const StringObject& text, std::size_t first, std::size_t last);

[[noreturn]] void failUndefined(const Value& undefined);

}  // namespace minerva::text::jinja
