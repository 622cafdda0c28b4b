// Converts values to text as Python does: str(), repr(), json.dumps(), and Python's two ways of formatting (format_percent.cpp,
// format_braces.cpp).
#pragma once

#include "core/text/template/value/value.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace minerva::text::jinja {

[[nodiscard]] std::string toText(Heap& heap, const Value& value);  // str(); undefined gives an empty text
[[nodiscard]] std::string repr(Heap& heap, const Value& value);
[[nodiscard]] std::string integerText(Int value);
[[nodiscard]] std::string realText(double value);  // the shortest digits that round-trip, in Python's layout
// str.replace, at most `count` times; a negative count replaces all.
[[nodiscard]] std::string replaceAll(Heap& heap, std::string_view text, std::string_view old, std::string_view by, Int count);
[[nodiscard]] std::string escapeHtml(std::string_view text);

// '%...' % values
[[nodiscard]] std::string formatPercent(Heap& heap, std::string_view format, const Value& values);
// '...'.format(...); attributes and items are resolved by `lookUp`.
using FieldLookup = std::function<Value(const Value&, const std::string& name, bool attribute)>;
[[nodiscard]] std::string formatBraces(Heap& heap, std::string_view format, const Arguments& arguments, const FieldLookup& lookUp);

struct JsonStyle {
  bool ensureAscii = false;
  bool sortKeys = false;
  bool pretty = false;  // newlines and `indent`
  std::string indent;
  std::string itemSeparator = ", ";
  std::string keySeparator = ": ";
};
[[nodiscard]] std::string toJson(Heap& heap, const Value& value, const JsonStyle& style);
[[nodiscard]] Value fromJson(Heap& heap, const nlohmann::ordered_json& json);
// json.loads. Throws if the text is not JSON; NaN and Infinity are none, unlike in Python.
[[nodiscard]] Value parseJson(Heap& heap, std::string_view text);

}  // namespace minerva::text::jinja
