// Values that templates compute with: Python's values, as far as templates can use them.
//
// A Value is small and cheap to copy; strings and containers are shared, immutable objects on the rendering's Heap (the
// sandbox does not let templates modify lists and dicts; only namespaces change).
#pragma once

#include "core/text/template/value/heap.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace minerva::text::jinja {

// Python's int, up to 127 bits; larger values are a limit error.
__extension__ typedef __int128 Int;
__extension__ typedef unsigned __int128 Magnitude;
// |value|, of the smallest Int as well.
[[nodiscard]] inline Magnitude magnitude(Int value) { return value < 0 ? -static_cast<Magnitude>(value) : static_cast<Magnitude>(value); }

enum class Kind : std::uint8_t { undefined, none, boolean, integer, real, string, list, tuple, dict, instance };

class Interpreter;
struct StringObject;
struct SequenceObject;
struct DictObject;
struct UndefinedObject;
class Instance;

class Value {
 public:
  Value() = default;  // none
  static Value boolean(bool value) { return Value(Kind::boolean, Int{value}); }
  static Value integer(Int value) { return Value(Kind::integer, value); }
  static Value real(double value) {
    Value v(Kind::real, Int{0});
    v.m_data.real = value;
    return v;
  }
  Value(Ref<StringObject> text);
  Value(Kind listOrTuple, Ref<SequenceObject> items);
  Value(Ref<DictObject> dict);
  Value(Ref<UndefinedObject> undefined);
  Value(Ref<Instance> instance);
  Value(const Value& other) : m_kind(other.m_kind), m_data(other.m_data) {
    if (isObject()) m_data.object->retain();
  }
  Value(Value&& other) noexcept : m_kind(other.m_kind), m_data(other.m_data) { other.m_kind = Kind::none; }
  ~Value() {
    if (isObject()) m_data.object->release();
  }
  Value& operator=(Value other) noexcept {
    std::swap(m_kind, other.m_kind);
    std::swap(m_data, other.m_data);
    return *this;
  }

  [[nodiscard]] Kind kind() const { return m_kind; }
  [[nodiscard]] bool isNone() const { return m_kind == Kind::none; }
  [[nodiscard]] bool isUndefined() const { return m_kind == Kind::undefined; }
  [[nodiscard]] bool isString() const { return m_kind == Kind::string; }
  [[nodiscard]] bool isDict() const { return m_kind == Kind::dict; }
  [[nodiscard]] bool isSequence() const { return m_kind == Kind::list || m_kind == Kind::tuple; }
  [[nodiscard]] bool isInt() const { return m_kind == Kind::integer || m_kind == Kind::boolean; }  // as in Python
  [[nodiscard]] bool isNumber() const { return isInt() || m_kind == Kind::real; }

  // The caller must know the kind.
  [[nodiscard]] bool asBool() const { return m_data.integer != 0; }
  [[nodiscard]] Int asInt() const { return m_data.integer; }
  [[nodiscard]] double asReal() const { return m_kind == Kind::real ? m_data.real : static_cast<double>(m_data.integer); }
  [[nodiscard]] StringObject& string() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const std::vector<Value>& items() const;
  [[nodiscard]] DictObject& dict() const;
  [[nodiscard]] UndefinedObject& undefined() const;
  [[nodiscard]] Instance& instance() const;
  [[nodiscard]] Object* object() const { return isObject() ? m_data.object : nullptr; }
  template <class T>
  [[nodiscard]] T* as() const {  // an instance of class T, else null
    return m_kind == Kind::instance ? dynamic_cast<T*>(m_data.object) : nullptr;
  }

 private:
  Value(Kind kind, Int integer) : m_kind(kind) { m_data.integer = integer; }
  Value(Kind kind, Object* object) : m_kind(kind) {  // retains
    m_data.object = object;
    object->retain();
  }
  [[nodiscard]] bool isObject() const { return m_kind == Kind::undefined || m_kind >= Kind::string; }

  Kind m_kind = Kind::none;
  union Data {
    Int integer;
    double real;
    Object* object;
  } m_data{.integer = 0};
};

struct StringObject final : Object {
  StringObject(Heap& heap, std::string value, bool isMarkup) : Object(heap), text(std::move(value)), markup(isMarkup) {}
  [[nodiscard]] std::size_t length() const;  // in characters
  [[nodiscard]] bool ascii() const { return length() == text.size(); }
  std::string text;
  bool markup;  // result of |safe or |escape
 private:
  mutable std::ptrdiff_t m_length = -1;
};

struct SequenceObject final : Object {
  SequenceObject(Heap& heap, std::vector<Value> values) : Object(heap), items(std::move(values)) {}
  std::vector<Value> items;
  bool group = false;  // an element of groupby's result: also has .grouper and .list
};

// The message is the error of using the undefined value.
struct UndefinedObject final : Object {
  UndefinedObject(Heap& heap, std::string text) : Object(heap), message(std::move(text)) {}
  std::string message;
};

// Keys compare as in Python: 1, 1.0 and True are the same key. Insertion order is kept.
struct DictObject final : Object {
  explicit DictObject(Heap& heap) : Object(heap) {}
  [[nodiscard]] const Value* find(const Value& key) const;
  [[nodiscard]] const Value* find(std::string_view key) const;
  void set(Value key, Value value);  // only while the dict is being built
  std::vector<std::pair<Value, Value>> entries;

 private:
  template <class Same>
  [[nodiscard]] std::ptrdiff_t locate(std::size_t hash, Same same) const;
  void index(std::size_t entry, std::size_t hash);
  std::vector<std::size_t> m_hashes;   // by entry
  std::vector<std::uint32_t> m_slots;  // open addressing, entry + 1; empty while there are few entries
};

struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> keywords;
};

// Stores the next value and returns true; returns false at the end.
using Puller = std::function<bool(Value&)>;

// All other objects of a template: functions, macros, ranges, views, generators, namespaces, the loop.
class Instance : public Container {
 public:
  using Container::Container;
  [[nodiscard]] virtual std::string typeName() const = 0;
  [[nodiscard]] virtual std::string repr() const { return "<" + typeName() + " object>"; }
  [[nodiscard]] virtual std::optional<Value> attribute(Interpreter&, const std::string&) { return std::nullopt; }
  [[nodiscard]] virtual bool callable() const { return false; }
  virtual Value call(Interpreter&, Arguments);
  [[nodiscard]] virtual std::optional<Puller> iterate() { return std::nullopt; }
  [[nodiscard]] virtual std::optional<std::size_t> length() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Value> item(Int) const { return std::nullopt; }  // if it can be indexed
  void clear() override {}
};

// Create values; their sizes are charged to the heap.
[[nodiscard]] Value makeString(Heap& heap, std::string text, bool markup = false);
[[nodiscard]] Value makeList(Heap& heap, std::vector<Value> items);
[[nodiscard]] Value makeTuple(Heap& heap, std::vector<Value> items);
[[nodiscard]] Value makeUndefined(Heap& heap, std::string message);
[[nodiscard]] Ref<DictObject> makeDict(Heap& heap);

// Python's name of a value's type, for messages: "str", "NoneType", "Undefined", ...
[[nodiscard]] std::string typeName(const Value& value);
[[nodiscard]] std::size_t hashValue(const Value& value);  // throws if the value cannot be a key

inline StringObject& Value::string() const { return static_cast<StringObject&>(*m_data.object); }
inline const std::string& Value::text() const { return string().text; }
inline const std::vector<Value>& Value::items() const { return static_cast<SequenceObject&>(*m_data.object).items; }
inline DictObject& Value::dict() const { return static_cast<DictObject&>(*m_data.object); }
inline UndefinedObject& Value::undefined() const { return static_cast<UndefinedObject&>(*m_data.object); }
inline Instance& Value::instance() const { return static_cast<Instance&>(*m_data.object); }

}  // namespace minerva::text::jinja
