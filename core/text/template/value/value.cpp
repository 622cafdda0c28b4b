#include "core/text/template/value/value.h"

#include "core/text/template/value/operations.h"
#include "core/text/template/value/unicode.h"

#include <cmath>

namespace minerva::text::jinja {

Value::Value(Ref<StringObject> text) : Value(Kind::string, static_cast<Object*>(text.get())) {}
Value::Value(Kind listOrTuple, Ref<SequenceObject> items) : Value(listOrTuple, static_cast<Object*>(items.get())) {}
Value::Value(Ref<DictObject> dict) : Value(Kind::dict, static_cast<Object*>(dict.get())) {}
Value::Value(Ref<UndefinedObject> undefined) : Value(Kind::undefined, static_cast<Object*>(undefined.get())) {}
Value::Value(Ref<Instance> instance) : Value(Kind::instance, static_cast<Object*>(instance.get())) {}

std::size_t StringObject::length() const {
  if (m_length < 0) {
    heap().work(text.size());
    m_length = static_cast<std::ptrdiff_t>(unicode::length(text));
  }
  return static_cast<std::size_t>(m_length);
}

Value Instance::call(Interpreter&, Arguments) { raise("'" + typeName() + "' object is not callable"); }

template <class Same>
std::ptrdiff_t DictObject::locate(std::size_t hash, Same same) const {
  if (m_slots.empty()) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (m_hashes[i] == hash && same(entries[i].first)) return static_cast<std::ptrdiff_t>(i);
    return -1;
  }
  for (std::size_t slot = hash & (m_slots.size() - 1); m_slots[slot]; slot = (slot + 1) & (m_slots.size() - 1)) {
    const std::size_t entry = m_slots[slot] - 1;
    heap().work(1);
    if (m_hashes[entry] == hash && same(entries[entry].first)) return static_cast<std::ptrdiff_t>(entry);
  }
  return -1;
}

void DictObject::index(std::size_t entry, std::size_t hash) {
  std::size_t slot = hash & (m_slots.size() - 1);
  while (m_slots[slot]) slot = (slot + 1) & (m_slots.size() - 1);
  m_slots[slot] = static_cast<std::uint32_t>(entry + 1);
}

const Value* DictObject::find(const Value& key) const {
  const auto entry = locate(hashValue(key), [&](const Value& other) { return equals(key, other); });
  return entry < 0 ? nullptr : &entries[static_cast<std::size_t>(entry)].second;
}
const Value* DictObject::find(std::string_view key) const {
  const auto entry =
      locate(std::hash<std::string_view>{}(key), [&](const Value& other) { return other.isString() && other.text() == key; });
  return entry < 0 ? nullptr : &entries[static_cast<std::size_t>(entry)].second;
}

void DictObject::set(Value key, Value value) {
  const std::size_t hash = hashValue(key);
  const auto found = locate(hash, [&](const Value& other) { return equals(key, other); });
  if (found >= 0) {
    entries[static_cast<std::size_t>(found)].second = std::move(value);
    return;
  }
  heap().grow(*this, 2 * sizeof(Value) + 24);
  entries.emplace_back(std::move(key), std::move(value));
  m_hashes.push_back(hash);
  if (entries.size() * 2 > m_slots.size() && entries.size() > 8) {
    m_slots.assign(std::max<std::size_t>(32, m_slots.size() * 4), 0);
    for (std::size_t i = 0; i < entries.size(); ++i) index(i, m_hashes[i]);
  } else if (!m_slots.empty()) {
    index(entries.size() - 1, hash);
  }
}

Value makeString(Heap& heap, std::string text, bool markup) {
  const std::size_t size = text.size();
  return Value(Ref<StringObject>(heap.make<StringObject>(size, std::move(text), markup)));
}
Value makeList(Heap& heap, std::vector<Value> items) {
  const std::size_t size = items.size() * sizeof(Value);
  return Value(Kind::list, Ref<SequenceObject>(heap.make<SequenceObject>(size, std::move(items))));
}
Value makeTuple(Heap& heap, std::vector<Value> items) {
  const std::size_t size = items.size() * sizeof(Value);
  return Value(Kind::tuple, Ref<SequenceObject>(heap.make<SequenceObject>(size, std::move(items))));
}
Value makeUndefined(Heap& heap, std::string message) {
  const std::size_t size = message.size();
  return Value(Ref<UndefinedObject>(heap.make<UndefinedObject>(size, std::move(message))));
}
Ref<DictObject> makeDict(Heap& heap) { return Ref<DictObject>(heap.make<DictObject>(0)); }

std::string typeName(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return "Undefined";
    case Kind::none: return "NoneType";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::real: return "float";
    case Kind::string: return value.string().markup ? "Markup" : "str";
    case Kind::list: return "list";
    case Kind::tuple: return "tuple";
    case Kind::dict: return "dict";
    case Kind::instance: return value.instance().typeName();
  }
  return "object";
}

std::size_t hashValue(const Value& value) {
  switch (value.kind()) {
    case Kind::undefined: return 3;
    case Kind::none: return 5;
    case Kind::boolean:
    case Kind::integer: return std::hash<std::uint64_t>{}(static_cast<std::uint64_t>(value.asInt()) * 0x9E3779B97F4A7C15u >> 7);
    case Kind::real: {
      const double real = value.asReal();
      if (std::trunc(real) == real && std::fabs(real) < 1e18) return hashValue(Value::integer(static_cast<Int>(real)));
      return std::hash<double>{}(real);
    }
    case Kind::string: value.string().heap().work(value.text().size()); return std::hash<std::string_view>{}(value.text());
    case Kind::tuple: {
      std::size_t hash = 11;
      value.object()->heap().checkStack();
      value.object()->heap().work(value.items().size());
      for (const Value& item : value.items()) hash = hash * 1000003 + hashValue(item);
      return hash;
    }
    case Kind::list:
    case Kind::dict: raise("unhashable type: '" + typeName(value) + "'");
    case Kind::instance: return std::hash<const void*>{}(value.object());
  }
  return 0;
}

}  // namespace minerva::text::jinja
