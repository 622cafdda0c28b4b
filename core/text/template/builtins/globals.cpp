#include "core/text/template/builtins/globals.h"

#include "core/text/template/value/operations.h"
#include "core/text/template/value/python_text.h"

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <ctime>
#include <locale.h>
#include <utility>

namespace minerva::text::jinja {
namespace {

constexpr Int largestRange = 100000;  // the sandbox's MAX_RANGE

Value callRange(Interpreter& interpreter, Arguments& arguments) {
  const auto& given = arguments.positional;
  if (!arguments.keywords.empty()) raise("range() takes no keyword arguments");
  if (given.empty() || given.size() > 3) raise("range expected 1 to 3 arguments, got " + std::to_string(given.size()));
  for (const Value& value : given) {
    if (value.isUndefined()) failUndefined(value);
    if (!value.isInt()) raise("'" + typeName(value) + "' object cannot be interpreted as an integer");
  }
  const Int start = given.size() > 1 ? given[0].asInt() : 0;
  const Int stop = given.size() > 1 ? given[1].asInt() : given[0].asInt();
  return makeRange(interpreter.heap(), start, stop, given.size() > 2 ? given[2].asInt() : 1);
}

// dict(mapping or pairs, key=value...); namespace() accepts the same arguments.
Ref<DictObject> dictOf(Interpreter& interpreter, Arguments& arguments, const char* who) {
  Heap& heap = interpreter.heap();
  Ref<DictObject> dict = makeDict(heap);
  if (arguments.positional.size() > 1)
    raise(std::string(who) + " expected at most 1 argument, got " + std::to_string(arguments.positional.size()));
  if (!arguments.positional.empty()) {
    const Value& from = arguments.positional[0];
    if (from.isDict()) {
      for (const auto& [key, value] : from.dict().entries) dict->set(key, value);
    } else {
      for (const Value& pair : toVector(heap, from)) {
        const std::vector<Value> parts = toVector(heap, pair);
        if (parts.size() != 2) raise("dictionary update sequence element has length " + std::to_string(parts.size()) + "; 2 is required");
        dict->set(parts[0], parts[1]);
      }
    }
  }
  for (const auto& [key, value] : arguments.keywords) dict->set(interpreter.string(key), value);
  return dict;
}

Value callNamespace(Interpreter& interpreter, Arguments& arguments) {
  const Ref<DictObject> values = dictOf(interpreter, arguments, "namespace");
  const Value made = makeInstance<NamespaceObject>(interpreter.heap());
  for (const auto& [key, value] : values->entries)
    made.as<NamespaceObject>()->set(key.isString() ? key.text() : repr(interpreter.heap(), key), value);
  return made;
}

class CyclerObject final : public Instance {
 public:
  CyclerObject(Heap& heap, std::vector<Value> items) : Instance(heap), m_items(std::move(items)) {}
  std::string typeName() const override { return "Cycler"; }
  std::optional<Value> attribute(Interpreter& interpreter, const std::string& name) override {
    if (name == "current") return m_items[m_at];
    if (name != "next" && name != "reset") return std::nullopt;
    const Ref<CyclerObject> self(this);
    return makeInstance<FunctionObject>(interpreter.heap(), name, [self, next = name == "next"](Interpreter&, Arguments&) {
      const Value value = next ? self->m_items[self->m_at] : Value();
      self->m_at = next ? (self->m_at + 1) % self->m_items.size() : 0;
      return value;
    });
  }

 private:
  std::vector<Value> m_items;
  std::size_t m_at = 0;
};

Value callCycler(Interpreter& interpreter, Arguments& arguments) {
  if (arguments.positional.empty()) raise("at least one item has to be provided");
  return makeInstance<CyclerObject>(interpreter.heap(), arguments.positional);
}

Value callJoiner(Interpreter& interpreter, Arguments& arguments) {
  const BoundArguments bound("joiner", arguments, {"sep"});
  const Value separator = bound.has(0) ? bound[0] : interpreter.string(", ");
  return makeInstance<FunctionObject>(interpreter.heap(), "joiner", [separator, used = false](Interpreter& inner, Arguments&) mutable {
    if (used) return separator;
    used = true;
    return inner.string("");
  });
}

Value raiseException(Interpreter& interpreter, Arguments& arguments) {
  const BoundArguments bound("raise_exception", arguments, {"message"}, 1);
  throw TemplateError{ErrorKind::invalidArgument, toText(interpreter.heap(), bound[0]), interpreter.position()};
}

// strftime in English, regardless of the process's locale, with Python's %f (microseconds).
std::string formatTime(std::chrono::system_clock::time_point now, std::string format) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm local{};
  localtime_r(&seconds, &local);
  const auto micro = std::chrono::duration_cast<std::chrono::microseconds>(now - std::chrono::system_clock::from_time_t(seconds)).count();
  char digits[24];
  std::snprintf(digits, sizeof digits, "%06lld", static_cast<long long>(micro < 0 ? 0 : micro));
  for (std::size_t at = 0; (at = format.find('%', at)) != std::string::npos && at + 1 < format.size(); at += 2)
    if (format[at + 1] == 'f') format.replace(at, 2, digits);
  if (format.empty()) return {};
  static const locale_t english = newlocale(LC_ALL_MASK, "C", nullptr);
  std::string text(format.size() * 8 + 256, '\0');
  const std::size_t length = strftime_l(text.data(), text.size(), format.c_str(), &local, english);
  text.resize(length);
  return text;
}

Value strftimeNow(Interpreter& interpreter, Arguments& arguments) {
  const BoundArguments bound("strftime_now", arguments, {"format"}, 1);
  if (!bound[0].isString()) raise("strftime() argument 1 must be str, not " + typeName(bound[0]));
  if (bound[0].text().size() > 4096) raiseLimit("a time format of more than 4096 characters");
  return interpreter.string(formatTime(interpreter.now(), bound[0].text()));
}

Value callDict(Interpreter& interpreter, Arguments& arguments) { return Value(dictOf(interpreter, arguments, "dict")); }
Value callLipsum(Interpreter&, Arguments&) { raise("lipsum() is not available in chat templates"); }

struct GlobalEntry {
  const char* name;
  Value (*function)(Interpreter&, Arguments&);
};
constexpr GlobalEntry globals[] = {
    {"range", callRange},   {"dict", callDict},     {"namespace", callNamespace},        {"cycler", callCycler},
    {"joiner", callJoiner}, {"lipsum", callLipsum}, {"raise_exception", raiseException}, {"strftime_now", strftimeNow},
};

}  // namespace

std::optional<Value> makeGlobal(Heap& heap, std::string_view name) {
  for (const GlobalEntry& entry : globals)
    if (name == entry.name) return makeInstance<FunctionObject>(heap, entry.name, entry.function);
  return std::nullopt;
}

Value makeGenerator(Heap& heap, Puller pull) { return makeInstance<GeneratorObject>(heap, std::move(pull)); }

Value makeRange(Heap& heap, Int start, Int stop, Int step) {
  const Value range = makeInstance<RangeObject>(heap, start, stop, step);
  if (*range.instance().length() > static_cast<std::size_t>(largestRange))
    raiseLimit("Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).");
  return range;
}

bool equalRanges(const Value& a, const Value& b) {
  const auto* x = a.as<RangeObject>();
  const auto* y = b.as<RangeObject>();
  if (!x || !y) return a.object() == b.object();
  if (x->length() != y->length()) return false;
  const std::size_t length = *x->length();
  return length == 0 ||
         (equals(*x->item(0), *y->item(0)) && equals(*x->item(static_cast<Int>(length) - 1), *y->item(static_cast<Int>(length) - 1)));
}

bool GeneratorObject::next(Value& value) {
  heap().checkStack();
  if (!m_pull) return false;
  if (m_running) raise("generator already executing");
  m_running = true;
  bool more = false;
  try {
    more = m_pull(value);
  } catch (...) {
    m_running = false;
    throw;
  }
  m_running = false;
  return more;
}
std::optional<Puller> GeneratorObject::iterate() {
  return Puller([self = Ref<GeneratorObject>(this)](Value& value) { return self->next(value); });
}

RangeObject::RangeObject(Heap& heap, Int start, Int stop, Int step) : Instance(heap), m_start(start), m_stop(stop), m_step(step) {
  if (step == 0) raise("range() arg 3 must not be zero");
  constexpr Int far = Int{1} << 100;
  if (start > far || start < -far || stop > far || stop < -far || step > far || step < -far) raiseLimit("a range of such large integers");
  const Int distance = step > 0 ? stop - start : start - stop;
  const Int by = step > 0 ? step : -step;
  const Int count = distance > 0 ? (distance + by - 1) / by : 0;
  m_length = static_cast<std::size_t>(std::min<Int>(count, Int{1} << 62));
}
std::string RangeObject::repr() const {
  std::string text = "range(" + integerText(m_start) + ", " + integerText(m_stop);
  if (m_step != 1) text += ", " + integerText(m_step);
  return text + ")";
}
std::optional<Puller> RangeObject::iterate() {
  return Puller([self = Ref<RangeObject>(this), at = std::size_t{0}](Value& value) mutable {
    if (at >= self->m_length) return false;
    value = Value::integer(self->m_start + static_cast<Int>(at++) * self->m_step);
    return true;
  });
}

std::string ViewObject::typeName() const {
  return m_part == Part::keys ? "dict_keys" : m_part == Part::values ? "dict_values" : "dict_items";
}
std::string ViewObject::repr() const {
  Heap& owner = heap();
  return typeName() + "(" + jinja::repr(owner, makeList(owner, toVector(owner, Value(Ref<Instance>(const_cast<ViewObject*>(this)))))) + ")";
}
std::optional<Puller> ViewObject::iterate() {
  return Puller([self = Ref<ViewObject>(this), at = std::size_t{0}](Value& value) mutable {
    const auto& entries = self->m_dict.dict().entries;
    if (at >= entries.size()) return false;
    const auto& [key, item] = entries[at++];
    value = self->m_part == Part::keys ? key : self->m_part == Part::values ? item : makeTuple(self->heap(), {key, item});
    return true;
  });
}

std::string NamespaceObject::repr() const {
  if (!m_attributes) return "<Namespace {}>";
  return "<Namespace " + jinja::repr(heap(), Value(m_attributes)) + ">";
}
std::optional<Value> NamespaceObject::attribute(Interpreter&, const std::string& name) {
  const Value* found = m_attributes ? m_attributes->find(name) : nullptr;
  return found ? std::optional<Value>(*found) : std::nullopt;
}
void NamespaceObject::set(const std::string& name, Value value) {
  if (m_attributes) m_attributes->set(makeString(heap(), name), std::move(value));
}

std::optional<Value> MacroObject::attribute(Interpreter& interpreter, const std::string& name) {
  if (name == "name") return interpreter.string(m_macro.signature.name);
  if (name == "catch_kwargs") return Value::boolean(m_macro.signature.usesKwargs);
  if (name == "catch_varargs") return Value::boolean(m_macro.signature.usesVarargs);
  if (name == "caller") return Value::boolean(m_macro.signature.usesCaller);
  if (name != "arguments") return std::nullopt;
  std::vector<Value> names;
  for (const Parameter& parameter : m_macro.signature.parameters) names.push_back(interpreter.string(parameter.text));
  return makeTuple(interpreter.heap(), std::move(names));
}

bool LoopObject::peek() {
  if (!m_ahead.empty()) return true;
  Value value;
  if (!m_items || !m_items(value)) return false;
  m_ahead.push_back(std::move(value));
  return true;
}

bool LoopObject::next(Value& value) {
  if (!peek()) return false;
  if (m_index >= 0) m_previous = m_current;
  m_current = m_ahead.back();
  m_ahead.pop_back();
  ++m_index;
  value = m_current;
  return true;
}

// If the iterable does not know its length, all remaining items must be read.
std::size_t LoopObject::total() {
  if (m_length) return *m_length;
  std::reverse(m_ahead.begin(), m_ahead.end());
  Value value;
  while (m_items && m_items(value)) {
    m_ahead.push_back(std::move(value));
    heap().grow(*this, sizeof(Value));
  }
  std::reverse(m_ahead.begin(), m_ahead.end());
  m_length = static_cast<std::size_t>(m_index + 1) + m_ahead.size();
  return *m_length;
}

bool LoopObject::changed(Arguments& arguments) {
  const bool same = m_lastChanged && m_lastChanged->size() == arguments.positional.size() &&
                    std::equal(arguments.positional.begin(), arguments.positional.end(), m_lastChanged->begin(), equals);
  if (!same) m_lastChanged = arguments.positional;
  return !same;
}

std::optional<Value> LoopObject::attribute(Interpreter& interpreter, const std::string& name) {
  if (name == "index") return Value::integer(m_index + 1);
  if (name == "index0") return Value::integer(m_index);
  if (name == "first") return Value::boolean(m_index == 0);
  if (name == "last") return Value::boolean(!peek());
  if (name == "length") return Value::integer(static_cast<Int>(total()));
  if (name == "revindex") return Value::integer(static_cast<Int>(total()) - m_index);
  if (name == "revindex0") return Value::integer(static_cast<Int>(total()) - m_index - 1);
  if (name == "depth") return Value::integer(m_depth + 1);
  if (name == "depth0") return Value::integer(m_depth);
  if (name == "previtem") return m_previous ? *m_previous : interpreter.undefined("there is no previous item");
  if (name == "nextitem") return peek() ? m_ahead.back() : interpreter.undefined("there is no next item");
  if (name != "cycle" && name != "changed") return std::nullopt;
  return makeInstance<FunctionObject>(
      interpreter.heap(), name, [self = Ref<LoopObject>(this), cycle = name == "cycle"](Interpreter&, Arguments& arguments) {
        if (!cycle) return Value::boolean(self->changed(arguments));
        if (arguments.positional.empty()) raise("no items for cycling given");
        return arguments.positional[static_cast<std::size_t>(self->m_index < 0 ? 0 : self->m_index) % arguments.positional.size()];
      });
}

Value LoopObject::call(Interpreter& interpreter, Arguments arguments) {
  if (!m_loop.recursive) raise("The loop must have the 'recursive' marker to be called recursively.");
  if (arguments.positional.size() != 1 || !m_scope) raise("loop() takes exactly one argument");
  return interpreter.repeatLoop(m_loop, m_scope, arguments.positional[0], m_depth + 1);
}

void LoopObject::clear() {
  const Ref<Scope> scope = std::move(m_scope);
  const Puller items = std::move(m_items);
  m_items = nullptr;
  const std::vector<Value> ahead = std::exchange(m_ahead, {});
  const Value current = std::exchange(m_current, {});
  const std::optional<Value> previous = std::exchange(m_previous, std::nullopt);
  const std::optional<std::vector<Value>> lastChanged = std::exchange(m_lastChanged, std::nullopt);
}

}  // namespace minerva::text::jinja
