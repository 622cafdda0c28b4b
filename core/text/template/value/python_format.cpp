// The two formatting languages of python_text.h: printf-style and str.format.
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace minerva::text::jinja {
namespace {

constexpr std::size_t widest = 1u << 20;  // of one field, in characters

struct Spec {
  char fill = ' ';
  char align = '\0';  // < > ^ =
  char sign = '-';
  bool alternate = false;
  bool comma = false;
  char separator = ',';
  std::size_t width = 0;
  int precision = -1;
  char type = '\0';
};

bool digit(char c) { return c >= '0' && c <= '9'; }

std::size_t readNumber(std::string_view text, std::size_t& at) {
  std::size_t value = 0;
  for (; at < text.size() && digit(text[at]); ++at) {
    value = value * 10 + static_cast<std::size_t>(text[at] - '0');
    if (value > widest) raiseLimit("a format wider than 1 MiB");
  }
  return value;
}

std::string pad(const std::string& text, const Spec& spec, char defaultAlign) {
  const std::size_t length = unicode::length(text);
  if (length >= spec.width) return text;
  const std::size_t missing = spec.width - length;
  const char align = spec.align ? spec.align : defaultAlign;
  if (align == '<') return text + std::string(missing, spec.fill);
  if (align == '^') return std::string(missing / 2, spec.fill) + text + std::string(missing - missing / 2, spec.fill);
  if (align == '=') {
    const std::size_t sign = !text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == ' ') ? 1 : 0;
    return text.substr(0, sign) + std::string(missing, spec.fill) + text.substr(sign);
  }
  return std::string(missing, spec.fill) + text;
}

std::string inBase(Magnitude value, unsigned base, bool upper) {
  std::string out;
  do {
    const auto d = static_cast<int>(value % base);
    out += static_cast<char>(d < 10 ? '0' + d : (upper ? 'A' : 'a') + d - 10);
    value /= base;
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

std::string group(const std::string& digits, char separator) {
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += separator;
    out += digits[i];
  }
  return out;
}

std::string signOf(bool negative, const Spec& spec) { return negative ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : ""; }

std::string formatInteger(Int value, const Spec& spec) {
  const bool negative = value < 0;
  const Magnitude size = magnitude(value);
  std::string digits;
  switch (spec.type) {
    case 'x':
      digits = inBase(size, 16, false);
      if (spec.alternate) digits = "0x" + digits;
      break;
    case 'X':
      digits = inBase(size, 16, true);
      if (spec.alternate) digits = "0X" + digits;
      break;
    case 'o':
      digits = inBase(size, 8, false);
      if (spec.alternate) digits = "0o" + digits;
      break;
    case 'b':
      digits = inBase(size, 2, false);
      if (spec.alternate) digits = "0b" + digits;
      break;
    default: digits = inBase(size, 10, false);
  }
  if (spec.precision > 0 && digits.size() < static_cast<std::size_t>(spec.precision))
    digits.insert(0, static_cast<std::size_t>(spec.precision) - digits.size(), '0');
  if (spec.comma) digits = group(digits, spec.separator);
  return signOf(negative, spec) + digits;
}

std::string formatReal(double value, const Spec& spec) {
  const std::string sign = signOf(std::signbit(value) && !std::isnan(value), spec);
  value = std::fabs(value);
  const bool percent = spec.type == '%';
  const char type = percent ? 'f' : spec.type;
  if (std::isnan(value) || std::isinf(value)) {
    const bool upper = type == 'F' || type == 'E' || type == 'G';
    return sign + (std::isnan(value) ? (upper ? "NAN" : "nan") : (upper ? "INF" : "inf")) + (percent ? "%" : "");
  }
  if (!type && spec.precision < 0) {
    std::string text = realText(value);
    const std::size_t point = std::min(text.find('.'), text.size());
    return sign + (spec.comma ? group(text.substr(0, point), spec.separator) + text.substr(point) : text);
  }
  if (spec.precision > 2000) raiseLimit("a precision of more than 2000 digits");
  const std::string conversion = std::string(spec.alternate ? "%#.*" : "%.*") + (type ? type : 'g');
  char buffer[2500];
  std::snprintf(buffer, sizeof buffer, conversion.c_str(), spec.precision < 0 ? 6 : spec.precision, percent ? value * 100 : value);
  std::string digits = buffer;
  if (spec.comma) {
    const std::size_t point = std::min(digits.find_first_of(".e"), digits.size());
    digits = group(digits.substr(0, point), spec.separator) + digits.substr(point);
  }
  return sign + digits + (percent ? "%" : "");
}

bool isRealType(char type) { return type != '\0' && std::string_view("eEfFgG%").find(type) != std::string_view::npos; }

class Percent {
 public:
  Percent(Heap& heap, std::string_view format, const Value& values) : m_heap(heap), m_format(format), m_values(values) {}

  std::string run() {
    while (m_at < m_format.size()) {
      const std::size_t next = std::min(m_format.find('%', m_at), m_format.size());
      m_out += m_format.substr(m_at, next - m_at);
      m_at = next;
      if (m_at < m_format.size()) field();
      m_heap.check(m_out.size());
      m_heap.work(16);
    }
    const bool mapping = m_values.isDict() || m_values.kind() == Kind::list;  // Python asks whether it can be indexed, and is no tuple
    if (!mapping && !m_mapped && m_used < argumentCount()) {
      raise("not all arguments converted during string formatting");
    }
    return std::move(m_out);
  }

 private:
  [[nodiscard]] std::size_t argumentCount() const { return m_values.kind() == Kind::tuple ? m_values.items().size() : 1; }
  Value argument() {
    if (m_used >= argumentCount()) raise("not enough arguments for format string");
    const std::size_t index = m_used++;
    return m_values.kind() == Kind::tuple ? m_values.items()[index] : m_values;
  }
  std::size_t starOrNumber() {
    if (m_at < m_format.size() && m_format[m_at] == '*') {
      ++m_at;
      const Value value = argument();
      if (!value.isInt()) raise("* wants int");
      if (value.asInt() < 0 || value.asInt() > static_cast<Int>(widest)) raiseLimit("a format wider than 1 MiB");
      return static_cast<std::size_t>(value.asInt());
    }
    return readNumber(m_format, m_at);
  }
  void field() {
    ++m_at;
    Spec spec;
    std::optional<Value> mapped;
    if (m_at < m_format.size() && m_format[m_at] == '(') {
      const std::size_t close = m_format.find(')', m_at);
      if (close == m_format.npos) raise("incomplete format key");
      if (!m_values.isDict()) raise("format requires a mapping");
      const std::string key(m_format.substr(m_at + 1, close - m_at - 1));
      const Value* value = m_values.dict().find(key);
      if (!value) raise("'" + key + "'");
      mapped = *value;
      m_mapped = true;
      m_at = close + 1;
    }
    bool zero = false;
    for (; m_at < m_format.size(); ++m_at) {
      const char c = m_format[m_at];
      if (c == '-') spec.align = '<';
      else if (c == '0') zero = true;
      else if (c == '+') spec.sign = '+';
      else if (c == ' ') spec.sign = spec.sign == '+' ? '+' : ' ';
      else if (c == '#') spec.alternate = true;
      else break;
    }
    spec.width = starOrNumber();
    if (m_at < m_format.size() && m_format[m_at] == '.') {
      ++m_at;
      spec.precision = static_cast<int>(starOrNumber());
    }
    while (m_at < m_format.size() && (m_format[m_at] == 'l' || m_format[m_at] == 'h' || m_format[m_at] == 'L')) ++m_at;
    if (m_at >= m_format.size()) raise("incomplete format");
    spec.type = m_format[m_at++];
    if (spec.type == '%') {
      m_out += '%';
      return;
    }
    convert(mapped ? *mapped : argument(), spec, zero);
  }
  void convert(const Value& value, Spec spec, bool zero) {
    std::string text;
    bool number = true;
    switch (spec.type) {
      case 'd':
      case 'i':
      case 'u':
        if (value.isUndefined()) failUndefined(value);
        if (!value.isNumber()) raise(std::string("%") + spec.type + " format: a real number is required, not " + typeName(value));
        if (!value.isInt() && !(std::fabs(value.asReal()) < 1e37)) raiseLimit("an integer of more than 127 bits");
        text = formatInteger(value.isInt() ? value.asInt() : static_cast<Int>(value.asReal()), spec);
        break;
      case 'x':
      case 'X':
      case 'o':
        if (!value.isInt()) raise(std::string("%") + spec.type + " format: an integer is required, not " + typeName(value));
        text = formatInteger(value.asInt(), spec);
        break;
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        if (!value.isNumber()) raise("must be real number, not " + typeName(value));
        text = formatReal(value.asReal(), spec);
        break;
      case 'c':
        number = false;
        if (value.isInt() && value.asInt() >= 0 && value.asInt() < 0x110000) unicode::append(text, static_cast<char32_t>(value.asInt()));
        else if (value.isString() && value.string().length() == 1) text = value.text();
        else raise("%c requires int or char");
        break;
      case 's':
      case 'r':
      case 'a': {
        number = false;
        text = spec.type == 's' ? toText(m_heap, value) : repr(m_heap, value);
        if (spec.precision >= 0) {
          std::size_t at = 0;
          for (int i = 0; i < spec.precision && at < text.size(); ++i) unicode::decode(text, at);
          text.resize(at);
        }
        break;
      }
      default: raise(std::string("unsupported format character '") + spec.type + "'");
    }
    if (zero && number && spec.align != '<') {
      spec.fill = '0';
      spec.align = '=';
    }
    m_out += pad(text, spec, '>');
  }

  Heap& m_heap;
  std::string_view m_format;
  const Value& m_values;
  std::size_t m_at = 0;
  std::size_t m_used = 0;
  bool m_mapped = false;
  std::string m_out;
};

Spec parseSpec(std::string_view text) {
  Spec spec;
  std::size_t at = 0;
  const auto isAlign = [](char c) { return c == '<' || c == '>' || c == '^' || c == '='; };
  if (text.size() > 1 && isAlign(text[1])) {
    spec.fill = text[0];
    spec.align = text[1];
    at = 2;
  } else if (!text.empty() && isAlign(text[0])) {
    spec.align = text[0];
    at = 1;
  }
  if (at < text.size() && (text[at] == '+' || text[at] == '-' || text[at] == ' ')) spec.sign = text[at++];
  if (at < text.size() && text[at] == '#') spec.alternate = true, ++at;
  if (at < text.size() && text[at] == '0') {
    if (!spec.align) spec.fill = '0', spec.align = '=';
    ++at;
  }
  spec.width = readNumber(text, at);
  if (at < text.size() && (text[at] == ',' || text[at] == '_')) spec.comma = true, spec.separator = text[at++];
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (at >= text.size() || !digit(text[at])) raise("Format specifier missing precision");
    spec.precision = static_cast<int>(readNumber(text, at));
  }
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) raise("Invalid format specifier '" + std::string(text) + "'");
  return spec;
}

std::string formatValue(Heap& heap, const Value& value, std::string_view specText) {
  if (specText.empty()) return toText(heap, value);
  const Spec spec = parseSpec(specText);
  const auto unknown = [&] { raise(std::string("Unknown format code '") + spec.type + "' for object of type '" + typeName(value) + "'"); };
  if (value.isString()) {
    if (spec.type && spec.type != 's') unknown();
    std::string text = value.text();
    if (spec.precision >= 0) text = characters(value.string(), 0, static_cast<std::size_t>(spec.precision));
    return pad(text, spec, '<');
  }
  if (value.isInt() && (value.kind() != Kind::boolean || spec.type)) {
    if (isRealType(spec.type)) return pad(formatReal(value.asReal(), spec), spec, '>');
    if (spec.precision >= 0) raise("Precision not allowed in integer format specifier");
    if (spec.type && std::string_view("dnxXob").find(spec.type) == std::string_view::npos) unknown();
    return pad(formatInteger(value.asInt(), spec), spec, '>');
  }
  if (value.kind() == Kind::real) {
    if (spec.type && !isRealType(spec.type)) unknown();
    return pad(formatReal(value.asReal(), spec), spec, '>');
  }
  if (value.kind() == Kind::boolean) return pad(toText(heap, value), spec, '>');
  raise("unsupported format string passed to " + typeName(value) + ".__format__");
}

class Braces {
 public:
  Braces(Heap& heap, const Arguments& arguments, const FieldLookup& lookUp) : m_heap(heap), m_arguments(arguments), m_lookUp(lookUp) {}

  std::string run(std::string_view format, int depth) {
    if (depth > 2) raise("Max string recursion exceeded");
    std::string out;
    for (std::size_t at = 0; at < format.size();) {
      const char c = format[at++];
      m_heap.work(1);
      if ((c == '{' || c == '}') && at < format.size() && format[at] == c) {
        out += c;
        ++at;
      } else if (c == '}') {
        raise("Single '}' encountered in format string");
      } else if (c == '{') {
        out += field(format, at, depth);
        m_heap.check(out.size());
      } else {
        out += c;
      }
    }
    return out;
  }

 private:
  std::string field(std::string_view format, std::size_t& at, int depth) {
    const std::size_t start = at;
    for (int open = 1; open > 0; ++at) {
      if (at >= format.size()) raise("expected '}' before end of string");
      open += format[at] == '{' ? 1 : format[at] == '}' ? -1 : 0;
    }
    const std::string_view inside = format.substr(start, at - 1 - start);
    const std::size_t colon = std::min(inside.find(':'), inside.size());
    std::string_view name = inside.substr(0, colon);
    char conversion = '\0';
    if (name.size() >= 2 && name[name.size() - 2] == '!') {
      conversion = name.back();
      name.remove_suffix(2);
    }
    Value value = look(name);
    if (conversion == 'r' || conversion == 'a') value = makeString(m_heap, repr(m_heap, value));
    else if (conversion == 's') value = makeString(m_heap, toText(m_heap, value));
    const std::string spec = colon < inside.size() ? run(inside.substr(colon + 1), depth + 1) : std::string();
    return formatValue(m_heap, value, spec);
  }
  Value look(std::string_view name) {
    std::size_t at = std::min(name.find_first_of(".["), name.size());
    Value value = first(name.substr(0, at));
    while (at < name.size()) {
      if (name[at] == '.') {
        const std::size_t end = std::min(name.find_first_of(".[", at + 1), name.size());
        value = m_lookUp(value, std::string(name.substr(at + 1, end - at - 1)), true);
        at = end;
      } else {
        const std::size_t end = name.find(']', at);
        if (end == name.npos) raise("Missing ']' in format string");
        value = m_lookUp(value, std::string(name.substr(at + 1, end - at - 1)), false);
        at = end + 1;
        if (at < name.size() && name[at] != '.' && name[at] != '[') raise("Only '.' or '[' may follow ']' in format field specifier");
      }
    }
    return value;
  }
  Value first(std::string_view name) {
    if (name.empty() || digit(name[0])) {
      std::size_t at = 0;
      const std::size_t index = name.empty() ? m_next++ : readNumber(name, at);
      if (index >= m_arguments.positional.size())
        raise("Replacement index " + std::to_string(index) + " out of range for positional args tuple");
      return m_arguments.positional[index];
    }
    for (const auto& [key, value] : m_arguments.keywords)
      if (key == name) return value;
    raise("'" + std::string(name) + "'");
  }

  Heap& m_heap;
  const Arguments& m_arguments;
  const FieldLookup& m_lookUp;
  std::size_t m_next = 0;
};

}  // namespace

std::string formatPercent(Heap& heap, std::string_view format, const Value& values) { return Percent(heap, format, values).run(); }

std::string formatBraces(Heap& heap, std::string_view format, const Arguments& arguments, const FieldLookup& lookUp) {
  return Braces(heap, arguments, lookUp).run(format, 0);
}

}  // namespace minerva::text::jinja
