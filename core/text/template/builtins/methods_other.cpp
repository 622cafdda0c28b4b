#include "core/text/template/builtins/globals.h"
#include "core/text/template/builtins/methods.h"
#include "core/text/template/value/operations.h"

#include <algorithm>
#include <cmath>

namespace minerva::text::jinja {
namespace {

// A method bound to its object.
class BoundMethod final : public Instance {
 public:
  BoundMethod(Heap& heap, Value self, const MethodEntry& entry) : Instance(heap), m_self(std::move(self)), m_entry(entry) {}
  std::string typeName() const override { return "builtin_function_or_method"; }
  std::string repr() const override {
    return std::string("<built-in method ") + m_entry.name + " of " + jinja::typeName(m_self) + " object>";
  }
  bool callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override {
    const Value keep = m_self;
    return m_entry.function(interpreter, keep, arguments);
  }

 private:
  Value m_self;
  const MethodEntry& m_entry;
};

template <ViewObject::Part part>
Value view(Interpreter& interpreter, const Value& self, Arguments&) {
  return makeInstance<ViewObject>(interpreter.heap(), self, part);
}
Value get(Interpreter&, const Value& self, Arguments& arguments) {
  const BoundArguments bound("get", arguments, {"key", "default"}, 1);
  const Value* found = self.dict().find(bound[0]);
  return found ? *found : bound[1];
}
Value same(Interpreter&, const Value& self, Arguments&) { return self; }

Value indexOf(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("index", arguments, {"value", "start", "stop"}, 1);
  const Int size = static_cast<Int>(requireLength(self));
  const auto limit = [&](Int at) { return std::clamp<Int>(at < 0 ? at + size : at, 0, size); };
  const Int stop = limit(bound.integer(2, size));
  for (Int i = limit(bound.integer(1, 0)); i < stop; ++i) {
    interpreter.heap().work(1);
    if (equals(*indexed(interpreter.heap(), self, i), bound[0])) return Value::integer(i);
  }
  raise(self.kind() == Kind::tuple ? "tuple.index(x): x not in tuple" : "value is not in list");
}
Value countOf(Interpreter& interpreter, const Value& self, Arguments& arguments) {
  const BoundArguments bound("count", arguments, {"value"}, 1);
  Int count = 0;
  Value item;
  for (const Puller pull = iterate(interpreter.heap(), self); pull(item);) {
    interpreter.heap().work(1);
    count += equals(item, bound[0]) ? 1 : 0;
  }
  return Value::integer(count);
}

Value bitLength(Interpreter&, const Value& self, Arguments&) {
  Int bits = 0;
  for (Magnitude value = magnitude(self.asInt()); value > 0; value >>= 1) ++bits;
  return Value::integer(bits);
}
Value bitCount(Interpreter&, const Value& self, Arguments&) {
  Int bits = 0;
  for (Magnitude value = magnitude(self.asInt()); value > 0; value >>= 1) bits += static_cast<Int>(value & 1);
  return Value::integer(bits);
}
Value isInteger(Interpreter&, const Value& self, Arguments&) {
  return Value::boolean(self.isInt() || std::trunc(self.asReal()) == self.asReal());
}

constexpr MethodEntry dictMethods[] = {
    {"items", view<ViewObject::Part::items>},
    {"keys", view<ViewObject::Part::keys>},
    {"values", view<ViewObject::Part::values>},
    {"get", get},
    {"copy", same},
    {"clear", nullptr},
    {"pop", nullptr},
    {"popitem", nullptr},
    {"setdefault", nullptr},
    {"update", nullptr},
};
constexpr MethodEntry listMethods[] = {
    {"index", indexOf},  {"count", countOf}, {"copy", same},      {"append", nullptr},  {"clear", nullptr}, {"extend", nullptr},
    {"insert", nullptr}, {"pop", nullptr},   {"remove", nullptr}, {"reverse", nullptr}, {"sort", nullptr},
};
constexpr MethodEntry tupleMethods[] = {{"index", indexOf}, {"count", countOf}};
constexpr MethodEntry integerMethods[] = {
    {"bit_length", bitLength}, {"bit_count", bitCount}, {"is_integer", isInteger}, {"conjugate", same}};
constexpr MethodEntry realMethods[] = {{"is_integer", isInteger}, {"conjugate", same}};

std::span<const MethodEntry> methodsOf(const Value& value) {
  switch (value.kind()) {
    case Kind::string: return stringMethods();
    case Kind::dict: return dictMethods;
    case Kind::list: return listMethods;
    case Kind::tuple: return tupleMethods;
    case Kind::boolean:
    case Kind::integer: return integerMethods;
    case Kind::real: return realMethods;
    case Kind::instance:
      if (value.as<RangeObject>()) return tupleMethods;
      [[fallthrough]];
    default: return {};
  }
}

}  // namespace

std::optional<Value> findMethod(Interpreter& interpreter, const Value& value, const std::string& name) {
  for (const MethodEntry& entry : methodsOf(value))
    if (name == entry.name) {
      // A method that would modify its object is an undefined value whose message says so.
      if (!entry.function)
        return interpreter.undefined("access to attribute '" + name + "' of '" + typeName(value) + "' object is unsafe.");
      return makeInstance<BoundMethod>(interpreter.heap(), value, entry);
    }
  if (value.kind() == Kind::tuple && static_cast<SequenceObject*>(value.object())->group) {
    if (name == "grouper") return value.items()[0];
    if (name == "list") return value.items()[1];
  }
  if (value.isNumber() && name == "real") return value;
  if (value.isNumber() && name == "imag") return value.isInt() ? Value::integer(0) : Value::real(0);
  if (value.isInt() && (name == "numerator" || name == "denominator")) return Value::integer(name[0] == 'n' ? value.asInt() : 1);
  return std::nullopt;
}

}  // namespace minerva::text::jinja
