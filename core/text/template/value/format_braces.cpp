// Python's str.format: "{0:>5}".format(...).
#include "core/text/template/value/format_spec.h"
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"

#include <algorithm>

namespace minerva::text::jinja {
namespace {

bool isRealType(char type) { return type != '\0' && std::string_view("eEfFgG%").find(type) != std::string_view::npos; }

FormatSpec parseSpec(std::string_view text) {
  FormatSpec spec;
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
  spec.width = readFormatNumber(text, at);
  if (at < text.size() && (text[at] == ',' || text[at] == '_')) spec.comma = true, spec.separator = text[at++];
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (at >= text.size() || !isFormatDigit(text[at])) raise("Format specifier missing precision");
    spec.precision = static_cast<int>(readFormatNumber(text, at));
  }
  if (at < text.size()) spec.type = text[at++];
  if (at < text.size()) raise("Invalid format specifier '" + std::string(text) + "'");
  return spec;
}

std::string formatValue(Heap& heap, const Value& value, std::string_view specText) {
  if (specText.empty()) return toText(heap, value);
  const FormatSpec spec = parseSpec(specText);
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
    if (name.empty() || isFormatDigit(name[0])) {
      std::size_t at = 0;
      const std::size_t index = name.empty() ? m_next++ : readFormatNumber(name, at);
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

std::string formatBraces(Heap& heap, std::string_view format, const Arguments& arguments, const FieldLookup& lookUp) {
  return Braces(heap, arguments, lookUp).run(format, 0);
}

}  // namespace minerva::text::jinja
