// The kinds of Instance that a template can use: functions, macros, ranges, views, generators, namespaces, loops.
#pragma once

#include "core/text/template/interpreter/interpreter.h"

namespace minerva::text::jinja {

class FunctionObject final : public Instance {
 public:
  using Function = std::function<Value(Interpreter&, Arguments&)>;
  FunctionObject(Heap& heap, std::string name, Function function)
      : Instance(heap), m_name(std::move(name)), m_function(std::move(function)) {}
  std::string typeName() const override { return "function"; }
  std::string repr() const override { return "<function " + m_name + ">"; }
  bool callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override { return m_function(interpreter, arguments); }
  void clear() override { m_function = nullptr; }

 private:
  std::string m_name;
  Function m_function;
};

// An iterable that can be iterated once and computes its items on demand.
class GeneratorObject final : public Instance {
 public:
  GeneratorObject(Heap& heap, Puller pull) : Instance(heap), m_pull(std::move(pull)) {}
  std::string typeName() const override { return "generator"; }
  std::optional<Puller> iterate() override;
  void clear() override { m_pull = nullptr; }

 private:
  bool next(Value& value);
  Puller m_pull;
  bool m_running = false;
};

class RangeObject final : public Instance {
 public:
  RangeObject(Heap& heap, Int start, Int stop, Int step);
  std::string typeName() const override { return "range"; }
  std::string repr() const override;
  std::optional<Puller> iterate() override;
  std::optional<std::size_t> length() const override { return m_length; }
  std::optional<Value> item(Int index) const override { return Value::integer(m_start + index * m_step); }

 private:
  Int m_start, m_stop, m_step;
  std::size_t m_length = 0;
};

// dict.keys(), .values(), .items()
class ViewObject final : public Instance {
 public:
  enum class Part { keys, values, items };
  ViewObject(Heap& heap, Value dict, Part part) : Instance(heap), m_dict(std::move(dict)), m_part(part) {}
  std::string typeName() const override;
  std::string repr() const override;
  std::optional<Puller> iterate() override;
  std::optional<std::size_t> length() const override { return m_dict.dict().entries.size(); }
  void clear() override {}

 private:
  Value m_dict;
  Part m_part;
};

class NamespaceObject final : public Instance {
 public:
  explicit NamespaceObject(Heap& heap) : Instance(heap), m_attributes(makeDict(heap)) {}
  std::string typeName() const override { return "Namespace"; }
  std::string repr() const override;
  std::optional<Value> attribute(Interpreter&, const std::string& name) override;
  void set(const std::string& name, Value value);
  void clear() override { m_attributes = {}; }

 private:
  Ref<DictObject> m_attributes;
};

class MacroObject final : public Instance {
 public:
  MacroObject(Heap& heap, const Stmt& macro, Ref<Scope> closure) : Instance(heap), m_macro(macro), m_closure(std::move(closure)) {}
  std::string typeName() const override { return "Macro"; }
  std::string repr() const override { return "<Macro '" + m_macro.signature.name + "'>"; }
  std::optional<Value> attribute(Interpreter& interpreter, const std::string& name) override;
  bool callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override {
    return interpreter.callMacro(m_macro, m_macro.signature, m_closure, std::move(arguments));
  }
  void clear() override { m_closure = {}; }

 private:
  const Stmt& m_macro;
  Ref<Scope> m_closure;
};

// `loop` in a for statement; reads one item ahead, but only if the template asks for it.
class LoopObject final : public Instance {
 public:
  LoopObject(Heap& heap, const Stmt& loop, Ref<Scope> scope, Puller items, std::optional<std::size_t> length, int depth)
      : Instance(heap), m_loop(loop), m_scope(std::move(scope)), m_items(std::move(items)), m_length(length), m_depth(depth) {}
  std::string typeName() const override { return "LoopContext"; }
  std::optional<Value> attribute(Interpreter& interpreter, const std::string& name) override;
  bool callable() const override { return true; }
  Value call(Interpreter& interpreter, Arguments arguments) override;
  void clear() override;
  bool next(Value& value);

 private:
  bool peek();
  std::size_t total();
  bool changed(Arguments& arguments);
  const Stmt& m_loop;
  Ref<Scope> m_scope;
  Puller m_items;
  std::optional<std::size_t> m_length;
  int m_depth;
  std::vector<Value> m_ahead;  // items read ahead, the next one last
  Value m_current;
  std::optional<Value> m_previous;
  std::optional<std::vector<Value>> m_lastChanged;
  Int m_index = -1;
};

template <class T, class... Args>
Value makeInstance(Heap& heap, Args&&... args) {
  return Value(Ref<Instance>(heap.make<T>(64, std::forward<Args>(args)...)));
}
[[nodiscard]] Value makeGenerator(Heap& heap, Puller pull);
[[nodiscard]] Value makeRange(Heap& heap, Int start, Int stop, Int step);
[[nodiscard]] bool equalRanges(const Value& a, const Value& b);  // instances other than ranges are equal only if identical

// range, dict, namespace, cycler, joiner, lipsum, raise_exception, strftime_now; nullopt for any other name.
[[nodiscard]] std::optional<Value> makeGlobal(Heap& heap, std::string_view name);

}  // namespace minerva::text::jinja
