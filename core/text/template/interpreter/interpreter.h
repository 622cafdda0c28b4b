// Runs a Program; one Interpreter per rendering. Throws TemplateError; position() is then where it failed.
#pragma once

#include "core/text/template/chat_template.h"
#include "core/text/template/syntax/ast.h"
#include "core/text/template/value/value.h"

#include <initializer_list>

namespace minerva::text::jinja {

// Names that the interpreter itself looks up; interned first, in this order.
enum SpecialName : int { loopName, callerName, kwargsName, varargsName, selfName };
void internSpecialNames(Program& program);

// Variables of a template, loop body or macro call. Look-ups continue in the parent scope.
class Scope final : public Container {
 public:
  Scope(Heap& heap, Ref<Scope> parent) : Container(heap), m_parent(std::move(parent)) {}
  [[nodiscard]] const Value* find(int name) const;
  void set(int name, Value value);
  void clear() override;

 private:
  Ref<Scope> m_parent;
  std::vector<std::pair<int, Value>> m_variables;
};

// Text being written: the output of the template, or the result of a macro or block.
class Output {
 public:
  Output(Heap& heap, std::size_t limit, bool root) : m_heap(heap), m_limit(limit), m_root(root) {}
  ~Output() { m_heap.free(m_charged); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  void write(std::string_view text);
  std::string take() { return std::move(m_text); }

 private:
  Heap& m_heap;
  std::size_t m_limit;
  bool m_root;
  std::size_t m_charged = 0;
  std::string m_text;
};

class Interpreter {
 public:
  Interpreter(Heap& heap, const Program& program, const RenderLimits& limits, std::chrono::system_clock::time_point now);

  void define(const std::string& name, Value value);  // a variable of the request
  std::string run();

  [[nodiscard]] Heap& heap() { return m_heap; }
  [[nodiscard]] Position position() const { return m_position; }
  [[nodiscard]] std::chrono::system_clock::time_point now() const { return m_now; }

  // Used by filters, tests, methods and functions.
  Value string(std::string text) { return makeString(m_heap, std::move(text)); }
  Value list(std::vector<Value> items) { return makeList(m_heap, std::move(items)); }
  Value undefined(std::string message) { return makeUndefined(m_heap, std::move(message)); }
  Value attribute(const Value& value, const std::string& name);  // value.name
  Value item(const Value& value, const Value& key);              // value[key]
  Value call(const Value& function, Arguments arguments);
  Value applyFilter(const std::string& name, const Value& value, Arguments arguments);
  bool applyTest(const std::string& name, const Value& value, Arguments arguments);

  // callMacro() runs a macro or call block; repeatLoop() renders a loop recursively (loop(...)).
  Value callMacro(const Stmt& macro, const Signature& signature, const Ref<Scope>& closure, Arguments arguments);
  Value repeatLoop(const Stmt& loop, const Ref<Scope>& scope, const Value& iterable, int depth);
  Value renderBlock(const Stmt& block);

 private:
  enum class Flow { normal, breakLoop, continueLoop };
  class Capture;
  class CallDepth;

  // Statements (interpreter_statements.cpp)
  Flow execute(const Body& body, const Ref<Scope>& scope);
  Flow execute(const Stmt& statement, const Ref<Scope>& scope);
  Flow executeInner(const Body& body, const Ref<Scope>& scope);
  Flow executeIf(const Stmt& statement, const Ref<Scope>& scope);
  Flow executeFor(const Stmt& statement, const Ref<Scope>& scope, const Value& iterable, int depth);
  void executeWith(const Stmt& statement, const Ref<Scope>& scope);
  void executeCall(const Stmt& statement, const Ref<Scope>& scope);
  void assign(const Expr& target, const Value& value, const Ref<Scope>& scope);
  void write(const Value& value);
  std::string capture(const Body& body, const Ref<Scope>& scope);
  [[nodiscard]] Ref<Scope> inner(const Ref<Scope>& scope);

  // Expressions (interpreter_expressions.cpp)
  Value evaluate(const Expr& expr, const Ref<Scope>& scope);
  Value evaluateOperator(const Expr& expr, const Ref<Scope>& scope);
  Value evaluateName(const Expr& expr, const Ref<Scope>& scope);
  Value evaluateItem(const Expr& expr, const Ref<Scope>& scope);
  Value evaluateConcat(const Expr& expr, const Ref<Scope>& scope);
  Value evaluateCompare(const Expr& expr, const Ref<Scope>& scope);
  Value evaluateDict(const Expr& expr, const Ref<Scope>& scope);
  std::vector<Value> evaluateAll(const std::vector<Expr*>& exprs, const Ref<Scope>& scope);
  Value evaluateCall(const Expr& expr, const Ref<Scope>& scope, const Value* caller);
  Value evaluateFilter(const Expr& expr, const Ref<Scope>& scope, const Value* start);
  bool evaluateTest(const Expr& expr, const Ref<Scope>& scope);
  Arguments arguments(const Expr& call, const Ref<Scope>& scope);

  Heap& m_heap;
  const Program& m_program;
  const RenderLimits& m_limits;
  std::chrono::system_clock::time_point m_now;
  Position m_position;
  Ref<Scope> m_inputs;
  Ref<Scope> m_root;
  std::map<std::string, Value, std::less<>> m_globals;
  std::vector<Value> m_constants;
  Output* m_output = nullptr;
  int m_depth = 0;
  bool m_autoescape = false;
};

// Binds the arguments of a native function to names. Throws Python's messages for too many, unknown or missing ones.
class BoundArguments {
 public:
  BoundArguments(const char* function, Arguments& arguments, std::initializer_list<const char*> names, std::size_t required = 0);
  [[nodiscard]] bool has(std::size_t index) const { return m_values[index] != nullptr; }
  [[nodiscard]] const Value& operator[](std::size_t index) const { return m_values[index] ? *m_values[index] : m_none; }
  // Converted values; throw if the argument has the wrong type.
  [[nodiscard]] bool flag(std::size_t index, bool fallback = false) const;
  [[nodiscard]] Int integer(std::size_t index, Int fallback) const;
  [[nodiscard]] std::string text(std::size_t index, std::string fallback = {}) const;

 private:
  Value m_none;
  std::vector<const Value*> m_values;
};

using NativeFunction = Value (*)(Interpreter&, const Value& self, Arguments&);
using NativeTest = bool (*)(Interpreter&, const Value& value, Arguments&);

}  // namespace minerva::text::jinja
