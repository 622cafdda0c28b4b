// Python's printf-style formatting: "%5.2f" % values.
#include "core/text/template/value/format_spec.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace minerva::text::jinja {
namespace {

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
      if (value.asInt() < 0 || value.asInt() > static_cast<Int>(widestField)) raiseLimit("a format wider than 1 MiB");
      return static_cast<std::size_t>(value.asInt());
    }
    return readFormatNumber(m_format, m_at);
  }
  void field() {
    ++m_at;
    FormatSpec spec;
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
  void convert(const Value& value, FormatSpec spec, bool zero) {
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

}  // namespace

std::string formatPercent(Heap& heap, std::string_view format, const Value& values) { return Percent(heap, format, values).run(); }

}  // namespace minerva::text::jinja
