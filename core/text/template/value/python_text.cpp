#include "core/text/template/value/python_text.h"

#include "core/text/template/value/operations.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace minerva::text::jinja {
namespace {

void appendRepr(Heap& heap, std::string& out, const Value& value);

void appendHex(std::string& out, const char* prefix, char32_t code, int digits) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "%0*x", digits, static_cast<unsigned>(code));
  out += prefix;
  out += buffer;
}

void appendStringRepr(std::string& out, std::string_view text) {
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  out += quote;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = unicode::decode(text, at);
    if (c == static_cast<char32_t>(quote) || c == '\\') (out += '\\') += static_cast<char>(c);
    else if (c == '\n') out += "\\n";
    else if (c == '\r') out += "\\r";
    else if (c == '\t') out += "\\t";
    else if (unicode::isPrintable(c)) out += text.substr(start, at - start);
    else if (c < 0x100) appendHex(out, "\\x", c, 2);
    else if (c < 0x10000) appendHex(out, "\\u", c, 4);
    else appendHex(out, "\\U", c, 8);
  }
  out += quote;
}

void appendItems(Heap& heap, std::string& out, const Value& value) {
  const bool list = value.kind() == Kind::list;
  out += list ? '[' : '(';
  bool first = true;
  for (const Value& item : value.items()) {
    if (!first) out += ", ";
    first = false;
    appendRepr(heap, out, item);
  }
  if (!list && value.items().size() == 1) out += ',';
  out += list ? ']' : ')';
}

void appendDict(Heap& heap, std::string& out, const DictObject& dict) {
  out += '{';
  bool first = true;
  for (const auto& [key, item] : dict.entries) {
    if (!first) out += ", ";
    first = false;
    appendRepr(heap, out, key);
    out += ": ";
    appendRepr(heap, out, item);
  }
  out += '}';
}

void appendRepr(Heap& heap, std::string& out, const Value& value) {
  heap.checkStack();
  heap.work(16);
  heap.check(out.size());
  switch (value.kind()) {
    case Kind::undefined: out += "Undefined"; break;
    case Kind::none: out += "None"; break;
    case Kind::boolean: out += value.asBool() ? "True" : "False"; break;
    case Kind::integer: out += integerText(value.asInt()); break;
    case Kind::real: out += realText(value.asReal()); break;
    case Kind::string:
      heap.work(value.text().size());
      if (value.string().markup) out += "Markup(";
      appendStringRepr(out, value.text());
      if (value.string().markup) out += ')';
      break;
    case Kind::list:
    case Kind::tuple: appendItems(heap, out, value); break;
    case Kind::dict: appendDict(heap, out, value.dict()); break;
    case Kind::instance: out += value.instance().repr(); break;
  }
}

}  // namespace

std::string integerText(Int value) {
  if (value == 0) return "0";
  const bool negative = value < 0;
  std::string digits;
  for (; value != 0; value /= 10) digits += static_cast<char>('0' + std::abs(static_cast<int>(value % 10)));
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string realText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::scientific).ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  int exponent = 0;
  const std::string_view written = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(written.data(), written.data() + written.size(), exponent);
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  std::string out = std::signbit(value) ? "-" : "";
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    char power[24];
    std::snprintf(power, sizeof power, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
    return out + power;
  }
  if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto point = static_cast<std::size_t>(exponent + 1);
  if (count <= exponent + 1) return out + digits + std::string(point - digits.size(), '0') + ".0";
  return out + digits.substr(0, point) + "." + digits.substr(point);
}

std::string escapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&#34;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string replaceAll(Heap& heap, std::string_view text, std::string_view old, std::string_view by, Int count) {
  std::string out;
  heap.work(text.size());
  const auto put = [&](std::string_view part) {
    heap.check(out.size() + part.size());
    heap.work(part.size() / 8 + 4);
    out += part;
  };
  if (old.empty()) {  // between all characters, before the first and after the last
    for (std::size_t at = 0; count != 0; --count) {
      put(by);
      if (at >= text.size()) return out;
      const std::size_t start = at;
      unicode::decode(text, at);
      put(text.substr(start, at - start));
      if (count == 1) {
        put(text.substr(at));
        return out;
      }
    }
    return std::string(text);
  }
  std::size_t from = 0;
  for (std::size_t at = 0; count != 0 && (at = text.find(old, from)) != text.npos; --count) {
    put(text.substr(from, at - from));
    put(by);
    from = at + old.size();
  }
  put(text.substr(from));
  return out;
}

std::string toText(Heap& heap, const Value& value) {
  if (value.isUndefined()) return {};
  if (value.isString()) {
    heap.check(value.text().size());
    return value.text();
  }
  return repr(heap, value);
}

std::string repr(Heap& heap, const Value& value) {
  std::string out;
  appendRepr(heap, out, value);
  return out;
}

}  // namespace minerva::text::jinja
