// Filters on single values, numbers and JSON.
#include "core/text/template/builtins/filters.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace minerva::text::jinja {
namespace {

Value defaultValue(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("default", arguments, {"default_value", "boolean"});
  if (!value.isUndefined() && !(bound.flag(1) && !truthy(value))) return value;
  return bound.has(0) ? bound[0] : interpreter.string("");
}

Value attr(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("attr", arguments, {"name"}, 1);
  const std::string name = toText(interpreter.heap(), bound[0]);
  if (!value.isDict()) return interpreter.attribute(value, name);
  // Only attributes, never the items of a dict.
  const Value empty = Value(makeDict(interpreter.heap()));
  const Value found = interpreter.attribute(empty, name);
  return found.isUndefined() ? found : interpreter.attribute(value, name);
}

std::string withoutUnderscores(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') digits += text[i];
    else if (i == 0 || i + 1 == text.size() || text[i + 1] == '_') return "?";
  }
  return digits;
}

std::optional<double> parseReal(std::string_view source) {
  std::string text = withoutUnderscores(unicode::trim(source));
  const bool signedText = !text.empty() && (text[0] == '+' || text[0] == '-');
  const bool negative = signedText && text[0] == '-';
  const std::string_view rest = std::string_view(text).substr(signedText ? 1 : 0);
  if (rest.empty() || rest[0] == '+' || rest[0] == '-') return std::nullopt;
  double value = 0;
  const auto parsed = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (parsed.ptr != rest.data() + rest.size() || rest.find('(') != rest.npos) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) {
    const std::size_t e = rest.find_first_of("eE");
    value = e != rest.npos && rest.find('-', e) != rest.npos ? 0.0 : HUGE_VAL;
  } else if (parsed.ec != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

std::optional<Int> parseInt(std::string_view source, int base) {
  std::string text = withoutUnderscores(unicode::trim(source));
  const bool signedText = !text.empty() && (text[0] == '+' || text[0] == '-');
  const bool negative = signedText && text[0] == '-';
  std::size_t at = signedText ? 1 : 0;
  if (text.size() > at + 1 && text[at] == '0') {
    const char prefix = static_cast<char>(text[at + 1] | 32);
    const int named = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 0;
    if (named && (base == named || base == 0)) at += 2, base = named;
  }
  if (base == 0) base = 10;
  if (at >= text.size()) return std::nullopt;
  Int value = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'z' ? (c | 32) - 'a' + 10 : 99;
    if (digit >= base) return std::nullopt;
    if (__builtin_mul_overflow(value, Int{base}, &value) || __builtin_add_overflow(value, Int{digit}, &value))
      raiseLimit("an integer of more than 127 bits");
  }
  return negative ? -value : value;
}

std::optional<Int> truncated(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  if (std::fabs(value) > 1e38) raiseLimit("an integer of more than 127 bits");
  return static_cast<Int>(value);
}

Value toInt(Interpreter&, const Value& value, Arguments& arguments) {
  const BoundArguments bound("int", arguments, {"default", "base"});
  const Value fallback = bound.has(0) ? bound[0] : Value::integer(0);
  if (value.isUndefined()) failUndefined(value);
  if (value.isInt()) return Value::integer(value.asInt());
  std::optional<Int> result;
  if (value.kind() == Kind::real) {
    if (std::isinf(value.asReal())) raise("cannot convert float infinity to integer");
    result = truncated(value.asReal());
  } else if (value.isString()) {
    const Int base = bound.integer(1, 10);
    if (base < 0 || base == 1 || base > 36) raise("int() base must be >= 2 and <= 36, or 0");
    result = parseInt(value.text(), static_cast<int>(base));
    if (!result) {
      const auto real = parseReal(value.text());
      if (real && std::isinf(*real)) raise("cannot convert float infinity to integer");
      if (real) result = truncated(*real);
    }
  }
  return result ? Value::integer(*result) : fallback;
}

Value toFloat(Interpreter&, const Value& value, Arguments& arguments) {
  const BoundArguments bound("float", arguments, {"default"});
  const Value fallback = bound.has(0) ? bound[0] : Value::real(0);
  if (value.isUndefined()) failUndefined(value);
  if (value.isNumber()) return Value::real(value.asReal());
  if (value.isString())
    if (const auto real = parseReal(value.text())) return Value::real(*real);
  return fallback;
}

Value absolute(Interpreter&, const Value& value, Arguments&) {
  if (value.isUndefined()) failUndefined(value);
  if (!value.isNumber()) raise("bad operand type for abs(): '" + typeName(value) + "'");
  if (value.kind() == Kind::real) return Value::real(std::fabs(value.asReal()));
  return value.asInt() < 0 ? negate(value) : Value::integer(value.asInt());
}

// Python's round(): exact, ties to even.
double roundTo(double value, int digits) {
  if (!std::isfinite(value) || digits > 323) return value;
  if (digits < 0) {
    const double scale = std::pow(10.0, -digits);
    return std::isinf(scale) ? std::copysign(0.0, value) : std::nearbyint(value / scale) * scale;
  }
  char buffer[700];
  std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  return std::strtod(buffer, nullptr);
}

Value round(Interpreter&, const Value& value, Arguments& arguments) {
  const BoundArguments bound("round", arguments, {"precision", "method"});
  const Int wanted = bound.integer(0, 0);
  const std::string method = bound.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor") raise("method must be common, ceil or floor");
  if (value.isUndefined()) failUndefined(value);
  if (!value.isNumber()) raise("type " + typeName(value) + " doesn't define __round__ method");
  const int digits = static_cast<int>(wanted > 400 ? 400 : wanted < -400 ? -400 : wanted);
  if (method == "common") {
    if (value.isInt() && digits >= 0) return Value::integer(value.asInt());
    if (value.isInt()) return Value::integer(static_cast<Int>(roundTo(value.asReal(), digits)));
    return Value::real(roundTo(value.asReal(), digits));
  }
  const double scale = std::pow(10.0, digits);
  const double scaled = value.asReal() * scale;
  if (!std::isfinite(scaled)) raise("cannot convert float infinity to integer");
  return Value::real((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) / scale);
}

Value filesizeformat(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("filesizeformat", arguments, {"binary"});
  Arguments none;
  const Value number = toFloat(interpreter, value, none);
  const bool binary = bound.flag(0);
  const double base = binary ? 1024 : 1000, bytes = number.asReal();
  if (bytes == 1) return interpreter.string("1 Byte");
  char buffer[64];
  if (bytes < base) {
    std::snprintf(buffer, sizeof buffer, "%.0f Bytes", std::trunc(bytes));
    return interpreter.string(buffer);
  }
  static constexpr const char* prefixes[] = {"k", "M", "G", "T", "P", "E", "Z", "Y"};
  double unit = base;
  std::size_t i = 0;
  for (; i < 7 && bytes >= unit * base; ++i) unit *= base;
  std::string prefix = prefixes[i];
  if (binary) prefix = (i == 0 ? "K" : prefix) + "i";
  std::snprintf(buffer, sizeof buffer, "%.1f %sB", bytes / unit, prefix.c_str());
  return interpreter.string(buffer);
}

Value tojson(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensureAscii = bound.flag(0);
  style.sortKeys = bound.flag(3);
  if (bound.has(1) && !bound[1].isNone()) {
    style.pretty = true;
    style.itemSeparator = ",";
    if (bound[1].isString()) {
      style.indent = bound[1].text();
    } else {
      const Int width = bound.integer(1, 0);
      if (width > 1000) raiseLimit("an indent of more than 1000");
      style.indent.assign(static_cast<std::size_t>(width < 0 ? 0 : width), ' ');
    }
  }
  if (bound.has(2) && !bound[2].isNone()) {
    const std::vector<Value> separators = toVector(interpreter.heap(), bound[2]);
    if (separators.size() != 2) raise("separators must be two strings");
    for (const Value& separator : separators)
      if (!separator.isString()) raise("separators must be two strings");
    style.itemSeparator = separators[0].text();
    style.keySeparator = separators[1].text();
  }
  return interpreter.string(toJson(interpreter.heap(), value, style));
}

// Not Jinja's own: templates read calls of tools with it whose arguments are a text.
Value fromjson(Interpreter& interpreter, const Value& value, Arguments& arguments) {
  const BoundArguments bound("fromjson", arguments, {});
  if (value.isUndefined()) failUndefined(value);
  if (!value.isString()) raise("the JSON object must be str, bytes or bytearray, not " + typeName(value));
  return parseJson(interpreter.heap(), value.text());
}

constexpr FilterEntry valueTable[] = {
    {"default", defaultValue}, {"d", defaultValue},    {"attr", attr},   {"int", toInt},
    {"float", toFloat},        {"abs", absolute},      {"round", round}, {"filesizeformat", filesizeformat},
    {"tojson", tojson},        {"fromjson", fromjson},
};

}  // namespace

std::span<const FilterEntry> valueFilters() { return valueTable; }

const FilterEntry* findFilter(std::string_view name) {
  for (const auto entries : {sequenceFilters(), textFilters(), valueFilters()})
    for (const FilterEntry& entry : entries)
      if (name == entry.name) return &entry;
  return nullptr;
}

}  // namespace minerva::text::jinja
