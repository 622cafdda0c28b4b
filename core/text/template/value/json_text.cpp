// json.dumps, json.loads and the conversion from JSON, declared in python_text.h.
#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"
#include "core/text/template/value/stable_sort.h"
#include "core/text/template/value/unicode.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace minerva::text::jinja {
namespace {

class JsonWriter {
 public:
  JsonWriter(Heap& heap, const JsonStyle& style) : m_heap(heap), m_style(style) {}
  void write(const Value& value) {
    m_heap.checkStack();
    m_heap.work(16);
    m_heap.check(out.size());
    switch (value.kind()) {
      case Kind::none: out += "null"; break;
      case Kind::boolean: out += value.asBool() ? "true" : "false"; break;
      case Kind::integer: out += integerText(value.asInt()); break;
      case Kind::real: out += real(value.asReal()); break;
      case Kind::string: string(value.text()); break;
      case Kind::list:
      case Kind::tuple: array(value.items()); break;
      case Kind::dict: object(value.dict()); break;
      default: raise("Object of type " + typeName(value) + " is not JSON serializable");
    }
  }
  std::string out;

 private:
  static std::string real(double value) {
    if (std::isnan(value)) return "NaN";
    return std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity") : realText(value);
  }
  void newline() {
    if (!m_style.pretty) return;
    out += '\n';
    for (int i = 0; i < m_depth; ++i) out += m_style.indent;
    m_heap.check(out.size());
  }
  void unicodeEscape(char32_t code) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(code));
    out += buffer;
  }
  void string(std::string_view text) {
    m_heap.work(text.size());
    out += '"';
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t start = at;
      const char32_t c = unicode::decode(text, at);
      if (c == '"' || c == '\\') (out += '\\') += static_cast<char>(c);
      else if (c == '\n') out += "\\n";
      else if (c == '\r') out += "\\r";
      else if (c == '\t') out += "\\t";
      else if (c == '\b') out += "\\b";
      else if (c == '\f') out += "\\f";
      else if (c < 0x20 || (m_style.ensureAscii && c >= 0x7F && c < 0x10000)) unicodeEscape(c);
      else if (m_style.ensureAscii && c >= 0x10000) {
        unicodeEscape(0xD800 + ((c - 0x10000) >> 10));
        unicodeEscape(0xDC00 + ((c - 0x10000) & 0x3FF));
      } else {
        out += text.substr(start, at - start);
      }
    }
    out += '"';
  }
  void array(const std::vector<Value>& items) {
    if (items.empty()) {
      out += "[]";
      return;
    }
    out += '[';
    ++m_depth;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (i > 0) out += m_style.itemSeparator;
      newline();
      write(items[i]);
    }
    --m_depth;
    newline();
    out += ']';
  }
  void key(const Value& value) {
    switch (value.kind()) {
      case Kind::string: string(value.text()); break;
      case Kind::none: out += "\"null\""; break;
      case Kind::boolean: out += value.asBool() ? "\"true\"" : "\"false\""; break;
      case Kind::integer: out += '"' + integerText(value.asInt()) + '"'; break;
      case Kind::real: out += '"' + real(value.asReal()) + '"'; break;
      default: raise("keys must be str, int, float, bool or None, not " + typeName(value));
    }
  }
  void object(const DictObject& dict) {
    if (dict.entries.empty()) {
      out += "{}";
      return;
    }
    std::vector<const std::pair<Value, Value>*> entries;
    for (const auto& entry : dict.entries) entries.push_back(&entry);
    if (m_style.sortKeys) stableSort(entries, [](const auto* a, const auto* b) { return compareValues(a->first, b->first, "<") < 0; });
    out += '{';
    ++m_depth;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) out += m_style.itemSeparator;
      newline();
      key(entries[i]->first);
      out += m_style.keySeparator;
      write(entries[i]->second);
    }
    --m_depth;
    newline();
    out += '}';
  }

  Heap& m_heap;
  const JsonStyle& m_style;
  int m_depth = 0;
};

// Builds values from the events of nlohmann's parser, whose names these are. The heap is charged as they come: a text may make values of
// many times its size.
class JsonReader {
 public:
  explicit JsonReader(Heap& heap) : m_heap(heap) {}
  bool null() { return add(Value()); }
  bool boolean(bool value) { return add(Value::boolean(value)); }
  bool number_integer(std::int64_t value) { return add(Value::integer(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Value::integer(static_cast<Int>(value))); }
  bool number_float(double value, const std::string&) { return add(Value::real(value)); }
  bool string(std::string& text) { return add(makeString(m_heap, std::move(text))); }
  bool binary(std::vector<std::uint8_t>&) { return false; }  // JSON has none
  bool start_object(std::size_t) {
    m_open.push_back({.dict = makeDict(m_heap)});
    return true;
  }
  bool key(std::string& text) {
    m_open.back().key = makeString(m_heap, std::move(text));
    return true;
  }
  bool end_object() {
    const Ref<DictObject> dict = m_open.back().dict;
    m_open.pop_back();
    return add(Value(dict));
  }
  bool start_array(std::size_t) {
    m_open.push_back({.list = m_heap.make<SequenceObject>(0, std::vector<Value>())});
    return true;
  }
  bool end_array() {
    const Ref<SequenceObject> list = m_open.back().list;
    m_open.pop_back();
    return add(Value(Kind::list, list));
  }
  bool parse_error(std::size_t place, const std::string&, const nlohmann::json::exception&) {
    raise("the text is not JSON: it goes wrong at byte " + std::to_string(place));
  }
  Value result;

 private:
  struct Open {  // a list or a dict that has not ended
    Ref<SequenceObject> list = {};
    Ref<DictObject> dict = {};
    Value key = {};
  };
  bool add(Value value) {
    if (m_open.empty()) {
      result = std::move(value);
    } else if (Open& open = m_open.back(); open.list) {
      m_heap.grow(*open.list, sizeof(Value));
      open.list->items.push_back(std::move(value));
    } else {
      open.dict->set(std::move(open.key), std::move(value));
    }
    return true;
  }

  Heap& m_heap;
  std::vector<Open> m_open;
};

}  // namespace

std::string toJson(Heap& heap, const Value& value, const JsonStyle& style) {
  JsonWriter writer(heap, style);
  writer.write(value);
  return std::move(writer.out);
}

Value parseJson(Heap& heap, std::string_view text) {
  heap.work(text.size());
  JsonReader reader(heap);
  nlohmann::json::sax_parse(text, &reader);
  return std::move(reader.result);
}

Value fromJson(Heap& heap, const nlohmann::ordered_json& json) {
  heap.checkStack();
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_unsigned()) return Value::integer(static_cast<Int>(json.get<std::uint64_t>()));
  if (json.is_number_integer()) return Value::integer(static_cast<Int>(json.get<std::int64_t>()));
  if (json.is_number_float()) return Value::real(json.get<double>());
  if (json.is_string()) return makeString(heap, json.get_ref<const std::string&>());
  if (json.is_array()) {
    std::vector<Value> items;
    items.reserve(json.size());
    for (const auto& item : json) items.push_back(fromJson(heap, item));
    return makeList(heap, std::move(items));
  }
  if (json.is_object()) {
    Ref<DictObject> dict = makeDict(heap);
    for (const auto& [key, item] : json.items()) dict->set(makeString(heap, key), fromJson(heap, item));
    return Value(dict);
  }
  return Value();
}

}  // namespace minerva::text::jinja
